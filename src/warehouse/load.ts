import { sql, type RawBuilder } from "kysely";
import type { Day } from "../core/day.ts";
import { arrayLiteral, isDimension, pgTypes } from "./column-kinds.ts";
import type { Database } from "./database.ts";
import type { Dimensions } from "./dimensions.ts";
import { historyStatements } from "./load-history.ts";
import type { Partitions } from "./partitions.ts";
import { equal, list, type Staged } from "./staged.ts";
import type { Row, Table } from "./table.ts";

/** Rows of one slice for one table. `day` is the day of observation; history rows start or end on it. */
export type Load = {
  readonly table: Table;
  readonly rows: readonly Row[];
  readonly sliceId: string;
  /** Epoch-ms at which the answer was received: an older answer never wins over a younger one. */
  readonly fetchedAt: number;
  readonly day: Day;
  /** The values of the table's `scope` columns, for `replace` and `history`: rows of this scope that are not given are gone. */
  readonly scope: Row;
  /** False when parts of the answer were not understood: then nothing is taken for gone. */
  readonly complete: boolean;
};

/** Looks up and makes what a load needs outside its transaction: keys of dimensions and partitions. */
export async function prepareLoad(load: Load, dimensions: Dimensions, partitions: Partitions): Promise<void> {
  const rows = [load.scope, ...load.rows];
  for (const [column, kind] of Object.entries(load.table.columns)) {
    if (!isDimension(kind)) continue;
    const names = rows.map((row) => row[column]).filter((name) => typeof name === "string");
    await dimensions.learn(kind, names);
  }
  if (load.table.partitioned)
    await partitions.cover(
      load.table.name,
      load.rows.map((row) => row["date_day"] as Day),
    );
}

/** Writes one load inside the caller's transaction, set-based. Rows that are there already, unchanged, are not written. */
export async function runLoad(transaction: Database, load: Load, dimensions: Dimensions): Promise<void> {
  const staged = stage(load, dimensions);
  for (const statement of statementsOf(load, staged)) await statement.execute(transaction);
}

function statementsOf(load: Load, staged: Staged): readonly RawBuilder<unknown>[] {
  const rule = load.table.load;
  if (rule.kind === "history") return historyStatements(rule.versioned, staged, load.complete);
  if (rule.kind === "replace") return replaceStatements(staged, load.complete);
  return load.rows.length > 0 ? [mergeStatement(staged)] : [];
}

/** An answer older than one that wrote the scope brings nothing back. */
function replaceStatements(staged: Staged, complete: boolean): readonly RawBuilder<unknown>[] {
  const source = sql`(select * from ${staged.source} as s where ${staged.fresh})`;
  return [...(complete ? [deleteStatement(staged)] : []), mergeStatement({ ...staged, source })];
}

/** Insert what is new, update what differs and is not older, leave the rest alone. */
function mergeStatement({ target, columns, key, source, sliceId, fetchedAt }: Staged): RawBuilder<unknown> {
  const values = columns.filter((column) => !key.includes(column));
  const differ = values.length > 0 ? sql`(${list(values, "t")}) is distinct from (${list(values, "s")})` : sql`false`;
  const set = values.map((column) => sql`${sql.id(column)} = ${sql.id("s", column)}`);
  return sql`
    merge into ${target} as t
    using ${source} as s
    on    ${equal(key, "t", "s")}
    when  matched and (t.fetched_at is null or t.fetched_at <= ${fetchedAt}) and ${differ} then
      update set ${sql.join([...set, sql`slice_id = ${sliceId}`, sql`fetched_at = ${fetchedAt}`])}
    when  not matched then
      insert (${list(columns)}, slice_id, fetched_at) values (${list(columns, "s")}, ${sliceId}, ${fetchedAt})`;
}

/** Members of the scope that the newer answer no longer names. `not in` is hashed whatever the statistics say; keys are never null. */
function deleteStatement({ target, key, source, inScope, fresh }: Staged): RawBuilder<unknown> {
  return sql`
    delete from ${target} as t
    where  ${inScope} and ${fresh} and (${list(key, "t")}) not in (select ${list(key, "s")} from ${source} as s)`;
}

function stage(load: Load, dimensions: Dimensions): Staged {
  const { table } = load;
  const columns = Object.keys(table.columns);
  const resolve = (column: string, value: Row[string] | undefined): Row[string] => {
    const kind = table.columns[column];
    return kind !== undefined && isDimension(kind) && typeof value === "string"
      ? dimensions.keyOf(kind, value)
      : (value ?? null);
  };
  const arrays = columns.map((column) => {
    const kind = table.columns[column] ?? "text";
    return sql`${arrayLiteral(
      kind,
      load.rows.map((row) => resolve(column, row[column])),
    )}::${sql.raw(pgTypes[kind])}[]`;
  });
  const scope = "scope" in table.load ? table.load.scope : [];
  const bounds = scope.map(
    (column) =>
      sql`${sql.id("t", column)} = ${resolve(column, load.scope[column])}::${sql.raw(pgTypes[table.columns[column] ?? "text"])}`,
  );
  const target = sql`${sql.id(...table.name.split("."))}`;
  const inScope = bounds.length > 0 ? sql.join(bounds, sql` and `) : sql`true`;
  const fetchedAt = sql`${new Date(load.fetchedAt).toISOString()}::timestamptz`;
  return {
    target,
    columns,
    key: table.key,
    source: sql`(select * from unnest(${sql.join(arrays)}) as s (${list(columns)}) order by ${list(table.key, "s")})`,
    inScope,
    fresh: sql`not exists (select from ${target} as t where ${inScope} and t.fetched_at > ${fetchedAt})`,
    sliceId: sql`${load.sliceId}::bigint`,
    fetchedAt,
    day: sql`${load.day}::date`,
  };
}
