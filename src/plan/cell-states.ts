import { addDays, daysBetween, type Day } from "../core/day.ts";
import { sliceStates, type Covered, type SliceDraft } from "../core/slice.ts";
import type { Window } from "../core/window.ts";

/**
 * How a cell (one item of a partition on one day) stands: as the newest slice that asked for it, or else `missing` (never asked for
 * and worth asking), or `stale` (answered, and to be asked for again because the source may have restated it).
 */
export const cellStates = [...sliceStates, "stale", "missing"] as const;
export type CellState = (typeof cellStates)[number];

/** Cells by state; states without cells are left out. */
export type CellCounts = Readonly<Partial<Record<CellState, number>>>;

/** What the cells of one partition are told from. */
type CellOptions = {
  /** Null where the scope says it all: then a day is one cell. */
  readonly items: readonly string[] | null;
  /** What was asked for before, oldest first. */
  readonly covered: readonly Pick<Covered, "items" | "window" | "state">[];
  /** What a plan would ask for now. */
  readonly drafts: readonly Pick<SliceDraft, "items" | "window" | "class">[];
  /** The days that are looked at; an end that is left out is open. */
  readonly within: Partial<Window>;
};

/** The cells of one partition by day, in the order of days; days of which nothing is known and nothing is wanted are left out. */
export function cellsByDay({ items, covered, drafts, within }: CellOptions): ReadonlyMap<Day, CellCounts> {
  const known = new Map<Day, Map<string, CellState>>();
  const wanted = new Set(items ?? [""]);
  for (const slice of covered) for (const at of cellsOf(slice, wanted, within)) put(known, at, () => slice.state);
  for (const draft of drafts)
    for (const at of cellsOf(draft, wanted, within))
      put(known, at, (state) => (state === undefined ? "missing" : restated(draft, state)));
  return new Map([...known].sort(([a], [b]) => (a < b ? -1 : 1)).map(([day, cells]) => [day, countsOf(cells)]));
}

/** A plan asks in whole calls: a cell that is answered for good may lie in the call that another one needs. */
function restated(draft: Pick<SliceDraft, "class">, state: CellState): CellState {
  const again = draft.class === "lookback" || draft.class === "snapshot";
  return again && (state === "loaded" || state === "empty") ? "stale" : state;
}

type At = { readonly day: Day; readonly item: string };

function* cellsOf(
  { items, window }: { readonly items: readonly string[] | null; readonly window: Window },
  wanted: ReadonlySet<string>,
  within: Partial<Window>,
): Generator<At> {
  const start = within.start !== undefined && within.start > window.start ? within.start : window.start;
  const end = within.end !== undefined && within.end < window.end ? within.end : window.end;
  const days = Math.max(0, daysBetween(start, end));
  for (let index = 0; index < days; index += 1) {
    const day = addDays(start, index);
    for (const item of items ?? [""]) if (wanted.has(item)) yield { day, item };
  }
}

function put(
  known: Map<Day, Map<string, CellState>>,
  { day, item }: At,
  state: (before: CellState | undefined) => CellState,
): void {
  const cells = known.get(day) ?? new Map<string, CellState>();
  known.set(day, cells);
  cells.set(item, state(cells.get(item)));
}

function countsOf(cells: ReadonlyMap<string, CellState>): CellCounts {
  const counts: Partial<Record<CellState, number>> = {};
  for (const state of cells.values()) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
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
