import { addDays, type Day } from "../../core/day.ts";
import { coverPrice, type Piece } from "./cheapest-cover.ts";
import { windowLength } from "../../core/window.ts";
import type { GapGrid, GapRow } from "./gap-grid.ts";
import type { MissingCells } from "../missing.ts";

/** A piece of a cover of new and restated cells, with the oldest and the newest new day in it; null if all are restated. */
export type JoinedPiece = { readonly piece: Piece; readonly fresh: NewDays | null };

export type NewDays = { readonly first: Day; readonly last: Day };

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
    // a call of many items and days may be about days that only some of them lack
    ...first.map((piece) => ({ piece, fresh: isBlock(piece) ? newDaysIn(fresh, piece) : allOf(piece) })),
    ...again.map((piece) => ({ piece, fresh: null })),
  ];
  const isLong = (piece: Piece) => piece.option.maxDays > 1;
  if (!first.some(isLong) || !again.some(isLong)) return apart;
  const together = cover(unionOf(fresh, restated));
  if (coverPrice(together) >= coverPrice([...first, ...again])) return apart;
  return together.map((piece) => ({ piece, fresh: newDaysIn(fresh, piece) }));
}

/** The days of a piece of one item, or of items that lack the same days: its window begins and ends with a new day. */
export function allOf({ window }: Piece): NewDays {
  return { first: window.start, last: addDays(window.end, -1) };
}

/** True for a call of many items and many days. */
function isBlock({ items, window }: Piece): boolean {
  return items.length > 1 && windowLength(window) > 1;
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

function newDaysIn({ calendar, rows }: GapGrid, { items, window }: Piece): NewDays | null {
  const wanted = new Set(items);
  // a call for the scope itself names no items
  const own = rows.filter(({ item }) => wanted.size === 0 || wanted.has(item));
  const days = calendar.names.filter(
    (day, at) => day >= window.start && day < window.end && own.some(({ gaps }) => gaps[at] === 1),
  );
  const [first, last] = [days.at(0), days.at(-1)];
  return first === undefined || last === undefined ? null : { first, last };
}
