import { fail } from "../core/errors.ts";
import type { ClickHouse } from "./clickhouse.ts";
import { literal } from "./statements.ts";

/** A month of a table as last published; the month is empty if a table has none. */
export type PublishedMonth = { readonly month: string; readonly digest: string; readonly rows: string };

/** What is recorded: the months of each table that are there, and the time (epoch-ms) of the newest record of all, 0 if there is none. */
export type PublishedMonths = {
  readonly byTable: ReadonlyMap<string, readonly PublishedMonth[]>;
  readonly latest: number;
};

const table = "storehouse.published_month";
/** Stands for the digest of a month while it is swapped or removed. */
const unknown = "under way";

/** Makes the databases and the table of published months if they are missing. */
export async function prepare(clickHouse: ClickHouse): Promise<void> {
  for (const name of ["core", "ops", "mart", "storehouse"])
    await clickHouse.run(`create database if not exists ${name}`);
  await clickHouse.run(`
    create table if not exists ${table} (
      table_name String comment 'Table with its database.',
      month String comment 'YYYY-MM; empty where the table has no days; none for rows without a day.',
      digest String comment 'Digest of the rows, as Storehouse computes it in Postgres; empty where the month is gone, under way while it is swapped or removed. Of a mart that lacks rows removed by retention, with the time of their removal.',
      rows UInt64 comment 'Rows of the month.',
      published_at DateTime64(3, 'UTC') comment 'When it was published.')
    engine = ReplacingMergeTree(published_at) order by (table_name, month)
    comment 'Months of tables as Storehouse published them last.'`);
}

/**
 * Records from which Postgres the tables come, if that is not known yet. Throws `publish_of_another` if they come from another one.
 * `origin`: what no other Postgres has, and a restored one keeps.
 */
export async function checkOrigin(clickHouse: ClickHouse, origin: string): Promise<void> {
  await clickHouse.run(`
    create table if not exists storehouse.origin (migrated_at String comment 'When the first migration of the Postgres ran.')
    engine = MergeTree order by migrated_at comment 'The Postgres from which the tables come. Another one is refused.'`);
  const read = () => clickHouse.ask<{ origin: string }>("select distinct migrated_at as origin from storehouse.origin");
  if ((await read()).length === 0) await clickHouse.run(`insert into storehouse.origin values (${literal(origin)})`);
  // two that publish for the first time at the same moment find each other's record, and neither goes on
  const known = await read();
  if (known.length !== 1 || known[0]?.origin !== origin) throw fail("publish_of_another");
}

/** The record of all tables. */
export async function readPublished(clickHouse: ClickHouse): Promise<PublishedMonths> {
  const rows = await clickHouse.ask<PublishedMonth & { name: string; at: string }>(
    `select table_name as name, month, digest, toString(rows) as rows, toString(toUnixTimestamp64Milli(published_at)) as at
     from   ${table} final order by name, month`,
  );
  return {
    byTable: Map.groupBy(
      rows.filter(({ digest }) => digest !== ""),
      ({ name }) => name,
    ),
    latest: rows.reduce((last, { at }) => Math.max(last, Number(at)), 0),
  };
}

/**
 * Months recorded as unknown before a change: otherwise, after a kill, rows that are back to their old values would count as published. What
 * a digest says about removed rows stays.
 */
export function underWay(months: readonly PublishedMonth[]): readonly PublishedMonth[] {
  return months.map((one) => ({ ...one, digest: one.digest.replace(/^\w*/, unknown) }));
}

/** True for a month whose last change may not have been made. */
export function isUnderWay(digest: string): boolean {
  return digest.startsWith(unknown);
}

/** Records months of a table as published, or as gone if their digest is empty. */
export async function recordPublished(
  clickHouse: ClickHouse,
  name: string,
  { months, at }: { readonly months: readonly PublishedMonth[]; readonly at: number },
): Promise<void> {
  const published = `fromUnixTimestamp64Milli(${at}, 'UTC')`;
  const rows = months.map(
    ({ month, digest, rows: count }) =>
      `(${[literal(name), literal(month), literal(digest), count, published].join(", ")})`,
  );
  await clickHouse.run(`insert into ${table} values ${rows.join(", ")}`);
}
