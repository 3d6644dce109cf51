import { sql } from "kysely";
import type { Scope } from "../core/slice.ts";
import type { Database } from "./database.ts";
import type { Table } from "./table.ts";

/** What a dataset's table tells that other datasets are planned from: one member for each set of values that its current rows have. */
export type Finding = {
  readonly name: string;
  readonly table: Table;
  /** Columns of the table, of which a member has the values as text: `app` as store and app, a country or keyword as such, others by their name. */
  readonly columns: readonly string[];
  /** A column of which a member has the largest value as well. */
  readonly newest?: string;
};

const dimensions = {
  app: {
    join: sql`join core.dim_app as a using (app_key)`,
    values: [sql`a.store`, sql`a.track_id`],
    names: ["store", "app"],
  },
  country: {
    join: sql`join core.dim_country as c using (country_key)`,
    values: [sql`c.country_code`],
    names: ["country"],
  },
  keyword: { join: sql`join core.dim_keyword as k using (keyword_key)`, values: [sql`k.keyword`], names: ["keyword"] },
  device: { join: sql`join core.dim_device as d using (device_key)`, values: [sql`d.device_code`], names: ["device"] },
} as const;

/** The members of a finding as the warehouse has them now; those of a history only as long as they are current. Rows with a null are none. */
export async function readFound(db: Database, { table, columns, newest }: Finding): Promise<readonly Scope[]> {
  const parts = columns.map((column) => {
    const kind = table.columns[column];
    const known =
      kind === "app" || kind === "country" || kind === "keyword" || kind === "device" ? dimensions[kind] : null;
    return known ?? { join: sql``, values: [sql`t.${sql.id(column)}::text`], names: [column] };
  });
  const names = [...parts.flatMap((part) => part.names), ...(newest === undefined ? [] : [newest])];
  const grouped = parts.flatMap((part) => part.values);
  const largest = newest === undefined ? [] : [newest];
  const told = [...grouped, ...largest.map((column) => sql`max(t.${sql.id(column)})::text`)];
  const current = table.load.kind === "history" ? sql`where t.is_current` : sql``;
  const { rows } = await sql<{ values: readonly (string | null)[] }>`
    select array[${sql.join(told)}]::text[] collate "C" as values
    from   ${sql.id(...table.name.split("."))} as t ${sql.join(
      parts.map((part) => part.join),
      sql` `,
    )} ${current}
    group  by ${sql.join(grouped)}
    order  by 1`.execute(db);
  return rows.flatMap(({ values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length < values.length) return [];
    return [Object.fromEntries(names.map((name, index) => [name, known[index] ?? ""]))];
  });
}
