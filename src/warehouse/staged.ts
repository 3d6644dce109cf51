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
