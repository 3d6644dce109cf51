import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { fail } from "../core/errors.ts";
import type { ParquetWriter } from "../export/parquet.ts";
import { monthsAway } from "../export/months-away.ts";
import { conditionOf, from, monthColumn, readParts, type TablePart } from "../export/parts-of-table.ts";
import { writeParquet, type PartWriter } from "../export/write-part.ts";
import type { Relation } from "../postgres/relations.ts";
import { monthBatches } from "./batches.ts";
import type { ClickHouse } from "./clickhouse.ts";
import { recordPublished, type KnownMonth, type PublishedMonth } from "./published-months.ts";
import {
  countOthers,
  dropMonths,
  keepOthers,
  monthOf,
  qualifiedName,
  noDay,
  partitionOf,
  replaceMonths,
} from "./statements.ts";
import { sentAs, valuesOutOfRange, type OutOfRangeValue } from "./stored-value.ts";
import { differenceIn, sumsInClickHouse, sumsInPostgres, type RowSums } from "./sums.ts";
import { tableStatement, type TablesThere } from "./tables-there.ts";
import { sumBy } from "../core/sum.ts";

/** What became of a table: months swapped, left as they were and removed, and the rows of all that are there now. */
export type Published = {
  readonly table: string;
  readonly swapped: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly rows: number;
  /** Rows of swapped months with a value that ClickHouse has no room for, and the first of these values. */
  readonly rowsOutOfRange: number;
  readonly outOfRange: readonly OutOfRangeValue[];
};

/** What tables are published with. */
export type Publisher = {
  readonly clickHouse: ClickHouse;
  readonly writer: PartWriter & { readonly parquet: ParquetWriter };
  /** What was there when the publication began. */
  readonly there: TablesThere;
  readonly before: ReadonlyMap<string, readonly KnownMonth[]>;
  readonly now: () => number;
  /** Ends it between two batches of months. */
  readonly signal?: AbortSignal | undefined;
};

/** The table into which months are loaded before they are swapped. */
export const staging = "storehouse.staging";

/**
 * Brings the months of a table up to date: those whose rows changed are loaded apart, compared with Postgres by their sums, and swapped whole.
 * A kill on the way leaves each month as it was or as it is. Months that retention removed stay, and what is loaded of them again is added;
 * of a view they stay as they were published before, until all that it reads is there again.
 */
export async function publishTable(publisher: Publisher, relation: Relation): Promise<Published> {
  const { clickHouse, writer, signal } = publisher;
  const statement = tableStatement(publisher.there, relation);
  if (statement !== null) await clickHouse.run(statement);
  // of a table that was dropped there nothing is there, even where months are recorded
  const before = publisher.there.has(relation.name) ? (publisher.before.get(relation.name) ?? []) : [];
  const read = relation.isView ? await computed(writer, relation) : relation;
  const parts = (await readParts(writer.client, read, {})).filter(({ rows }) => rows > 0);
  const others = before.map(({ month }) => month);
  const away = others.length === 0 ? new Map<string, number>() : await monthsAway(writer.client, relation);
  const isWhole = ({ month, at }: KnownMonth) => relation.isView && at < (away.get(`${month}-01`) ?? 0);
  const isChanged = (part: TablePart) =>
    !before.some((one) => one.month === nameOfMonth(part) && (one.digest === part.digest || isWhole(one)));
  // a view is as it is computed now, and has no slices of its own
  const isAgain = (part: TablePart) =>
    !relation.isView && part.window !== null && away.has(part.window.from) && others.includes(nameOfMonth(part));
  const found: Swapped[] = [];
  const batches = monthBatches(parts, isChanged);
  if (relation.isView && batches.length > 1) await indexMonths(writer, read);
  for (const batch of batches) {
    signal?.throwIfAborted();
    found.push(await swap(publisher, { relation, read }, { batch, again: batch.filter(isAgain) }));
  }
  const gone = others.filter((month) => !parts.some((part) => nameOfMonth(part) === month) && !away.has(`${month}-01`));
  if (gone.length > 0) await remove(publisher, relation, gone);
  const changed = parts.filter(isChanged).length;
  const swapped = found.flatMap(({ months }) => months);
  const kept = before.filter(({ month }) => !gone.includes(month) && !swapped.some((one) => one.month === month));
  return {
    table: relation.name,
    swapped: changed,
    unchanged: kept.length,
    removed: gone.length,
    rows: sumBy([...kept, ...swapped], ({ rows }) => Number(rows)),
    rowsOutOfRange: sumBy(found, (one) => one.rowsOutOfRange),
    outOfRange: found.flatMap(({ outOfRange }) => outOfRange),
  };
}

/** The month of a part as ClickHouse has it recorded. */
function nameOfMonth({ window, where }: TablePart): string {
  return window === null ? (where === "true" ? "" : noDay) : window.from.slice(0, 7);
}

/** A relation as it is there, and what its rows are read from. */
type Source = { readonly relation: Relation; readonly read: Relation };

/** A view as a table of this transaction: it is read several times and computed once. */
async function computed({ client }: Pick<PartWriter, "client">, view: Relation): Promise<Relation> {
  const rows = { ...view, schema: "pg_temp", table: "published" };
  await client.query(`drop table if exists ${from(rows)}`);
  await client.query(`create temp table ${rows.table} on commit drop as select * from ${from(view)}`);
  return rows;
}

/** Each batch would read all rows otherwise. Those of a month lie together, as views compute them. */
async function indexMonths({ client }: Pick<PartWriter, "client">, rows: Relation): Promise<void> {
  const month = monthColumn(rows);
  if (month !== null)
    await client.query(
      `create index on ${from(rows)} using brin (${pg.escapeIdentifier(month)}) with (pages_per_range = 32)`,
    );
}

/** Months that were swapped, their rows with values that have no room there, and the first of these. */
type Swapped = Pick<Published, "rowsOutOfRange" | "outOfRange"> & { readonly months: readonly PublishedMonth[] };

/** Months that are swapped together; `again` are those that retention removed and of which some was loaded again. */
type Batch = { readonly batch: readonly TablePart[]; readonly again: readonly TablePart[] };

async function swap(
  { clickHouse, writer, now }: Publisher,
  { relation, read }: Source,
  { batch, again }: Batch,
): Promise<Swapped> {
  const where = conditionOf(relation, batch);
  const file = path.join(writer.work, "published.parquet");
  await writeParquet(writer, read, { where, to: file, typed: sentAs });
  const month = monthOf(relation);
  const [ours, theirs] = await both(
    sumsInPostgres(writer.client, read, { where, month }),
    load(clickHouse, relation, file).then(() =>
      sumsInClickHouse(clickHouse, { relation, table: staging, where: "1", month }),
    ),
  );
  compare(relation, batch, [ours, theirs]);
  const others = again.length === 0 ? null : await addOthers(clickHouse, relation, again.map(nameOfMonth));
  const months = batch.map((part) => {
    const name = nameOfMonth(part);
    return { month: name, digest: part.digest, rows: String(part.rows + (others?.get(partitionOf(name)) ?? 0)) };
  });
  const names = months.map((one) => one.month);
  await recordPublished(clickHouse, relation.name, { months: underWay(months), at: now() });
  await clickHouse.run(replaceMonths(relation, names, staging));
  await recordPublished(clickHouse, relation.name, { months, at: now() });
  const rowsOutOfRange = sumBy(ours.values(), ({ outOfRange }) => outOfRange);
  const outOfRange = rowsOutOfRange === 0 ? [] : await valuesOutOfRange(writer.client, read, where);
  return { months, rowsOutOfRange, outOfRange };
}

/** Adds to what was loaded what is there of these months alone, and counts it by partition. */
async function addOthers(
  clickHouse: ClickHouse,
  relation: Relation,
  months: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = await clickHouse.ask<{ part: string; rows: string }>(countOthers(relation, months, staging));
  await clickHouse.run(keepOthers(relation, months, staging));
  return new Map(found.map(({ part, rows }) => [part, Number(rows)]));
}

/**
 * Months whose record says before a change that nobody knows what is there: after a kill rows that are what they were would pass for
 * published.
 */
function underWay(months: readonly PublishedMonth[]): readonly PublishedMonth[] {
  return months.map((one) => ({ ...one, digest: "under way" }));
}

async function load(clickHouse: ClickHouse, relation: Relation, file: string): Promise<void> {
  await clickHouse.run(`create or replace table ${staging} as ${qualifiedName(relation)}`);
  await clickHouse.load(staging, createReadStream(file));
  await rm(file);
}

/** Waits for both: nothing of one is under way once the other has failed. */
async function both<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<readonly [One, Other]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

/** Throws `publish_mismatch` where a month has other sums there. */
function compare(
  relation: Relation,
  batch: readonly TablePart[],
  sums: readonly [ReadonlyMap<string, RowSums>, ReadonlyMap<string, RowSums>],
): void {
  for (const part of batch) {
    const column = differenceIn(relation, partitionOf(nameOfMonth(part)), sums);
    if (column !== null)
      throw fail("publish_mismatch", { table: relation.name, column, month: part.window?.from.slice(0, 7) });
  }
}

async function remove({ clickHouse, now }: Publisher, relation: Relation, names: readonly string[]): Promise<void> {
  const months = names.map((month) => ({ month, digest: "", rows: "0" }));
  await recordPublished(clickHouse, relation.name, { months: underWay(months), at: now() });
  await clickHouse.run(dropMonths(relation, names));
  await recordPublished(clickHouse, relation.name, { months, at: now() });
}
