import type { Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import { scopeKey, type Covered, type Scope } from "../core/slice.ts";
import { cellsByDay, sumOfCells, type CellCounts } from "../plan/cell-states.ts";
import { staleCells } from "../plan/stale-cells.ts";
import type { Database } from "../postgres/database.ts";
import { coverageFor, planInChunks } from "./plan-chunks.ts";
import { startsOf } from "./plan-stream.ts";
import type { SyncRequest } from "./request.ts";

/** How the cells of one dataset stand for one app and country, by day; the other parts of a scope are added up. */
export type ScopeCoverage = {
  readonly dataset: string;
  /** Null where the dataset is not about an app, or distinguishes no countries. */
  readonly store: string | null;
  readonly trackId: string | null;
  readonly country: string | null;
  readonly days: ReadonlyMap<Day, CellCounts>;
};

/**
 * The state of every cell of the portfolio that a request is about: also those that were never requested, which no table
 * holds. Sorted by dataset as they are planned, then by app and country. Writes nothing and requests nothing.
 */
export async function readScopeCoverage(
  db: Database,
  request: SyncRequest,
  settings: Settings,
): Promise<readonly ScopeCoverage[]> {
  const standings: ScopeCoverage[] = [];
  const isNamed = ({ name }: { name: string }) => request.datasets.length === 0 || request.datasets.includes(name);
  for (const start of (await startsOf(db, request, settings)).filter(({ dataset }) => isNamed(dataset))) {
    const parts: ScopeCoverage[] = [];
    for await (const { partitions, covered, plan, timingOf } of planInChunks(
      coverageFor(db, start, request.bounds.start),
      start,
    )) {
      const drafts = Map.groupBy(plan.slices, ({ scope }) => scopeKey(scope));
      for (const partition of partitions) {
        const { scope, items, fingerprint = "" } = partition;
        const key = scopeKey(scope);
        const [before, now] = [covered.get(key) ?? [], drafts.get(key) ?? []];
        const timing = timingOf(partition);
        const stale = staleCells({
          request: { ...request, timing },
          partition: { items, fingerprint },
          covered: before,
        });
        // a period is dropped as a whole, with the month in which it begins
        const ended = timing.kind === "period" ? before.map(wholeGone) : before;
        const days = cellsByDay({ items, covered: ended, stale, drafts: now, within: request.bounds });
        parts.push({ dataset: plan.dataset, ...whoOf(scope), days });
      }
    }
    const together = Map.groupBy(parts, ({ store, trackId, country }) => JSON.stringify([store, trackId, country]));
    standings.push(...[...together].sort(byKey).map(([, same]) => addedUp(same)));
  }
  return standings.filter(({ days }) => days.size > 0);
}

function wholeGone(slice: Covered): Covered {
  const isGone = slice.goneBefore !== undefined && slice.window.start < slice.goneBefore;
  return isGone ? { ...slice, goneBefore: slice.window.end } : slice;
}

function whoOf(scope: Scope): Pick<ScopeCoverage, "store" | "trackId" | "country"> {
  return { store: scope["store"] ?? null, trackId: scope["app"] ?? null, country: scope["country"] ?? null };
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function addedUp(same: readonly [ScopeCoverage, ...ScopeCoverage[]] | readonly ScopeCoverage[]): ScopeCoverage {
  const [first] = same;
  if (first === undefined) throw new Error("no coverage to add up");
  return { ...first, days: daysOf(same) };
}

/** The cells of several scopes by day. */
export function daysOf(standings: readonly Pick<ScopeCoverage, "days">[]): ReadonlyMap<Day, CellCounts> {
  const all = Map.groupBy(
    standings.flatMap(({ days }) => [...days]),
    ([day]) => day,
  );
  return new Map([...all].sort(byKey).map(([day, counts]) => [day, sumOfCells(counts.map(([, cells]) => cells))]));
}
