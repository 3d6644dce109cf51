import type { Day } from "../core/day.ts";
import type { Library, Mark } from "./draw.ts";
import type { Ink } from "./palette.ts";
import { shortenedName } from "./words.ts";

/** A line whose end may have a label. */
type Ended = {
  readonly name: string;
  readonly ranks: ReadonlyMap<Day, number | null>;
  readonly look: { readonly ink: Ink };
};

/** Size of a label, its distance from the frame, and the least room for a name. */
const [size, beside, leastForName] = [12, 10, 70];

/** A rank, with the name of its line if there is room. */
function labelOf(rank: number, name: string, width: number): string {
  return width < leastForName ? `#${rank}` : shortenedName({ before: `#${rank} `, name, after: "" }, { width, size });
}

/** Pixels between two labels, so that they do not overlap. */
const apart = 16;

/**
 * The newest rank of each line next to the frame, at its height; none for a line that is not ranked on its newest day. `at`: the height of
 * a rank, as a share; below the ranks is the lane of days without rank. `room`: pixels right of the frame.
 */
export function endLabels(
  library: Library,
  lines: readonly Ended[],
  {
    room,
    at,
    height,
    lane,
  }: {
    readonly room: number;
    readonly at: (rank: number) => number;
    readonly height: number;
    readonly lane: number;
  },
): readonly Mark[] {
  const ends = lines
    .flatMap(({ name, ranks, look }) => {
      const rank = newest(ranks);
      return rank === null ? [] : [{ name, rank, colour: look.ink.light, y: at(rank) * height }];
    })
    .sort((a, b) => a.y - b.y);
  const places = placesOf(
    ends.map(({ y }) => y),
    height + lane / 2,
  );
  return ends.map(({ name, rank, colour, y }, index) =>
    library.text([labelOf(rank, name, room - beside)], {
      frameAnchor: "top-right",
      textAnchor: "start",
      lineAnchor: "middle",
      dx: beside,
      dy: places[index] ?? y,
      fontSize: size,
      fill: colour,
      className: "end",
    }),
  );
}

/**
 * Heights at which labels do not overlap, each as near to its own as those above it allow, and none below `most` while there is room above.
 */
function placesOf(heights: readonly number[], most: number): readonly number[] {
  const places: number[] = [];
  for (const y of heights) places.push(Math.max(y, (places.at(-1) ?? Number.NEGATIVE_INFINITY) + apart));
  let free = most;
  for (let index = places.length - 1; index >= 0; index -= 1) {
    places[index] = Math.min(places[index] ?? free, free);
    free = (places[index] ?? free) - apart;
  }
  return places;
}

/** The rank on the newest requested day; null if there was none. */
function newest(ranks: Ended["ranks"]): number | null {
  const last = [...ranks].reduce<readonly [Day, number | null] | null>(
    (latest, one) => (latest === null || one[0] > latest[0] ? one : latest),
    null,
  );
  return last?.[1] ?? null;
}
