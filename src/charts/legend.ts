import { hatchFill, type Library, type Mark } from "./draw.ts";
import { inks, type LineLook, type StateLook } from "./palette.ts";
import { isolated, shortened, widthOf } from "./words.ts";

/** One entry of a legend: how something looks, and what it means. */
export type LegendEntry = { readonly text: string } & (
  | { readonly kind: "line"; readonly look: LineLook }
  | { readonly kind: "hollow"; readonly looks: readonly LineLook[] }
  | { readonly kind: "state"; readonly look: StateLook }
  | { readonly kind: "area"; readonly fill: string }
  | { readonly kind: "rule" }
);

/** A legend below the frame: the height that it takes, and its marks. */
type Legend = { readonly height: number; readonly marks: (library: Library) => readonly Mark[] };

const size = 12;
const rowHeight = 22;

/** A legend of what is drawn, in rows of at most `width` pixels, the first one at the given distance below the frame. */
export function legend(
  entries: readonly LegendEntry[],
  { below, width }: { readonly below: number; readonly width: number },
): Legend {
  let [x, row] = [0, 0];
  const placed = entries.map((entry): Placed => {
    const room = sampleWidth(entry) + 8;
    const text = shortened(entry.text, (width - room) / size);
    const long = room + widthOf(text) * size;
    if (x > 0 && x + long > width) [x, row] = [0, row + 1];
    const place = { entry, text, dx: x, dy: below + row * rowHeight };
    x += long + 20;
    return place;
  });
  return {
    height: entries.length === 0 ? 0 : (row + 1) * rowHeight,
    marks: (library) => placed.flatMap((place) => [...sample(library, place), words(library, place)]),
  };
}

type Placed = { readonly entry: LegendEntry; readonly text: string; readonly dx: number; readonly dy: number };

function sampleWidth(entry: LegendEntry): number {
  if (entry.kind === "line") return 34;
  return entry.kind === "hollow" ? 12 * entry.looks.length : entry.kind === "rule" ? 6 : 16;
}

const at = { frameAnchor: "bottom-left" } as const;

function words(library: Library, { entry, text, dx, dy }: Placed): Mark {
  const place = { dx: dx + sampleWidth(entry) + 8, dy, textAnchor: "start", lineAnchor: "middle" } as const;
  return library.text([isolated(text)], {
    ...at,
    ...place,
    fontSize: size,
    fill: inks.text.light,
    className: "legend",
  });
}

function sample(library: Library, { entry, dx, dy }: Placed): readonly Mark[] {
  if (entry.kind === "line")
    return [
      stroke(library, { dx, dy, ...entry.look, stroke: entry.look.ink.light, width: 2.25 }),
      library.dot([0], { ...at, dx: dx + 17, dy, r: 4, symbol: entry.look.symbol, fill: entry.look.ink.light }),
    ];
  if (entry.kind === "hollow")
    return entry.looks.map(({ ink, symbol }, index) =>
      library.dot([0], { ...at, ...hollow, dx: dx + 5 + 12 * index, dy, symbol, stroke: ink.light }),
    );
  if (entry.kind === "state")
    return [box(library, { dx, dy, fill: entry.look.fill.light }), signOf(library, entry.look, { dx: dx + 8, dy })];
  if (entry.kind === "area") return [box(library, { dx, dy, fill: entry.fill })];
  return [stroke(library, { dx: dx - 4, dy, stroke: inks.event.light, dash: "3 3", width: 1, isUpright: true })];
}

const hollow = { r: 3, fill: "none", strokeWidth: 1.5 } as const;

type Place = { readonly dx: number; readonly dy: number };

function box(library: Library, { fill, ...place }: Place & { readonly fill: string }): Mark {
  return library.dot([0], {
    ...at,
    ...place,
    dx: place.dx + 8,
    symbol: "square",
    r: 8,
    fill,
    stroke: inks.cell.light,
    strokeWidth: 0.6,
  });
}

function signOf(library: Library, { sign, ink }: StateLook, place: Place): Mark {
  return library.text([sign], {
    ...at,
    ...place,
    textAnchor: "middle",
    lineAnchor: "middle",
    fontSize: 12,
    fontWeight: 700,
    fill: ink.light,
  });
}

type Stroke = Place & {
  readonly stroke: string;
  readonly dash: string | undefined;
  readonly width: number;
  readonly isUpright?: true;
};

function stroke(library: Library, { dx, dy, stroke: colour, dash, width, isUpright }: Stroke): Mark {
  const direction = isUpright ? { rotate: 0, length: 14, dy: dy + 7, dx: dx + 6 } : { rotate: 90, length: 34, dx, dy };
  return library.vector([0], {
    ...at,
    ...direction,
    anchor: "start",
    shape: { draw: (context, length) => (context.moveTo(0, 0), context.lineTo(0, -length)) },
    stroke: colour,
    strokeWidth: width,
    ...(dash === undefined ? {} : { strokeDasharray: dash }),
  });
}

/** The entry for hatched areas. */
export const hatchEntry = { kind: "area", fill: hatchFill, text: "no answer" } as const satisfies LegendEntry;
