import { sql, type SqlFragment } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import { encodeColumns, stored } from "./column-array.ts";
import { arrayLiteral, pgTypes } from "./columns.ts";
import type { Database } from "../postgres/database.ts";
import type { Dimensions } from "./dimensions.ts";
import type { ReadyLoad } from "./ready-load.ts";
import { columnsIn } from "./row-columns.ts";
import { rankedBy, type ColumnKind, type Row, type Table } from "./table.ts";

/** What a load is about: the value of each column of its scope, and for a column that covers several days, these days. */
export type LoadScope = {
  readonly fixed: readonly { readonly column: string; readonly kind: ColumnKind; readonly value: Row[string] }[];
  /** `until` is the day after the last one. Null if the scope covers one day, or none. */
  readonly days: { readonly column: string; readonly first: Day; readonly until: Day } | null;
};

/** The scope of a load, with its keys looked up. */
export function scopeOf({ table, until, day, scope }: ReadyLoad, dimensions: Dimensions): LoadScope {
  const columns = "scope" in table.load ? table.load.scope : [];
  // a scope without the end of its periods covers all periods that begin on the days of the answer
  const spans = columns.find(
    (column) => column === "date_day" || (column === "period_start" && !columns.includes("period_end")),
  );
  const daysOf = until === undefined ? undefined : spans;
  const fixed = columns
    .filter((column) => column !== daysOf)
    .map((column) => {
      const kind = table.columns[column] ?? "text";
      return { column, kind, value: stored(kind, scope[column], dimensions) };
    });
  return {
    fixed,
    days: daysOf === undefined || until === undefined ? null : { column: daysOf, first: day, until },
  };
}

/** Loads of one table: those that may be inserted together, encoded, and the others, in their order. */
type Parted = { readonly together: readonly ReadyLoad[]; readonly others: readonly ReadyLoad[] };

/**
 * Separates loads of a table in which rows are replaced as a whole. If a scope is still empty there is nothing to replace, and such loads
 * are inserted together unless they overlap, as on a first night.
 */
export async function partNewScopes(
  transaction: Database,
  table: Table,
  { loads, dimensions }: { readonly loads: readonly ReadyLoad[]; readonly dimensions: Dimensions },
): Promise<Parted> {
  const scopes = loads.map((load) => rowsIn(table, scopeOf(load, dimensions)));
  const first = scopes.flatMap((scope, index) =>
    scopes.slice(0, index).some((other) => overlaps(scope, other)) ? [] : [index],
  );
  if (first.length < 2) return { together: [], others: loads };
  const isNew = await findNew(
    transaction,
    table,
    first.map((place) => ({ place, scope: scopes[place] as LoadScope })),
  );
  const together = loads.flatMap((load, index) => {
    if (!isNew.has(index) || load.rows.length === 0) return [];
    const encoded = encodeColumns(table, columnsIn(table, load.rows), dimensions);
    return [{ ...load, encoded, isNew: holdsItsRows(load, scopes[index] as LoadScope), rows: [] }];
  });
  return { together, others: loads.filter((_, index) => !isNew.has(index)) };
}

/** True if the key of each row lies in the scope of the load: if the scope is empty, no row of such a key is stored. */
function holdsItsRows({ table, rows, scope }: ReadyLoad, { fixed, days }: LoadScope): boolean {
  const isWithin = (column: string, holds: (value: Row[string] | undefined) => boolean) =>
    table.key.includes(column) && rows.every((row) => holds(row[column]));
  return (
    fixed.every(({ column }) => isWithin(column, (value) => value === scope[column])) &&
    (days === null || isWithin(days.column, (value) => String(value) >= days.first && String(value) < days.until))
  );
}

/**
 * The scope that decides whether loads overlap: if sources are ranked, two sources may share rows, and one may have a row that the other
 * removes.
 */
function rowsIn(table: Table, { fixed, days }: LoadScope): LoadScope {
  const source = rankedBy(table)?.column;
  return { fixed: fixed.filter(({ column }) => column !== source), days };
}

function overlaps(one: LoadScope, other: LoadScope): boolean {
  if (one.fixed.some(({ value }, index) => value !== other.fixed[index]?.value)) return false;
  if (one.days === null || other.days === null) return true;
  return one.days.first < other.days.until && other.days.first < one.days.until;
}

/** The places of the scopes without a row. All scopes have the same form. */
async function findNew(
  transaction: Database,
  table: Table,
  scopes: readonly { readonly place: number; readonly scope: LoadScope }[],
): Promise<ReadonlySet<number>> {
  const form = scopes[0]?.scope;
  if (form === undefined) return new Set();
  const array = (kind: ColumnKind, of: (scope: LoadScope) => Row[string]) =>
    sql`${arrayLiteral(
      kind,
      scopes.map(({ scope }) => of(scope)),
    )}::${sql.raw(pgTypes[kind])}[]`;
  const columns: { name: string; values: SqlFragment; bound: SqlFragment }[] = form.fixed.map(
    ({ column, kind }, index) => ({
      name: `v${index}`,
      values: array(kind, ({ fixed }) => fixed[index]?.value ?? null),
      bound: sql`${sql.id("t", column)} = ${sql.id("p", `v${index}`)}`,
    }),
  );
  if (form.days !== null) {
    const day = sql.id("t", form.days.column);
    columns.push(
      { name: "first", values: array("day", ({ days }) => days?.first ?? null), bound: sql`${day} >= p."first"` },
      { name: "until", values: array("day", ({ days }) => days?.until ?? null), bound: sql`${day} < p."until"` },
    );
  }
  const places = sql`${`{${scopes.map(({ place }) => place).join(",")}}`}::integer[]`;
  const { rows } = await sql<{ place: number }>`
    select p.place
    from   unnest(${sql.join([...columns.map(({ values }) => values), places])})
           as p (${sql.join([...columns, { name: "place" }].map(({ name }) => sql.id(name)))})
    where  not exists (
      select from ${sql.ref(table.name)} as t
      where  ${
        columns.length === 0
          ? sql`true`
          : sql.join(
              columns.map(({ bound }) => bound),
              sql` and `,
            )
      }
      offset 0 -- a barrier: as a join the whole table would be read
    )`.execute(transaction);
  return new Set(rows.map(({ place }) => place));
}
