/** A column as the catalogue has it: `type` as Postgres writes it, `numeric(10,2)` or `timestamp with time zone`. */
export type Column = {
  readonly name: string;
  readonly type: string;
  readonly comment: string;
  readonly isNullable: boolean;
};

/** A column that names a row of another table. `to` with its schema. */
type ForeignKey = { readonly column: string; readonly to: string; readonly toColumn: string };

/** A table or view that analysts read. `name` with its schema. */
export type Relation = {
  readonly name: string;
  readonly schema: string;
  readonly table: string;
  readonly isView: boolean;
  readonly comment: string;
  readonly columns: readonly Column[];
  /** Columns of the primary key in its order; none of a view. */
  readonly key: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  /** Conditions that hold for every row, as Postgres writes them. */
  readonly checks: readonly string[];
};

/**
 * The column by whose months the rows are cut: the day of a row, or the first day of its period. Null where rows have no day,
 * and of the calendar, whose rows are the days themselves.
 */
export function monthColumn({ columns, key }: Pick<Relation, "columns" | "key">): string | null {
  const found = ["date_day", "period_start"].find((day) =>
    columns.some(({ name, type }) => name === day && type === "date"),
  );
  return found === undefined || (key.length === 1 && key[0] === found) ? null : found;
}
