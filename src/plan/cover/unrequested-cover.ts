import { carries, type FetchOption } from "../../core/fetch-option.ts";
import { cheapestCover, naivePrice, type Piece } from "./cheapest-cover.ts";
import type { Calendar, GapGrid } from "./gap-grid.ts";

/** A cover, and what a program that requests one item at a time would pay. */
export type PricedCover = { readonly pieces: readonly Piece[]; readonly naiveCredits: number };

/** A cover with what it was made for. */
type Known = PricedCover & { readonly items: readonly string[]; readonly fetchOptions: readonly FetchOption[] };

/** Covers by the shape of their input, all over one calendar. */
export type KnownShapes = Map<string, Known>;

/**
 * The cover of items without any requested day; `items` are sorted and unique. Its shape does not depend on names, only on the number of
 * items and what may carry each: for a thousand scopes of one shape it is searched once and then renamed.
 */
export function unrequestedCover(
  items: readonly string[],
  fetchOptions: readonly FetchOption[],
  { calendar, shapes }: { readonly calendar: Calendar; readonly shapes: KnownShapes },
): PricedCover {
  const shape = shapeOf(items, fetchOptions);
  const known = shapes.get(shape);
  if (known !== undefined) return { pieces: renamed(known, items, fetchOptions), naiveCredits: known.naiveCredits };
  const gaps = new Uint8Array(calendar.days).fill(1);
  const grid: GapGrid = { calendar, rows: calendar.days === 0 ? [] : items.map((item) => ({ item, gaps })) };
  const cover = { pieces: cheapestCover(grid, fetchOptions), naiveCredits: naivePrice(grid, fetchOptions) };
  shapes.set(shape, { ...cover, items, fetchOptions });
  return cover;
}

function shapeOf(items: readonly string[], fetchOptions: readonly FetchOption[]): string {
  return fetchOptions
    .map((option) => {
      const carried = items.map((item) => (carries(option, item) ? "1" : "0")).join("");
      return [
        option.operation,
        option.credits,
        option.maxDays,
        option.maxItems,
        option.calls,
        option.tracked === undefined,
        carried,
      ];
    })
    .join(";");
}

/** The pieces with other items in place of their own. Pieces that share a list share the new one. */
function renamed(known: Known, items: readonly string[], fetchOptions: readonly FetchOption[]): readonly Piece[] {
  const place = new Map(known.items.map((item, index) => [item, index]));
  const lists = new Map<readonly string[], readonly string[]>();
  const listFor = (list: readonly string[]) => {
    const made = lists.get(list) ?? list.map((item) => items[place.get(item) ?? -1] ?? "");
    lists.set(list, made);
    return made;
  };
  const fetchOptionFor = new Map(known.fetchOptions.map((option, index) => [option, fetchOptions[index] ?? option]));
  return known.pieces.map((piece) => ({
    option: fetchOptionFor.get(piece.option) ?? piece.option,
    items: listFor(piece.items),
    window: piece.window,
  }));
}
