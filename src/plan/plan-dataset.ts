import { addDays, type Day } from "../core/day.ts";
import { scopeKey, type Covered, type CreditClass, type Scope, type SliceDraft } from "../core/slice.ts";
import { carries, daysAtSamePrice, optionCost, pagesExpected, type FetchOption } from "../core/fetch-option.ts";
import { joined, oneDay, type Window } from "../core/window.ts";
import type { Timing } from "../core/timing.ts";
import { sumBy } from "../core/sum.ts";
import { broadCover, isBroad } from "./cover/broad-cover.ts";
import { cheapestCover, naivePrice, type Piece } from "./cover/cheapest-cover.ts";
import { draft, type PlanPart } from "./draft.ts";
import { calendarOf, withoutEnds, type Calendar, type GapGrid } from "./cover/gap-grid.ts";
import { allOf, joinedCover, type JoinedPiece, type NewDays } from "./cover/joined-cover.ts";
import { requestable, missingCells, sorted } from "./missing.ts";
import { planPeriods } from "./plan-periods.ts";
import type { PlanPartition, PlanRequest, DatasetPlan, PartitionPlanning } from "./plan-request.ts";
import { planSnapshot } from "./plan-snapshot.ts";
import { unrequestedCover, type KnownShapes } from "./cover/unrequested-cover.ts";

/**
 * Plans one dataset: the slices that are missing or stale, by the cheapest fetch option. Pure; the order of partitions does not matter. Partitions
 * are planned one by one, so that any part of them can be planned alone.
 */
export function planDataset(request: PlanRequest): DatasetPlan {
  const calendars = calendarFinder(request);
  const parts = inOrder(request.partitions).map(({ partition, key }) => {
    const timing = partition.timing ?? request.timing;
    const covered = request.covered.get(key) ?? [];
    const planned = () => {
      if (timing.kind === "snapshot") return planSnapshot({ request, partition, covered, timing });
      if (timing.kind === "period") return planPeriods({ request, partition, covered, timing });
      return planSeries({ request, partition, covered, timing }, calendars(timing));
    };
    return withPages(partition, planned());
  });
  const slices = newestFirst(parts.flatMap((part) => part.slices));
  return { dataset: request.dataset, slices, naiveCredits: sumBy(parts, (part) => part.naiveCredits) };
}

/** A program that requests one thing at a time would pay for every page too. */
function withPages({ fetchOptions }: PlanPartition, part: PlanPart): PlanPart {
  if (fetchOptions.every(({ pages }) => pages === undefined)) return part;
  const credits = sumBy(part.slices, (slice) => slice.credits);
  return { ...part, naiveCredits: Math.max(part.naiveCredits, credits) };
}

/** Partitions with the keys of their scopes, sorted by them. */
export function inOrder<P extends { readonly scope: Scope }>(
  partitions: readonly P[],
): readonly { readonly partition: P; readonly key: string }[] {
  return partitions
    .map((partition) => ({ partition, key: scopeKey(partition.scope) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Slices by the end of their windows, the last first; equal ones in the given order. */
function newestFirst(slices: SliceDraft[]): readonly SliceDraft[] {
  return slices.sort((a, b) => (a.window.end < b.window.end ? 1 : a.window.end > b.window.end ? -1 : 0));
}

type Series = Extract<Timing, { kind: "series" }>;

/** The days that a timing may request, with the covers already found over them. */
type Days = { readonly calendar: Calendar; readonly shapes: KnownShapes };

/** Finds the days that a timing may request, computed once for all partitions that share it. */
function calendarFinder({ today, bounds }: PlanRequest): (timing: Series) => Days {
  const found = new Map<string, Days>();
  return (timing) => {
    const window = requestable(timing, today, bounds);
    const key = `${window.start} ${window.end}`;
    const known = found.get(key) ?? { calendar: calendarOf(window), shapes: new Map() };
    found.set(key, known);
    return known;
  };
}

function planSeries({ request, partition, covered, timing }: PartitionPlanning<Series>, days: Days): PlanPart {
  const { today, reprocess, bounds } = request;
  const { fetchOptions, answered } = withoutUntracked(partition.fetchOptions, covered);
  const { items } = partition;
  const newest = addDays(today, -timing.settleDays);
  const waiting = covered.filter(({ state }) => state === "pending" || state === "deferred");
  const classed = (piece: Piece, fresh: NewDays | null) =>
    draft(request, partition, piece, classOf({ piece, fresh }, { newest, options: fetchOptions, bounds }));
  const [broad] = fetchOptions.filter(isBroad);
  if (broad === undefined && items !== null && answered.length === 0 && reprocess !== "failed") {
    const { pieces, naiveCredits } = unrequestedCover(sorted(items), fetchOptions, days);
    return { slices: pieces.map((piece) => classed(piece, allOf(piece))), naiveCredits };
  }
  const { calendar } = days;
  const missing = missingCells({ timing, items, calendar, covered: answered, today, reprocess });
  const [fresh, restated] = withoutEnds(missing.fresh, missing.restated);
  const cover = (grid: GapGrid) => (broad === undefined ? cheapestCover(grid, fetchOptions) : broadCover(grid, broad));
  const slices = joinedCover({ fresh, restated }, cover).map(({ piece, fresh: newDays }) => ({
    ...classed(piece, newDays),
    ...longestWithWaiting(piece, waiting),
  }));
  return { slices, naiveCredits: naivePrice(fresh, fetchOptions) + naivePrice(restated, fetchOptions) };
}

type ClassOf = Pick<PlanRequest, "bounds"> & { readonly newest: Day; readonly options: readonly FetchOption[] };

/**
 * The credit class of a piece. One with the newest day and older ones is of the class of that day if it alone would cost as much: days that
 * cost nothing more must not keep it waiting. If days were named, the oldest decides: they are requested as history, in its order.
 */
function classOf({ piece, fresh }: JoinedPiece, { newest, options, bounds }: ClassOf): CreditClass {
  if (fresh === null) return "lookback";
  if (fresh.first >= newest) return "daily";
  if (fresh.last < newest || bounds.start !== undefined) return "history";
  const { option, items, window } = piece;
  const day = oneDay(newest);
  if (option.isPaged === true && option.pages === undefined) return "history";
  const others = options.filter((other) => other !== option && items.every((item) => carries(other, item)));
  const alone = [optionCost(option) * pagesExpected(option, day), ...others.map((other) => shareOf(other, items, day))];
  return optionCost(option) * pagesExpected(option, window) <= Math.min(...alone) ? "daily" : "history";
}

/** What items cost by an option on one day: their share of a call that carries as many as it may. */
function shareOf(option: FetchOption, items: readonly string[], day: Window): number {
  const cost = optionCost(option) * pagesExpected(option, day);
  return items.length === 0 ? cost : (cost * items.length) / option.maxItems;
}

/** Marks a piece that could also fetch the days of a waiting slice at the same price; nothing if no slice waits. */
function longestWithWaiting({ option, window }: Piece, waiting: readonly Covered[]): Pick<SliceDraft, "longest"> {
  const longest = daysAtSamePrice(option, window);
  const isAdjacent = (slice: Covered) =>
    slice.operation === option.operation && joined(slice.window, window, longest) !== null;
  return waiting.some(isAdjacent) ? { longest } : {};
}

/**
 * Items that the account's whole list did not contain were never requested: other fetch options request their days. While that is on record
 * the items count as not tracked; otherwise the same list would be paid for again and again.
 */
function withoutUntracked(
  fetchOptions: readonly FetchOption[],
  covered: readonly Covered[],
): { fetchOptions: readonly FetchOption[]; answered: readonly Covered[] } {
  const whole = new Set(
    fetchOptions.filter((option) => option.tracked !== undefined).map((option) => option.operation),
  );
  const isUnavailable = (slice: Covered) => slice.state === "skipped" && whole.has(slice.operation);
  if (whole.size === 0 || !covered.some(isUnavailable)) return { fetchOptions, answered: covered };
  const gone = new Set(covered.filter(isUnavailable).flatMap(({ items }) => items ?? []));
  return {
    fetchOptions: fetchOptions.map((option) =>
      option.tracked === undefined
        ? option
        : { ...option, tracked: new Set([...option.tracked].filter((item) => !gone.has(item))) },
    ),
    answered: covered.filter((slice) => !isUnavailable(slice)),
  };
}
