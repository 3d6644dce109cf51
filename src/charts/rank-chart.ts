import type { Day } from "../core/day.ts";
import { daysOf, stretches, windowLength, type Window } from "../core/window.ts";
import type { Drawing, Library, Mark } from "./draw.ts";
import { endLabels } from "./end-labels.ts";
import { hatched } from "./hatch.ts";
import { hatchEntry, legend, type LegendEntry } from "./legend.ts";
import { inks, lineLooks, type LineLook } from "./palette.ts";
import { rankTicks } from "./rank-ticks.ts";
import { dayAxis, dayScale, middle, windowWords } from "./time.ts";
import { isolated, shortened, whole, widthOf, type NamedWords } from "./words.ts";

/**
 * A line of ranks by day: null if the day was requested and the app was not ranked; a missing day has no answer: it was not requested, or
 * its request failed.
 */
export type RankSeries = { readonly name: string; readonly ranks: ReadonlyMap<Day, number | null> };

/** Something that happened on a day, such as a release. */
type Happening = { readonly day: Day; readonly name: string };

/** What a picture of ranks shows. `title` and `subtitle` in words; `axis`: what is ranked. */
export type RankChart = {
  readonly title: NamedWords;
  readonly subtitle: NamedWords;
  readonly axis: string;
  readonly window: Window;
  /** At most as many as there are looks of lines; the rest are left out. */
  readonly series: readonly RankSeries[];
  readonly happenings?: readonly Happening[];
  readonly width?: number;
};

type Point = { readonly at: Date; readonly rank: number | null; readonly title: string };
type Line = RankSeries & { readonly look: LineLook; readonly points: readonly Point[] };

/** Height of the lane below the ranks, for days without a rank. */
const lane = 34;
/** The distance between marks: closer ones would hide the line. */
const marksApart = 22;
/** Size of the names of events, and the room between two of them. */
const [nameSize, namesApart] = [10.5, 4];
const left = 68;
/** For the names of days. */
const bottom = 38;

/**
 * Ranks over time: 1 on top, the line broken where no rank is known, days without rank in a separate lane, days without a request hatched.
 * The newest rank of each line is next to its end, unless it is not ranked there.
 */
export function rankChart({ window, series, happenings = [], width = 904, ...words }: RankChart): Drawing {
  const lines = series
    .slice(0, lineLooks.length)
    .map((one, index) => lineOf(one, window, lineLooks[index] as LineLook));
  const isNarrow = width < 600;
  const right = isNarrow ? 46 : 132;
  const gaps = stretches(daysOf(window).filter((day) => lines.every(({ ranks }) => !ranks.has(day))));
  const entries = legendOf(lines, gaps.length > 0, happenings.length > 0);
  const below = legend(entries, { below: 50, width: width - left });
  const height = (isNarrow ? 260 : 320) + below.height;
  // the names of events are above the frame
  const top = happenings.length > 0 ? 24 : 10;
  const scale = rankTicks(lines.flatMap(({ points }) => points.flatMap(({ rank }) => rank ?? [])));
  const pixelsADay = (width - left - right) / Math.max(1, windowLength(window));
  return {
    width,
    height,
    title: words.title,
    subtitle: { ...words.subtitle, after: `${words.subtitle.after} · ${windowWords(window)}` },
    description: `${words.axis} by day, ${windowWords(window)}: ${isolated(whole(words.title))}. ${lines.map((one) => summary(one, window)).join(" ")}${happeningWords(happenings)}`,
    plot: (library) => ({
      marginLeft: left,
      marginRight: right,
      marginTop: top,
      marginBottom: bottom + below.height,
      insetBottom: lane,
      x: dayScale(window),
      y: { ...scale.scale, axis: null },
      marks: [
        ...hatched(library, gaps),
        ...axes(library, { ticks: scale.ticks, axis: words.axis, isNarrow, window }),
        ...happeningMarks(library, happenings, { window, pixelsADay }),
        ...lines.flatMap((line, index) =>
          lineMarks(library, line, { every: Math.ceil(marksApart / pixelsADay), index, of: lines.length }),
        ),
        ...endLabels(library, lines, {
          room: right,
          at: scale.at,
          height: height - top - bottom - below.height - lane,
          lane,
        }),
        ...below.marks(library),
      ],
    }),
  };
}

function lineOf(one: RankSeries, window: Window, look: LineLook): Line {
  const points = daysOf(window).map((day) => {
    const rank = one.ranks.get(day);
    const state = rank === undefined ? "no answer" : rank === null ? "not ranked" : `rank ${rank}`;
    return { at: middle(day), rank: rank ?? null, title: `${one.name}, ${day}: ${state}` };
  });
  return { ...one, look, points };
}

function axes(
  library: Library,
  { ticks, axis, isNarrow, window }: { ticks: readonly number[]; axis: string; isNarrow: boolean; window: Window },
): readonly Mark[] {
  return [
    library.gridY([...ticks], { stroke: inks.grid.light, strokeOpacity: 1 }),
    // the library's own axis leaves out some of the labels of a logarithmic scale
    library.text([...ticks], { ...beside, y: (rank: number) => rank, text: String, fontSize: 11.5 }),
    dayAxis(library, window, isNarrow ? { most: 4 } : {}),
    ...(isNarrow
      ? []
      : [
          library.text([axis], {
            frameAnchor: "left",
            textAnchor: "middle",
            rotate: -90,
            dx: -56,
            fontSize: 12,
            fill: inks.soft.light,
          }),
        ]),
    library.text(["not ranked"], { ...beside, frameAnchor: "bottom-left", dy: -lane / 2, fontSize: 10.5 }),
  ];
}

/** Text next to the frame. */
const beside = { frameAnchor: "left", textAnchor: "end", lineAnchor: "middle", dx: -8, fill: inks.soft.light } as const;

function lineMarks(
  library: Library,
  { points, look, ranks, name }: Line,
  { every, index, of }: { readonly every: number; readonly index: number; readonly of: number },
): readonly Mark[] {
  const colour = look.ink.light;
  const ranked = points.filter(({ rank }) => rank !== null);
  const alone = (at: number) => points[at - 1]?.rank == null || points[at + 1]?.rank == null;
  const marked = points.filter(({ rank }, at) => rank !== null && (at % every === 0 || alone(at)));
  const unranked = [...ranks]
    .filter(([, rank]) => rank === null)
    .map(([day]) => ({ at: middle(day), title: `${name}, ${day}: not ranked` }));
  const shape = { x: "at", symbol: look.symbol } as const;
  return [
    library.line(points, {
      x: "at",
      y: (point: Point) => point.rank ?? Number.NaN,
      stroke: colour,
      strokeWidth: 2.25,
      ...(look.dash === undefined ? {} : { strokeDasharray: look.dash }),
      strokeLinecap: "round",
      className: "line",
    }),
    // the first mark is the largest: it is visible behind another one at the same place
    library.dot(marked, {
      ...shape,
      y: "rank",
      r: index === 0 ? 4.5 : 3.5,
      fill: colour,
      stroke: inks.page.light,
      strokeWidth: 1,
      className: "ranked",
    }),
    library.dot(ranked, { x: "at", y: "rank", r: 5, fill: colour, fillOpacity: 0, title: "title", className: "hover" }),
    library.dot(unranked, {
      ...shape,
      frameAnchor: "bottom",
      dy: -lane / 2 + (index - (of - 1) / 2) * Math.min(7, (lane - 10) / Math.max(1, of - 1)),
      r: 3,
      fill: "none",
      stroke: colour,
      strokeWidth: 1.5,
      title: "title",
      className: "unranked",
    }),
  ];
}

/** A rule for each, with its name if it does not overlap the one before. */
function happeningMarks(
  library: Library,
  happenings: readonly Happening[],
  { window: { start, end }, pixelsADay }: { readonly window: Window; readonly pixelsADay: number },
): readonly Mark[] {
  const shown = happenings
    .filter(({ day }) => day >= start && day < end)
    .toSorted((a, b) => (a.day < b.day ? -1 : 1))
    .map(({ day, name }) => ({ day, at: middle(day), name: shortened(name, 9) }));
  if (shown.length === 0) return [];
  let free = Number.NEGATIVE_INFINITY;
  const named = shown.filter(({ day, name }) => {
    const [at, half] = [windowLength({ start, end: day }) * pixelsADay, (widthOf(name) * nameSize) / 2];
    if (at - half < free) return false;
    free = at + half + namesApart;
    return true;
  });
  return [
    library.ruleX(shown, { x: "at", stroke: inks.event.light, strokeWidth: 1, strokeDasharray: "3 3" }),
    library.text(named, {
      x: "at",
      text: "name",
      frameAnchor: "top",
      lineAnchor: "bottom",
      dy: -4,
      fontSize: nameSize,
      className: "happening",
      fill: inks.event.light,
    }),
  ];
}

function legendOf(lines: readonly Line[], isHatched: boolean, isEvent: boolean): readonly LegendEntry[] {
  const unranked = lines.filter(({ ranks }) => [...ranks.values()].includes(null));
  return [
    ...lines.map(({ name, look }): LegendEntry => ({ kind: "line", look, text: name })),
    ...(unranked.length > 0
      ? [{ kind: "hollow", looks: unranked.map(({ look }) => look), text: "requested, not ranked" } as const]
      : []),
    ...(isHatched ? [hatchEntry] : []),
    ...(isEvent ? [{ kind: "rule", text: "release" } as const] : []),
  ];
}

function summary({ name, ranks }: RankSeries, window: Window): string {
  const known = [...ranks.values()].filter((rank) => rank !== null).sort((a, b) => a - b);
  const requested = `requested on ${ranks.size} of ${windowLength(window)} days`;
  if (known.length === 0) return `${name}: ${requested}, never ranked.`;
  const half = known[Math.floor((known.length - 1) / 2)];
  const without = ranks.size - known.length;
  return `${name}: ${requested}, not ranked on ${without}; best rank ${known[0]}, median ${half}, worst ${known.at(-1)}.`;
}

function happeningWords(happenings: readonly Happening[]): string {
  return happenings.length === 0
    ? ""
    : ` Releases: ${happenings.map(({ day, name }) => `${name} on ${day}`).join(", ")}.`;
}
