import type { Row, Table } from "./table.ts";

/** The values of a column: one per row, or a single one if all rows have the same; none if there are no rows. */
export type ColumnValues = { readonly constant: boolean; readonly values: readonly Row[string][] };

/** Rows as columns, extracted once for checking, look-up, encoding and sums. */
export type RowColumns = {
  /** The rows that the columns are made of: other rows need their own. */
  readonly rows: readonly Row[];
  readonly of: ReadonlyMap<string, ColumnValues>;
};

/** The columns of a table in rows. */
export function columnsIn(table: Pick<Table, "columns">, rows: readonly Row[]): RowColumns {
  const columns = new Map<string, ColumnValues>();
  for (const column of namesOf(table)) columns.set(column, valuesIn(column, rows));
  return { rows, of: columns };
}

/** The values of one of the columns. */
export function valuesOf(columns: RowColumns, column: string): ColumnValues {
  return columns.of.get(column) ?? valuesIn(column, columns.rows);
}

const known = new WeakMap<Table["columns"], readonly string[]>();

function namesOf({ columns }: Pick<Table, "columns">): readonly string[] {
  const names = known.get(columns) ?? Object.keys(columns);
  known.set(columns, names);
  return names;
}

function valuesIn(column: string, rows: readonly Row[]): ColumnValues {
  if (rows.length === 0) return { constant: true, values: [] };
  const first = rows[0]?.[column] ?? null;
  let same = 1;
  while (same < rows.length && ((rows[same] as Row)[column] ?? null) === first) same += 1;
  if (same >= rows.length) return { constant: true, values: [first] };
  const values: Row[string][] = [];
  for (let place = 0; place < rows.length; place += 1)
    values.push(place < same ? first : ((rows[place] as Row)[column] ?? null));
  return { constant: false, values };
}
