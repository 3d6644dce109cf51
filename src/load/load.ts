import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import { encodeColumns, stored } from "./column-array.ts";
import { arrayLiteral, isDimension, pgTypes } from "./columns.ts";
import { countSums } from "./counted-sums.ts";
import type { Database } from "../postgres/database.ts";
import type { Dimensions } from "./dimensions.ts";
import { historyStatements } from "./history.ts";
import type { Partitions } from "./partitions.ts";
import { partNewScopes, scopeOf } from "./new-scopes.ts";
import type { Load, ReadyLoad } from "./ready-load.ts";
import { columnsIn, type ColumnValues, valuesOf } from "./row-columns.ts";
import { comparison } from "./comparisons.ts";
import { keptNote, restatement, withdrawal } from "./restatements.ts";
import {
  deletion,
  isFresh,
  isGone,
  isOfOtherSource,
  isReplaced,
  isReported,
  list,
  mergeStatement,
  removal,
  type Staged,
} from "./statements.ts";
import { isSummed } from "./sums.ts";
import { partitionColumn, rankedBy, type Row, type Table } from "./table.ts";
import { upsert, upsertInTurn } from "./upsert.ts";

/** Looks up and makes what a load needs outside its transaction: keys of dimensions and partitions. */
export async function prepareLoad(load: Load, dimensions: Dimensions, partitions: Partitions): Promise<ReadyLoad> {
  const { table, rows, columns: checked, ...rest } = load;
  const columns = checked?.rows === rows ? checked : columnsIn(table, rows);
  // no needless `await`: it would let the rows of many answers be in memory at once
  for (const [column, kind] of Object.entries(table.columns)) {
    const learning = isDimension(kind)
      ? dimensions.learn(kind, namesIn(valuesOf(columns, column), load.scope[column]))
      : null;
    if (learning !== null) await learning;
  }
  const days = new Set(table.partitioned ? (valuesOf(columns, partitionColumn(table)).values as readonly Day[]) : []);
  const covering = partitions.cover(table, days);
  if (covering !== null) await covering;
  if (table.load.kind !== "upsert")
    return { ...rest, table, rows, count: rows.length, encoded: null, sums: null, days };
  const encoded = rows.length === 0 ? null : encodeColumns(table, columns, dimensions);
  const sums = isSummed(table) ? countSums(table, columns, dimensions) : null;
  return { ...rest, table, count: rows.length, encoded, sums, rows: [], days };
}

/** Makes partitions again that another process has dropped since these loads were prepared. */
export async function coverAgain(loads: readonly ReadyLoad[], partitions: Partitions): Promise<void> {
  partitions.forget();
  for (const { table, days } of loads) await partitions.cover(table, days);
}

function namesIn({ values }: ColumnValues, scope: Row[string] | undefined): readonly string[] {
  const names = values.filter((name) => typeof name === "string");
  return typeof scope === "string" ? [...names, scope] : names;
}

/**
 * Writes loads of different slices inside the caller's transaction, set-based. Unchanged rows are not written. Rows of tables that are
 * loaded row by row are written together (with `inTurn`, the result is byte-equal to one slice after the other), and so are rows that
 * replace nothing. Other tables are updated answer by answer, in the given order.
 */
export async function runLoads(
  transaction: Database,
  loads: readonly ReadyLoad[],
  dimensions: Dimensions,
  { inTurn = false }: { readonly inTurn?: boolean } = {},
): Promise<void> {
  for (const [table, together] of Map.groupBy(loads, (load) => load.table)) {
    if (table.load.kind === "upsert") {
      const [outdated = [], others = []] = [true, false].map((is) =>
        together.filter(({ isOutdated = false }) => isOutdated === is),
      );
      await (inTurn ? upsertInTurn : upsert)(transaction, table, others);
      // the newest of them first, since each gives way to what is there
      for (const load of outdated.toReversed()) await upsert(transaction, table, [load]);
    } else if (table.load.kind === "replace" && !inTurn)
      await replace(transaction, table, { loads: together, dimensions });
    else for (const load of together) if (!isPassed(load)) await runOne(transaction, load, dimensions);
  }
}

/** True for a load that changes nothing: a later answer has confirmed or changed the history. */
function isPassed({ table, isOutdated = false }: ReadyLoad): boolean {
  return table.load.kind === "history" && isOutdated;
}

async function replace(
  transaction: Database,
  table: Table,
  { loads, dimensions }: { readonly loads: readonly ReadyLoad[]; readonly dimensions: Dimensions },
): Promise<void> {
  const { together, others } = await partNewScopes(transaction, table, { loads, dimensions });
  await upsert(transaction, table, together);
  for (const load of others) await runOne(transaction, load, dimensions);
}

async function runOne(transaction: Database, load: ReadyLoad, dimensions: Dimensions): Promise<void> {
  for (const statement of statementsOf(load, stage(load, dimensions))) await statement.execute(transaction);
}

function statementsOf(load: ReadyLoad, staged: Staged): readonly SqlFragment[] {
  const rule = load.table.load;
  if (rule.kind === "history") return historyStatements(rule.versioned, staged, load.complete);
  if (load.table.restated !== true || !load.complete || hasScope(load))
    return replaceStatements(load, staged, load.complete);
  return [keptNote(load.table, staged), ...replaceStatements({ ...load, isCut: true }, staged, false)];
}

/** True if a row is in the scope, on any day: an answer without one may come from a source that was disconnected. */
function hasScope({ table, rows, scope }: ReadyLoad): boolean {
  const columns = "scope" in table.load ? table.load.scope : [];
  const fixed = columns.filter((column) => table.columns[column] !== "day");
  return rows.some((row) => fixed.every((column) => row[column] === scope[column]));
}

/** An answer older than the one that wrote the scope restores nothing. */
function replaceStatements(
  { table, isCut = false }: Pick<Load, "table" | "isCut">,
  staged: Staged,
  complete: boolean,
): readonly SqlFragment[] {
  const fresh = { ...staged, source: sql`(select * from ${staged.source} as s where ${isFresh(staged, "s")})` };
  const onlyReported = table.load.kind === "replace" && table.load.onlyReported === true;
  // a new snapshot never mixes with members of an older one, even if invalid items make it unknown which members left
  const isLeft = complete && !onlyReported ? isGone(staged) : isReplaced(staged);
  const gone = isCut ? isDisplaced(table, staged) : isLeft;
  const mayGo = sql.join(
    [staged.inScope, isFresh(staged, "t"), ...(onlyReported ? [isReported(staged)] : [])],
    sql` and `,
  );
  const counted = comparison(table, { ...fresh, inScope: complete ? mayGo : sql`false` });
  return [
    ...(counted === null ? [] : [counted]),
    ...(table.restated === true ? [restatement(table, fresh)] : []),
    ...(table.restated === true && gone !== null ? [withdrawal(table, staged, gone)] : []),
    ...(gone === null ? [] : [onlyReported ? removal(staged, gone) : deletion(staged, gone)]),
    mergeStatement({ ...fresh, ranked: rankedBy(table) }),
  ];
}

/** Members that are deleted although pages of the answer were not read; null if there are none. */
function isDisplaced({ load }: Pick<Table, "load">, staged: Staged): SqlFragment | null {
  return load.kind !== "replace" || load.source === undefined ? null : isOfOtherSource(staged, load.source);
}

/** A load as SQL: its table, its rows, and the rows of the table that are in its scope. */
export function stage(load: ReadyLoad, dimensions: Dimensions): Staged {
  const { table } = load;
  const columns = Object.keys(table.columns);
  const arrays = Object.entries(table.columns).map(([column, kind]) => {
    const values = load.rows.map((row) => stored(kind, row[column], dimensions));
    return sql`${arrayLiteral(kind, values)}::${sql.raw(pgTypes[kind])}[]`;
  });
  const { fixed, days } = scopeOf(load, dimensions);
  const bounds = fixed.map(
    ({ column, kind, value }) => sql`${sql.id("t", column)} = ${value}::${sql.raw(pgTypes[kind])}`,
  );
  if (days !== null) {
    const day = sql.id("t", days.column);
    bounds.push(sql`${day} >= ${days.first}::date and ${day} < ${days.until}::date`);
  }
  const target = sql.ref(table.name);
  const inScope = bounds.length > 0 ? sql.join(bounds, sql` and `) : sql`true`;
  const fetchedAt = instant(load.fetchedAt);
  return {
    target,
    columns,
    key: table.key,
    source: sql`(select * from unnest(${sql.join(arrays)}) as s (${list(columns)}) order by ${list(table.key, "s")})`,
    inScope,
    daysOf: days?.column ?? null,
    fresh: sql`not exists (select from ${target} as t where ${inScope} and t.fetched_at > ${fetchedAt})`,
    sliceId: sql`${load.sliceId}::bigint`,
    fetchedAt,
    day: sql`${load.day}::date`,
  };
}
