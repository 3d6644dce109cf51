import { addDays, type Day } from "../core/day.ts";
import type { Timing } from "../core/timing.ts";
import type { Window } from "../core/window.ts";
import type { Partition } from "../datasets/shared/define-dataset.ts";
import { coverageReader, readLastPages, type CoverageReader } from "../ledger/coverage.ts";
import type { PastWanted } from "../ledger/past-slices.ts";
import { requestable } from "../plan/missing.ts";
import { periodReach } from "../plan/plan-periods.ts";
import type { Database } from "../postgres/database.ts";
import { timingWith } from "./dataset-settings.ts";
import { partitionsOf, reprocessOf, type DatasetPlanning } from "./plan-chunks.ts";
import type { SyncRequest } from "./request.ts";

/**
 * What is read in addition to what a plan needs. `shown`: these days too, and all later ones if they have no end. `isJoined`: slices that
 * the plan need not distinguish may be read as one.
 */
type CoverageOptions = { readonly shown?: Partial<Window>; readonly isJoined?: boolean };

/** Scopes whose coverage is read together if slices are joined: a statement for each part of a plan would cost more than its rows. */
const scopesAtOnce = 200;

/** What a plan of a dataset needs to know about earlier requests. */
export function coverageFor(
  db: Database,
  planning: Omit<DatasetPlanning, "learned">,
  { shown, isJoined = false }: CoverageOptions = {},
): CoverageReader {
  const { dataset, request } = planning;
  const partitions = partitionsOf(planning);
  const timings = timingsIn(planning, partitions);
  const reach = around(timings.map((timing) => reachOf(timing, request)));
  const within = shown === undefined ? reach : around([reach, { start: shown.start ?? reach.start, end: shown.end }]);
  const finalDays = isJoined ? finalDaysOf(timings, planning) : undefined;
  const wanted = finalDays === undefined ? within : { ...within, finalDays };
  const hasItems = partitions.some(({ items }) => items !== null);
  return {
    ...coverageReader(db, dataset.name, wanted, hasItems),
    lastPages: (scopes) => readLastPages(db, dataset.name, scopes),
    ...(within.start === undefined ? {} : { since: within.start }),
    ...(finalDays === undefined ? {} : { scopesAtOnce }),
  };
}

/** The partitions of a plan whose past days are worth summarising; null if a plan needs each slice anyway. */
export function pastOf(planning: Omit<DatasetPlanning, "learned">): PastWanted | null {
  const partitions = partitionsOf(planning);
  const finalDays = finalDaysOf(timingsIn(planning, partitions), planning);
  const scopes = partitions.map(({ scope }) => scope);
  return finalDays === undefined
    ? null
    : { dataset: planning.dataset.name, scopes, finalDays, today: planning.request.today };
}

/** The timings of a dataset and of those of its partitions that have their own. */
function timingsIn(
  { dataset, request, settings }: Omit<DatasetPlanning, "learned">,
  partitions: readonly Partition[],
): readonly Timing[] {
  const own = partitions.flatMap(({ timing }) => timing ?? []);
  return [...new Set([dataset.timing, ...own])].map((timing) => timingWith(timing, settings, request.today));
}

/**
 * How many days after its last day an answer is final, for every partition. Undefined if a plan needs to know more than which days are
 * final: the newest slice of a cell, whole periods, the present state, or days that have moved since.
 */
function finalDaysOf(timings: readonly Timing[], planning: Omit<DatasetPlanning, "learned">): number | undefined {
  if (reprocessOf(planning) !== "missing" || planning.lookbackDays !== undefined) return undefined;
  let most = 0;
  for (const timing of timings) {
    if (timing.kind !== "series" || timing.moved !== undefined) return undefined;
    most = Math.max(most, timing.settleDays + timing.lookbackDays);
  }
  return most;
}

/** The smallest range of days that contains all of these; a missing end stays missing. */
function around(reaches: readonly { [End in keyof Window]?: Day | undefined }[]): Partial<Window> {
  const starts = reaches.map(({ start }) => start).sort();
  const ends = reaches.map(({ end }) => end).sort();
  const within = (days: readonly (Day | undefined)[], chosen: Day | undefined) =>
    days.includes(undefined) ? undefined : chosen;
  const [start, end] = [within(starts, starts[0]), within(ends, ends.at(-1))];
  return { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
}

/** How far back the ledger matters: a plan need not read every slice ever made. */
function reachOf(timing: Timing, { today, bounds }: SyncRequest): Partial<Window> {
  if (timing.kind === "snapshot") return { start: addDays(today, -timing.refreshDays - openFor) };
  const reach = requestable(timing, today, bounds);
  return timing.kind === "period" ? periodReach(timing.grid, reach) : reach;
}

/** Days after which an open snapshot slice no longer matters. */
const openFor = 30;
