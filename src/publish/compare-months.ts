import type { PoolClient } from "pg";
import { monthsAway } from "../export/months-away.ts";
import { readParts, type TablePart } from "../export/parts-of-table.ts";
import type { Relation } from "../postgres/relations.ts";
import type { ClickHouse } from "./clickhouse.ts";
import { isUnderWay, type PublishedMonth } from "./published-months.ts";
import { noDay, partitionOf } from "./statements.ts";
import { readPartitions } from "./tables-there.ts";

/** A relation as it is in ClickHouse, and the one from which its rows are read. */
export type Source = { readonly relation: Relation; readonly read: Relation };

/** Both databases, and the months of the relation that are recorded as published. */
type Sides = {
  readonly clickHouse: ClickHouse;
  readonly client: PoolClient;
  readonly recorded: readonly PublishedMonth[];
};

/** The months of a relation in Postgres, compared with those in ClickHouse. */
type ComparedMonths = {
  /** The recorded months that are in ClickHouse. */
  readonly before: readonly PublishedMonth[];
  /** The months in Postgres. */
  readonly parts: readonly TablePart[];
  /** True for a month to be sent. */
  readonly isChanged: (part: TablePart) => boolean;
  /** True for a month of a table that retention removed and of which rows were loaded again. */
  readonly isAgain: (part: TablePart) => boolean;
  /** Recorded months of which there are no rows any more. */
  readonly gone: readonly string[];
  /** Recorded months that are not in ClickHouse, and of which retention removed rows from Postgres. */
  readonly lost: readonly string[];
};

/** Compares them. What only ClickHouse has follows from what retention removed: the record of published months may be lost. */
export async function compareMonths(
  { clickHouse, client, recorded }: Sides,
  { relation, read }: Source,
): Promise<ComparedMonths> {
  const there = await readPartitions(clickHouse, relation);
  const isThere = (month: string) => there.has(partitionOf(month));
  const away = await monthsAway(client, relation);
  const awayAt = (month: string) => away.get(`${month}-01`);
  const lacks = (digest: string | undefined, month: string) => lackingSince(digest) < (awayAt(month) ?? 0);
  const found = (await readParts(client, read, {})).filter(({ rows }) => rows > 0);
  const parts = relation.isView
    ? found.map((part) => ({ ...part, digest: lacking(part.digest, awayAt(nameOfMonth(part))) }))
    : found;
  // a month or a whole table that a person dropped in ClickHouse is published again
  const before = recorded.filter(({ month }) => isThere(month));
  const digestOf = (month: string) => before.find((one) => one.month === month)?.digest;
  // a view is always computed from the current rows: what was published before the removal has more
  const isWhole = (month: string) => relation.isView && isThere(month) && lacks(digestOf(month), month);
  const lost = recorded.filter(({ month, digest }) => !isThere(month) && !isUnderWay(digest) && lacks(digest, month));
  const gone = recorded.filter(
    ({ month }) => awayAt(month) === undefined && !parts.some((part) => nameOfMonth(part) === month),
  );
  return {
    before,
    parts,
    isChanged: (part) => digestOf(nameOfMonth(part)) !== part.digest && !isWhole(nameOfMonth(part)),
    isAgain: (part) => !relation.isView && awayAt(nameOfMonth(part)) !== undefined,
    gone: gone.map(({ month }) => month),
    lost: lost.map(({ month }) => month),
  };
}

/** The month of a part as recorded in ClickHouse. */
export function nameOfMonth({ window, where }: TablePart): string {
  return window === null ? (where === "true" ? "" : noDay) : window.from.slice(0, 7);
}

/** The digest of a month that lacks what retention removed, with the time (epoch-ms) of the last removal. */
function lacking(digest: string, removedAt: number | undefined): string {
  return removedAt === undefined ? digest : `${digest} without ${removedAt}`;
}

/** The time in such a digest; 0 if there is none: no clock is compared with that of a record. */
function lackingSince(digest: string | undefined): number {
  return Number(digest?.split(" without ")[1] ?? 0);
}
