import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { fail } from "../core/errors.ts";
import type { ParquetWriter } from "../export/parquet.ts";
import { conditionOf, from, monthColumn, type TablePart } from "../export/parts-of-table.ts";
import { writeParquet, type PartWriter } from "../export/write-part.ts";
import type { Relation } from "../postgres/relations.ts";
import { monthBatches } from "./batches.ts";
import type { ClickHouse } from "./clickhouse.ts";
import { compareMonths, nameOfMonth, type Source } from "./compare-months.ts";
import { recordPublished, underWay, type PublishedMonth } from "./published-months.ts";
import {
  countOthers,
  dropMonths,
  keepOthers,
  monthOf,
  qualifiedName,
  partitionOf,
  replaceMonths,
} from "./statements.ts";
import { sentAs, valuesOutOfRange, type OutOfRangeValue } from "./stored-value.ts";
import { differenceIn, sumsInClickHouse, sumsInPostgres, type RowSums } from "./sums.ts";
import { tableStatement, type TablesThere } from "./tables-there.ts";
import { sumBy } from "../core/sum.ts";

/** The result for a table: months swapped, unchanged and removed, and the rows of all published months. */
export type Published = {
  readonly table: string;
  readonly swapped: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly rows: number;
  /** Months that a person dropped in ClickHouse, and of which retention removed rows from Postgres: these rows are in neither. */
  readonly lost: readonly string[];
  /** Rows of swapped months with a value out of ClickHouse's range, and the first of these values. */
  readonly rowsOutOfRange: number;
  readonly outOfRange: readonly OutOfRangeValue[];
};

/** What tables are published with. */
export type Publisher = {
  readonly clickHouse: ClickHouse;
  readonly writer: PartWriter & { readonly parquet: ParquetWriter };
  /** The tables in ClickHouse when the publication began. */
  readonly there: TablesThere;
  readonly before: ReadonlyMap<string, readonly PublishedMonth[]>;
  readonly now: () => number;
  /** Stops it between two batches of months. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the lost months of a table before anything of it is changed: what fails later does not keep them from being named. */
  readonly onLost?: (found: Pick<Published, "table" | "lost">) => void;
};

/** The table that months are loaded into before they are swapped. */
export const staging = "storehouse.staging";

/**
 * Brings the months of a table up to date: those whose rows changed are loaded separately, compared with Postgres by their sums, and
 * swapped whole. After a kill each month is in its old or its new state. Months that retention removed from a table stay, and rows of them
 * that are loaded again are added. Those of a view stay as published before the removal.
 */
export async function publishTable(publisher: Publisher, relation: Relation): Promise<Published> {
  const { clickHouse, writer, signal } = publisher;
  const statement = tableStatement(publisher.there, relation);
  if (statement !== null) await clickHouse.run(statement);
  const read = relation.isView ? await computed(writer, relation) : relation;
  const recorded = publisher.before.get(relation.name) ?? [];
  const { before, parts, isChanged, isAgain, gone, lost } = await compareMonths(
    { clickHouse, client: writer.client, recorded },
    { relation, read },
  );
  if (lost.length > 0) {
    publisher.onLost?.({ table: relation.name, lost });
    // there is nothing to drop, so this is one step
    await recordPublished(clickHouse, relation.name, { months: lost.map(asGone), at: publisher.now() });
  }
  const found: Swapped[] = [];
  const batches = monthBatches(parts, isChanged);
  if (relation.isView && batches.length > 1) await indexMonths(writer, read);
  for (const batch of batches) {
    signal?.throwIfAborted();
    found.push(await swap(publisher, { relation, read }, { batch, again: batch.filter(isAgain) }));
  }
  if (gone.length > 0) await remove(publisher, relation, gone);
  const changed = parts.filter(isChanged).length;
  const swapped = found.flatMap(({ months }) => months);
  const kept = before.filter(({ month }) => !gone.includes(month) && !swapped.some((one) => one.month === month));
  return {
    table: relation.name,
    swapped: changed,
    unchanged: kept.length,
    removed: gone.length,
    lost,
    rows: sumBy([...kept, ...swapped], ({ rows }) => Number(rows)),
    rowsOutOfRange: sumBy(found, (one) => one.rowsOutOfRange),
    outOfRange: found.flatMap(({ outOfRange }) => outOfRange),
  };
}

/** A view as a temporary table of this transaction: it is computed once and read several times. */
async function computed({ client }: Pick<PartWriter, "client">, view: Relation): Promise<Relation> {
  const rows = { ...view, schema: "pg_temp", table: "published" };
  await client.query(`drop table if exists ${from(rows)}`);
  await client.query(`create temp table ${rows.table} on commit drop as select * from ${from(view)}`);
  return rows;
}

/** Otherwise each batch would read all rows. The rows of a month are next to each other, as views compute them. */
async function indexMonths({ client }: Pick<PartWriter, "client">, rows: Relation): Promise<void> {
  const month = monthColumn(rows);
  if (month !== null)
    await client.query(
      `create index on ${from(rows)} using brin (${pg.escapeIdentifier(month)}) with (pages_per_range = 32)`,
    );
}

/** Swapped months, their rows with values out of range, and the first of these values. */
type Swapped = Pick<Published, "rowsOutOfRange" | "outOfRange"> & { readonly months: readonly PublishedMonth[] };

/** Months that are swapped together; `again` are those that retention removed and that were partly loaded again. */
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

/** Adds to the loaded rows those of these months that only ClickHouse has, and counts them by partition. */
async function addOthers(
  clickHouse: ClickHouse,
  relation: Relation,
  months: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = await clickHouse.ask<{ part: string; rows: string }>(countOthers(relation, months, staging));
  await clickHouse.run(keepOthers(relation, months, staging));
  return new Map(found.map(({ part, rows }) => [part, Number(rows)]));
}

async function load(clickHouse: ClickHouse, relation: Relation, file: string): Promise<void> {
  await clickHouse.run(`create or replace table ${staging} as ${qualifiedName(relation)}`);
  await clickHouse.load(staging, createReadStream(file));
  await rm(file);
}

/** Waits for both, so that neither is still under way after the other has failed. */
async function both<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<readonly [One, Other]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

/** Throws `publish_mismatch` if a month has different sums in ClickHouse. */
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
  const months = names.map(asGone);
  await recordPublished(clickHouse, relation.name, { months: underWay(months), at: now() });
  await clickHouse.run(dropMonths(relation, names));
  await recordPublished(clickHouse, relation.name, { months, at: now() });
}

/** The record of a month that is not in ClickHouse. */
function asGone(month: string): PublishedMonth {
  return { month, digest: "", rows: "0" };
}
