import { sql, type RawBuilder } from "kysely";

/** What the statements of a load are made of. */
export type Staged = {
  readonly target: RawBuilder<unknown>;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** `(select ... from unnest(...))`: the rows with their keys looked up, sorted by key. */
  readonly source: RawBuilder<unknown>;
  /** `t.scope = value and ...` for the rows that the load replaces. */
  readonly inScope: RawBuilder<unknown>;
  /** True unless a younger answer wrote the scope. */
  readonly fresh: RawBuilder<unknown>;
  readonly sliceId: RawBuilder<unknown>;
  readonly fetchedAt: RawBuilder<unknown>;
  readonly day: RawBuilder<unknown>;
};

/** `a.x, a.y` or `x, y`. */
export function list(columns: readonly string[], alias?: string): RawBuilder<unknown> {
  return sql.join(columns.map((column) => (alias === undefined ? sql.id(column) : sql.id(alias, column))));
}

/** `a.x = b.x and a.y = b.y`. */
export function equal(columns: readonly string[], a: string, b: string): RawBuilder<unknown> {
  return sql.join(
    columns.map((column) => sql`${sql.id(a, column)} = ${sql.id(b, column)}`),
    sql` and `,
  );
}

/** Insert what is new, update what differs and is not older, leave the rest alone. */
export function mergeStatement({
  target,
  columns,
  key,
  source,
  sliceId,
  fetchedAt,
  unless = {},
}: Pick<Staged, "target" | "columns" | "key" | "source" | "sliceId" | "fetchedAt"> & {
  readonly unless?: Readonly<Record<string, string>> | undefined;
}): RawBuilder<unknown> {
  const values = columns.filter((column) => !key.includes(column));
  // rows that are nothing but their key keep who brought them first, whichever answer is loaded first
  const wins =
    values.length > 0
      ? sql`(t.fetched_at is null or t.fetched_at <= ${fetchedAt}) and (${list(values, "t")}) is distinct from (${list(values, "s")})`
      : sql`(t.fetched_at, t.slice_id) > (${fetchedAt}, ${sliceId}::bigint)`;
  const set = values.map((column) => sql`${sql.id(column)} = ${sql.id("s", column)}`);
  const others = Object.entries(unless).map(([column, value]) => sql`${sql.id("t", column)} is distinct from ${value}`);
  const free = others.length > 0 ? sql.join(others, sql` and `) : sql`true`;
  return sql`
    merge into ${target} as t
    using ${source} as s
    on    ${equal(key, "t", "s")}
    when  matched and ${wins} and ${free} then
      update set ${sql.join([...set, sql`slice_id = ${sliceId}`, sql`fetched_at = ${fetchedAt}`])}
    when  not matched then
      insert (${list(columns)}, slice_id, fetched_at) values (${list(columns, "s")}, ${sliceId}, ${fetchedAt})`;
}
