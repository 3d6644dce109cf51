import { addDays, type Day } from "../core/day.ts";
import { scopeKey, type Covered, type Scope, type SliceDraft } from "../core/slice.ts";
import type { Timing, Way } from "../core/way.ts";
import type { Window } from "../core/window.ts";
import { broadCover, isBroad } from "./broad-cover.ts";
import { cheapestCover, naivePrice, type Piece } from "./cheapest-cover.ts";
import { draft, type Part } from "./draft.ts";
import { calendarOf, type Calendar, type GapGrid } from "./gap-grid.ts";
import { askable, missingCells, sorted, type Reprocess } from "./missing.ts";
import { planPeriods } from "./plan-periods.ts";
import { planSnapshot } from "./plan-snapshot.ts";
import { unaskedCover, type KnownShapes } from "./unasked-cover.ts";

/** One partition of a dataset with the ways in which it can be fetched. */
export type PlanPartition = {
  readonly scope: Scope;
  /** What calls name by the batch; null where the scope says it all. */
  readonly items: readonly string[] | null;
  readonly fingerprint: string;
  /** True where something is known to be there: an empty answer is none. */
  readonly expected?: boolean;
  readonly ways: readonly Way[];
  /** When it is worth asking for, where that is not as for the others. */
  readonly timing?: Timing;
};

/** All that planning one dataset depends on: nothing else is read. */
export type PlanRequest = {
  readonly dataset: string;
  readonly timing: Timing;
  readonly partitions: readonly PlanPartition[];
  /** What was asked for before, oldest first, by `scopeKey`. */
  readonly covered: ReadonlyMap<string, readonly Covered[]>;
  readonly today: Day;
  /** Days asked for by hand; the dataset's own history where left out. */
  readonly bounds: Partial<Window>;
  /** Which cells that were asked for before are asked for again. */
  readonly reprocess: Reprocess;
};

/** The slices of one dataset, newest first, and what a program would pay that asks for one thing at a time. */
export type DatasetPlan = {
  readonly dataset: string;
  readonly slices: readonly SliceDraft[];
  readonly naiveCredits: number;
};

/**
 * Plans one dataset: the slices that are missing or stale, by the cheapest way. Pure; the order of partitions does not matter. Partitions
 * are planned one by one, so that any part of them can be planned alone.
 */
export function planDataset(request: PlanRequest): DatasetPlan {
  const calendars = calendarFinder(request);
  const parts = inOrder(request.partitions).map(({ partition, key }) => {
    const timing = partition.timing ?? request.timing;
    const covered = request.covered.get(key) ?? [];
    if (timing.kind === "snapshot") return planSnapshot({ request, partition, covered, timing });
    if (timing.kind === "period") return planPeriods({ request, partition, covered, timing });
    return planSeries({ request, partition, covered, timing }, calendars(timing));
  });
  const slices = newestFirst(parts.flatMap((part) => part.slices));
  return { dataset: request.dataset, slices, naiveCredits: parts.reduce((sum, part) => sum + part.naiveCredits, 0) };
}

/** Partitions with the keys of their scopes, sorted by them. */
export function inOrder<P extends { readonly scope: Scope }>(
  partitions: readonly P[],
): readonly { readonly partition: P; readonly key: string }[] {
  return partitions
    .map((partition) => ({ partition, key: scopeKey(partition.scope) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Slices by the end of their windows, the last first; otherwise in the order given. */
function newestFirst(slices: SliceDraft[]): readonly SliceDraft[] {
  return slices.sort((a, b) => (a.window.end < b.window.end ? 1 : a.window.end > b.window.end ? -1 : 0));
}

type Series = Extract<Timing, { kind: "series" }>;

/** One partition of a request with what was asked for it before. */
export type PartitionPlanning<T extends Timing> = {
  readonly request: PlanRequest;
  readonly partition: PlanPartition;
  readonly covered: readonly Covered[];
  readonly timing: T;
};

/** The days that a timing may ask for, with the covers that were looked for over them. */
type Days = { readonly calendar: Calendar; readonly shapes: KnownShapes };

/** Finds the days that a timing may ask for, worked out once for all partitions that share it. */
function calendarFinder({ today, bounds }: PlanRequest): (timing: Series) => Days {
  const found = new Map<string, Days>();
  return (timing) => {
    const window = askable(timing, today, bounds);
    const key = `${window.start} ${window.end}`;
    const known = found.get(key) ?? { calendar: calendarOf(window), shapes: new Map() };
    found.set(key, known);
    return known;
  };
}

function planSeries({ request, partition, covered, timing }: PartitionPlanning<Series>, days: Days): Part {
  const { today, reprocess } = request;
  const { ways, answered } = withoutUntracked(partition.ways, covered);
  const { items } = partition;
  const newest = addDays(today, -timing.settleDays);
  const first = (piece: Piece) => draft(request, partition, piece, piece.window.start >= newest ? "daily" : "backfill");
  const [broad] = ways.filter(isBroad);
  if (broad === undefined && items !== null && answered.length === 0 && reprocess !== "failed") {
    const { pieces, naiveCredits } = unaskedCover(sorted(items), ways, days);
    return { slices: pieces.map(first), naiveCredits };
  }
  const { calendar } = days;
  const { fresh, restated } = missingCells({ timing, items, calendar, covered: answered, today, reprocess });
  const cover = (grid: GapGrid) => (broad === undefined ? cheapestCover(grid, ways) : broadCover(grid, broad));
  const slices = [
    ...cover(fresh).map(first),
    ...cover(restated).map((piece) => draft(request, partition, piece, "lookback")),
  ];
  return { slices, naiveCredits: naivePrice(fresh, ways) + naivePrice(restated, ways) };
}

/**
 * What the account's whole list did not bring was never asked for: its days are left to other ways. While that is on record the
 * items count as not tracked, or the same list would be paid for again and again.
 */
function withoutUntracked(
  ways: readonly Way[],
  covered: readonly Covered[],
): { ways: readonly Way[]; answered: readonly Covered[] } {
  const whole = new Set(ways.filter((way) => way.tracked !== undefined).map((way) => way.operation));
  const isBarren = (slice: Covered) => slice.state === "skipped" && whole.has(slice.operation);
  if (whole.size === 0 || !covered.some(isBarren)) return { ways, answered: covered };
  const gone = new Set(covered.filter(isBarren).flatMap(({ items }) => items ?? []));
  return {
    ways: ways.map((way) =>
      way.tracked === undefined
        ? way
        : { ...way, tracked: new Set([...way.tracked].filter((item) => !gone.has(item))) },
    ),
    answered: covered.filter((slice) => !isBarren(slice)),
  };
}
