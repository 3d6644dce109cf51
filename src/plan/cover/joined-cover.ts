import type { Day } from "../../core/day.ts";
import { coverPrice, type Piece } from "./cheapest-cover.ts";
import type { GapGrid, GapRow } from "./gap-grid.ts";
import type { MissingCells } from "../missing.ts";

/** A piece of a cover of new and restated cells; `firstNew` is the oldest new day in it, null if all are restated. */
export type JoinedPiece = { readonly piece: Piece; readonly firstNew: Day | null };

/**
 * The calls for new and restated cells: together if one call for both costs less, otherwise separately, so that new cells need not wait for
 * restated ones.
 */
export function joinedCover(
  { fresh, restated }: MissingCells,
  cover: (grid: GapGrid) => readonly Piece[],
): readonly JoinedPiece[] {
  const [first, again] = [cover(fresh), cover(restated)];
  const apart = [
    ...first.map((piece) => ({ piece, firstNew: piece.window.start })),
    ...again.map((piece) => ({ piece, firstNew: null })),
  ];
  const isLong = (piece: Piece) => piece.option.maxDays > 1;
  if (!first.some(isLong) || !again.some(isLong)) return apart;
  const together = cover(unionOf(fresh, restated));
  if (coverPrice(together) >= coverPrice([...first, ...again])) return apart;
  return together.map((piece) => ({ piece, firstNew: firstDayIn(fresh, piece) }));
}

function unionOf(a: GapGrid, b: GapGrid): GapGrid {
  const rows = Map.groupBy([...a.rows, ...b.rows], ({ item }) => item);
  return {
    calendar: a.calendar,
    rows: [...rows]
      .sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0))
      .map(([item, same]) => ({ item, gaps: anyOf(same, a.calendar.days) })),
  };
}

function anyOf(rows: readonly GapRow[], days: number): Uint8Array {
  const any = new Uint8Array(days);
  for (const { gaps } of rows) for (let day = 0; day < days; day += 1) any[day] = (any[day] ?? 0) | (gaps[day] ?? 0);
  return any;
}

function firstDayIn({ calendar, rows }: GapGrid, { items, window }: Piece): Day | null {
  const wanted = new Set(items);
  // a call for the scope itself names no items
  const own = rows.filter(({ item }) => wanted.size === 0 || wanted.has(item));
  const index = calendar.names.findIndex(
    (day, at) => day >= window.start && day < window.end && own.some(({ gaps }) => gaps[at] === 1),
  );
  return calendar.names[index] ?? null;
}
