import { addDays, type Day } from "../core/day.ts";
import { sql } from "../postgres/sql.ts";
import type { Scope } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { accountColumn, type ColumnKind, type Table } from "./table.ts";

/** What other datasets are planned from in the table of a dataset: one member for each set of values in its current rows. */
export type PlanningSource = {
  readonly name: string;
  readonly table: Table;
  /** A view with the rows of the table, if readers may not read the table: they can see plans too. */
  readonly view?: string;
  /**
   * Columns of the table whose values a member has as text: `app` as store and app, a country or keyword as such, others under their name.
   */
  readonly columns: readonly string[];
  /** Columns whose value a member has as text, '' if it has none. */
  readonly maybe?: readonly string[];
  /** A column whose largest value a member has too. */
  readonly newest?: string;
  /** Only rows with a day in this column that is at most this many days before the plan's day are read. */
  readonly recent?: { readonly column: string; readonly days: number };
};

const dimensions = {
  app: { table: "dim_app", key: "app_key", columns: { store: "store", app: "track_id" } },
  country: { table: "dim_country", key: "country_key", columns: { country: "country_code" } },
  keyword: { table: "dim_keyword", key: "keyword_key", columns: { keyword: "keyword" } },
  device: { table: "dim_device", key: "device_key", columns: { device: "device_code" } },
} as const satisfies Partial<Record<ColumnKind, unknown>>;

/**
 * The names of a column's values in a member, each with the column of its dimension that it is read from; null if the column belongs to no
 * dimension. A prefix of the key's name is added to the names: `competitor_app_key` becomes `competitor_store` and `competitor_app`.
 */
export function namesOf({ columns }: Pick<Table, "columns">, column: string): Readonly<Record<string, string>> | null {
  const kind = columns[column];
  if (kind !== "app" && kind !== "country" && kind !== "keyword" && kind !== "device") return null;
  const prefix = column.endsWith(dimensions[kind].key) ? column.slice(0, -dimensions[kind].key.length) : "";
  return Object.fromEntries(
    Object.entries(dimensions[kind].columns).map(([name, source]) => [`${prefix}${name}`, source]),
  );
}

function partOf(table: Table, column: string) {
  const [kind, names] = [table.columns[column], namesOf(table, column)];
  if (names === null) return { join: sql``, values: [sql`t.${sql.id(column)}::text`], names: [column] };
  const dimension = dimensions[kind as keyof typeof dimensions];
  const alias = `of_${column}`;
  return {
    join: sql`join ${sql.id("core", dimension.table)} as ${sql.id(alias)} on ${sql.id(alias, dimension.key)} = ${sql.id("t", column)}`,
    values: Object.values(names).map((source) => sql`${sql.id(alias, source)}`),
    names: Object.keys(names),
  };
}

/**
 * The current members of a planning source in the warehouse: for a history until they are known to have left, and for a table by account
 * only those of this account. Rows with a null are left out. `today`: the plan's day.
 */
export async function readPlanningSource(
  db: Database,
  { table, view = table.name, columns, maybe = [], newest, recent }: PlanningSource,
  { account, today }: { readonly account: string; readonly today: Day },
): Promise<readonly Scope[]> {
  const named = columns.map((column) => partOf(table, column));
  const optional = maybe.map((column) => ({
    join: sql``,
    values: [sql`coalesce(t.${sql.id(column)}::text, '')`],
    names: [column],
  }));
  const parts = [...named, ...optional];
  const names = [...parts.flatMap((part) => part.names), ...(newest === undefined ? [] : [newest])];
  const grouped = parts.flatMap((part) => part.values);
  const largest = newest === undefined ? [] : [newest];
  const selected = [...grouped, ...largest.map((column) => sql`max(t.${sql.id(column)})::text`)];
  const current = table.load.kind === "history" ? [sql`t.valid_to is null`] : [];
  const own = table.columns[accountColumn] === undefined ? [] : [sql`t.${sql.id(accountColumn)} = ${account}`];
  const young = recent === undefined ? [] : [sql`t.${sql.id(recent.column)} >= ${addDays(today, -recent.days)}::date`];
  const members = sql.join(
    [...own, ...current, ...young, ...columns.map((column) => sql`t.${sql.id(column)} is not null`)],
    sql` and `,
  );
  const { rows } = await sql<{ values: readonly (string | null)[] }>`
    select array[${sql.join(selected)}]::text[] collate "C" as values
    from   ${sql.ref(view)} as t ${sql.join(
      parts.map((part) => part.join),
      sql` `,
    )}
    where  ${members}
    group  by ${sql.join(grouped)}
    order  by 1`.execute(db);
  return rows.flatMap(({ values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length < values.length) return [];
    return [Object.fromEntries(names.map((name, index) => [name, known[index] ?? ""]))];
  });
}
