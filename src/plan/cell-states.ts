import { addDays, daysBetween, type Day } from "../core/day.ts";
import { sliceStates, type Covered, type SliceDraft } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import { rowFinder } from "./item-groups.ts";
import type { Cells } from "./stale-cells.ts";

/**
 * The state of a cell (one item of a partition on one day): that of the newest slice that requested it, or else `missing` (never requested
 * and worth requesting), `stale` (answered, and to be requested again; see `staleCells`), or `dropped` (answered, and its rows were dropped
 * with a month that is no longer kept).
 */
export const cellStates = [...sliceStates, "stale", "missing", "dropped"] as const;
export type CellState = (typeof cellStates)[number];

/** States in order of importance: a day, or any other group of cells, shows the first state that one of its cells has. */
export const worstFirst = [
  "failed",
  "lost",
  "missing",
  "deferred",
  "pending",
  "running",
  "stale",
  "skipped",
  "loaded",
  "dropped",
  "empty",
] as const satisfies readonly CellState[];

/** What a state means, for a legend. States with the same words are shown as one. */
export const stateWords: Readonly<Record<CellState, string>> = {
  failed: "failed",
  lost: "lost for good",
  missing: "missing, never requested",
  deferred: "waiting for credits, a budget or the API",
  pending: "pending or running",
  running: "pending or running",
  stale: "stale",
  skipped: "skipped",
  loaded: "loaded",
  dropped: "dropped by retention",
  empty: "requested, no data",
};

/** Cells by state; states without cells are left out. */
export type CellCounts = Readonly<Partial<Record<CellState, number>>>;

/** The state that a group of cells shows; null if it has no cells. */
export function worstState(cells: CellCounts | undefined): CellState | null {
  return worstFirst.find((state) => (cells?.[state] ?? 0) > 0) ?? null;
}

/** What the cells of one partition are computed from. */
type CellOptions = {
  /** Null if the scope is enough: then a day is one cell. */
  readonly items: readonly string[] | null;
  /** How many items each of them represents; one if left out. */
  readonly counts?: readonly number[];
  /** What was requested before, oldest first. */
  readonly covered: readonly Pick<Covered, "items" | "window" | "state" | "goneBefore">[];
  /** Cells that are stale if they are answered. */
  readonly stale: readonly Cells[];
  /** What a plan would request now: its cells are missing if they are not covered. */
  readonly drafts: readonly (Cells & Partial<Pick<SliceDraft, "class">>)[];
  /** The days that count; a missing end is open. */
  readonly within: Partial<Window>;
};

const code = Object.fromEntries(cellStates.map((state, index) => [state, index + 1])) as Record<CellState, number>;

/**
 * The cells of one partition by day, in the order of days. Days that were never requested and are not needed are left out. A snapshot is
 * missing today if it was never answered; otherwise its newest answer is stale.
 */
export function cellsByDay({
  items,
  counts,
  covered,
  stale,
  drafts,
  within,
}: CellOptions): ReadonlyMap<Day, CellCounts> {
  const wanted = items ?? [""];
  const span = spanOf([...covered, ...drafts], within);
  if (span === null) return new Map();
  // one byte per cell: an account has hundreds of millions
  const cells = new Uint8Array(wanted.length * span.days);
  const rowsOf = rowFinder(wanted);
  const put = ({ items: own, window }: Cells, state: (before: number, row: number) => number) => {
    const from = Math.max(0, daysBetween(span.start, window.start));
    const to = Math.min(span.days, daysBetween(span.start, window.end));
    for (const row of rowsOf(own))
      for (let at = row * span.days + from; at < row * span.days + to; at += 1) cells[at] = state(cells[at] ?? 0, row);
  };
  for (const slice of covered) {
    const state = code[slice.state];
    put(slice, () => state);
    if (slice.goneBefore !== undefined && slice.goneBefore > slice.window.start)
      put({ ...slice, window: until(slice.window, slice.goneBefore) }, () => code.dropped);
  }
  const again = new Set<number>();
  for (const one of stale)
    put(one, (before, row) => {
      if (before !== code.loaded && before !== code.empty) return before;
      again.add(row);
      return code.stale;
    });
  for (const draft of drafts)
    put(draft, (before, row) => (before === 0 && !(isSnapshot(draft) && again.has(row)) ? code.missing : before));
  return countedByDay(cells, span, counts);
}

function isSnapshot(draft: Partial<Pick<SliceDraft, "class">>): boolean {
  return draft.class === "snapshot";
}

function until({ start, end }: Window, day: Day): Window {
  return { start, end: day < end ? day : end };
}

type Span = { readonly start: Day; readonly days: number };

function spanOf(all: readonly { readonly window: Window }[], within: Partial<Window>): Span | null {
  let [start, end]: [Day | undefined, Day | undefined] = [undefined, undefined];
  for (const { window } of all) {
    if (start === undefined || window.start < start) start = window.start;
    if (end === undefined || window.end > end) end = window.end;
  }
  if (start === undefined || end === undefined) return null;
  if (within.start !== undefined && within.start > start) start = within.start;
  if (within.end !== undefined && within.end < end) end = within.end;
  return start < end ? { start, days: daysBetween(start, end) } : null;
}

function countedByDay(
  cells: Uint8Array,
  { start, days }: Span,
  weights: readonly number[] = [],
): ReadonlyMap<Day, CellCounts> {
  const width = cellStates.length + 1;
  const counts = new Uint32Array(days * width);
  for (let first = 0, row = 0; first < cells.length; first += days, row += 1) {
    const weight = weights[row] ?? 1;
    for (let day = 0; day < days; day += 1) {
      const slot = day * width + (cells[first + day] ?? 0);
      counts[slot] = (counts[slot] ?? 0) + weight;
    }
  }
  const byDay = new Map<Day, CellCounts>();
  for (let day = 0; day < days; day += 1) {
    const known = cellStates.flatMap((state, index) => {
      const count = counts[day * width + index + 1] ?? 0;
      return count === 0 ? [] : [[state, count] as const];
    });
    if (known.length > 0) byDay.set(addDays(start, day), Object.fromEntries(known));
  }
  return byDay;
}

/** Several counts as one. */
export function sumOfCells(all: Iterable<CellCounts>): CellCounts {
  const sum: Partial<Record<CellState, number>> = {};
  for (const counts of all)
    for (const state of cellStates) {
      const more = counts[state] ?? 0;
      if (more > 0) sum[state] = (sum[state] ?? 0) + more;
    }
  return sum;
}
