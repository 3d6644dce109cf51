import { sumOfCells, type CellCounts, type CellState } from "../plan/cell-states.ts";
import type { ScopeCoverage } from "./gaps.ts";
import { sumBy } from "../core/sum.ts";

/** States of cells without an answer: it is still to come, or it was never received. */
export const gapStates = [
  "missing",
  "failed",
  "deferred",
  "pending",
  "running",
] as const satisfies readonly CellState[];

/** The cells of one dataset, app and country in the requested states. */
export type GapLine = {
  readonly coverage: ScopeCoverage;
  readonly cells: CellCounts;
  /** Cells in any of the states. */
  readonly count: number;
  /** The first and the last day with such a cell. */
  readonly first: string;
  readonly last: string;
};

/** The part of a coverage that is in one of these states: the most cells first, then in the order of the coverage. */
export function gapLines(coverage: readonly ScopeCoverage[], states: readonly CellState[]): readonly GapLine[] {
  return coverage
    .flatMap((one): readonly GapLine[] => {
      const days = [...one.days].filter(([, cells]) => countIn(cells, states) > 0);
      const [first, last] = [days[0]?.[0], days.at(-1)?.[0]];
      if (first === undefined || last === undefined) return [];
      const cells = sumOfCells(days.map(([, counts]) => counts));
      return [{ coverage: one, cells, count: countIn(cells, states), first, last }];
    })
    .sort((a, b) => b.count - a.count);
}

function countIn(cells: CellCounts, states: readonly CellState[]): number {
  return sumBy(states, (state) => cells[state] ?? 0);
}
