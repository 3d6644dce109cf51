import type { Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import { scopeKey, type Covered, type SliceDraft } from "../core/slice.ts";
import type { Timing } from "../core/timing.ts";
import type { Window } from "../core/window.ts";
import { alikeItems } from "../plan/alike-items.ts";
import type { Partition } from "../datasets/shared/define-dataset.ts";
import { cellsByDay, sumOfCells, type CellCounts } from "../plan/cell-states.ts";
import { withoutReplaced } from "../plan/replaced-failures.ts";
import { staleCells } from "../plan/stale-cells.ts";
import type { Database } from "../postgres/database.ts";
import { groupKey, groupOf, type PartitionGroup } from "../core/partition-group.ts";
import { partitionsOf, planInChunks, type PlannedChunk } from "./plan-chunks.ts";
import { coverageFor } from "./plan-coverage.ts";
import { startsOf } from "./plan-stream.ts";
import type { SyncRequest } from "./request.ts";

/** The states of the cells of one dataset for one app and country, by day; the other parts of a scope are added up. */
export type ScopeCoverage = PartitionGroup & { readonly days: ReadonlyMap<Day, CellCounts> };

/**
 * Which cells are read. `shown`: the days to show, if they differ from the requested ones, such as a grid of a year with a history of a
 * month.
 */
export type CoverageQuestion = {
  readonly request: SyncRequest;
  readonly settings: Settings;
  readonly shown?: Partial<Window>;
  /** Includes apps and countries without a cell on these days: nothing was requested for them, or is worth requesting. */
  readonly withoutCells?: true;
};

/**
 * The state of every cell of the portfolio that a request is about: including cells that were never requested, which are in no table.
 * Sorted by dataset in planning order, then by app and country. Writes nothing and requests nothing.
 */
export async function readScopeCoverage(
  db: Database,
  { request, settings, shown = request.bounds, withoutCells }: CoverageQuestion,
): Promise<readonly ScopeCoverage[]> {
  const scopes: ScopeCoverage[] = [];
  for (const start of await namedStarts(db, request, settings)) {
    const parts: ScopeCoverage[] = [];
    const { shorten, countsOf } = createShortener();
    const coverage = coverageFor(db, start, { shown });
    // for an earlier day the newest slice may not be read, for instance if a failed slice reaches beyond it
    const within =
      shown.start === undefined && coverage.since !== undefined ? { ...shown, start: coverage.since } : shown;
    for await (const chunk of planInChunks(coverage, start, shorten)) {
      const drafts = Map.groupBy(chunk.plan.slices, ({ scope }) => scopeKey(scope));
      for (const partition of chunk.partitions) {
        const known = { counts: countsOf(partition), drafts: drafts.get(scopeKey(partition.scope)) ?? [] };
        const days = daysOfPartition({ request, within }, chunk, { partition, ...known });
        parts.push({ ...groupOf(chunk.plan.dataset, partition.scope), days });
      }
    }
    scopes.push(...[...Map.groupBy(parts, groupKey)].sort(byKey).map(([, same]) => addedUp(same)));
  }
  return withoutCells ? scopes : scopes.filter(({ days }) => days.size > 0);
}

/** Cuts partitions down to one item of each group with equal states, and keeps the size of each group. */
function createShortener() {
  const counts = new Map<Partition, readonly number[]>();
  return {
    shorten: (partition: Partition, covered: readonly Covered[]): Partition => {
      if (partition.items === null) return partition;
      const alike = alikeItems(partition.items, { covered, tracked: partition.tracked ?? [] });
      const short = { ...partition, items: alike.items };
      counts.set(short, alike.counts);
      return short;
    },
    countsOf: (partition: Partition) => counts.get(partition) ?? [],
  };
}

type Planned = {
  readonly partition: Partition;
  readonly counts: readonly number[];
  readonly drafts: readonly SliceDraft[];
};

function daysOfPartition(
  { request, within }: { readonly request: SyncRequest; readonly within: Partial<Window> },
  { covered, timingOf }: Pick<PlannedChunk, "covered" | "timingOf">,
  { partition, counts, drafts }: Planned,
): ReadonlyMap<Day, CellCounts> {
  const { scope, items, fingerprint = "" } = partition;
  const before = covered.get(scopeKey(scope)) ?? [];
  const timing = timingOf(partition);
  const stale = staleCells({ request: { ...request, timing }, partition: { items, fingerprint }, covered: before });
  return cellsByDay({ items, counts, covered: shownOf(timing, before), stale, drafts, within });
}

function shownOf({ kind }: Timing, covered: readonly Covered[]): readonly Covered[] {
  if (kind === "snapshot") return withoutReplaced(covered);
  // a period is dropped as a whole, with the month of its first day
  return kind === "period" ? covered.map(wholeGone) : covered;
}

/** The groups whose coverage a request reads, in the same order, without their cells. */
export async function readPartitionGroups(
  db: Database,
  { request, settings }: CoverageQuestion,
): Promise<readonly PartitionGroup[]> {
  return (await namedStarts(db, request, settings)).flatMap((start) => {
    const groups = partitionsOf(start).map(({ scope }) => groupOf(start.dataset.name, scope));
    return [...new Map(groups.map((group) => [groupKey(group), group]))].sort(byKey).map(([, group]) => group);
  });
}

/** What the planning of the named datasets starts from, without the datasets that they are planned from. */
async function namedStarts(db: Database, request: SyncRequest, settings: Settings) {
  const isNamed = ({ name }: { name: string }) => request.datasets.length === 0 || request.datasets.includes(name);
  return (await startsOf(db, request, settings)).filter(({ dataset }) => isNamed(dataset));
}

function wholeGone(slice: Covered): Covered {
  const isGone = slice.goneBefore !== undefined && slice.window.start < slice.goneBefore;
  return isGone ? { ...slice, goneBefore: slice.window.end } : slice;
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function addedUp(same: readonly [ScopeCoverage, ...ScopeCoverage[]] | readonly ScopeCoverage[]): ScopeCoverage {
  const [first] = same;
  if (first === undefined) throw new Error("no coverage to add up");
  if (same.length === 1) return first;
  return { ...first, days: cellsOfScopes(same) };
}

/** The cells of several scopes by day. */
export function cellsOfScopes(coverage: readonly Pick<ScopeCoverage, "days">[]): ReadonlyMap<Day, CellCounts> {
  const all = Map.groupBy(
    coverage.flatMap(({ days }) => [...days]),
    ([day]) => day,
  );
  return new Map([...all].sort(byKey).map(([day, counts]) => [day, sumOfCells(counts.map(([, cells]) => cells))]));
}
