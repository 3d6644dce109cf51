import { count, countOf } from "../core/words.ts";
import { sumBy } from "../core/sum.ts";
import { addDays, weekday, type Day, latest, earliest } from "../core/day.ts";
import { windowLength, type Window } from "../core/window.ts";
import type { Drawing } from "./draw.ts";
import { hatched } from "./hatch.ts";
import { hatchEntry, legend } from "./legend.ts";
import { inks, lineLooks, type Ink } from "./palette.ts";
import { beginning, dayAxis, dayScale, windowWords } from "./time.ts";
import type { NamedWords } from "./words.ts";

/** Amounts of one kind by day; a missing day has no amount. */
type BarSeries = {
  readonly name: string;
  readonly amounts: ReadonlyMap<Day, number>;
  /** Its colour; a colour of lines if left out. */
  readonly ink?: Ink;
};

/** What a picture of amounts by day shows: stacked bars of several kinds. `axis`: what is counted. */
export type BarChart = {
  readonly title: NamedWords;
  readonly subtitle: NamedWords;
  readonly axis: string;
  readonly window: Window;
  /** From the bottom up; if there are more than colours, the rest share the last colour. */
  readonly series: readonly BarSeries[];
  readonly width?: number;
  /** Days without an answer, which are hatched: no bar has their amounts. */
  readonly unanswered?: readonly Window[];
  /** Bars of weeks that begin on Monday instead of days. */
  readonly by?: "day" | "week";
};

/** Room for the label of the axis, written upwards, and for its numbers. */
const axisRoom = 30;
const digitWidth = 6.6;

/** Amounts by day, stacked. */
export function barChart({
  title,
  subtitle,
  axis,
  window,
  series,
  unanswered = [],
  width = 904,
  by = "day",
}: BarChart): Drawing {
  const coloured = series.map((one, index) => ({
    ...one,
    fill: (one.ink ?? lineLooks[Math.min(index, lineLooks.length - 1)]?.ink ?? inks.text).light,
  }));
  const bars = coloured.flatMap(({ name, amounts, fill }) =>
    [...summed(amounts, by)].map(([day, amount]) => {
      // a week with only some days in the window is as narrow as those days
      const own = within({ start: day, end: addDays(day, by === "week" ? 7 : 1) }, window);
      return { from: beginning(own.start), to: beginning(own.end), own, day, name, amount, fill };
    }),
  );
  const entries = coloured.map(({ name, fill }) => ({ kind: "area", fill, text: name }) as const);
  const left = Math.ceil(axisRoom + digitWidth * Math.max(4, count(largest(bars)).length));
  const hatch = unanswered.length > 0 ? [hatchEntry] : [];
  const below = legend([...(series.length > 1 ? entries : []), ...hatch], { below: 50, width: width - left });
  return {
    width,
    height: (width < 600 ? 220 : 260) + below.height,
    title,
    subtitle: { ...subtitle, after: `${subtitle.after} · ${windowWords(window)}` },
    description: `${axis} by ${by}, ${windowWords(window)}. ${series.map(sumWords).join(" ")}${gapWords(unanswered)}`,
    plot: (library) => ({
      marginLeft: left,
      marginRight: 8,
      marginTop: 14,
      marginBottom: 38 + below.height,
      x: dayScale(window),
      // from zeros alone the library makes no scale
      y: { label: null, nice: true, zero: true, ...(largest(bars) === 0 ? { domain: [0, 5] } : {}) },
      marks: [
        library.gridY({ stroke: inks.grid.light, strokeOpacity: 1, ticks: 5 }),
        library.axisY({ tickSize: 0, fontSize: 11.5, fill: inks.soft.light, ticks: 5 }),
        dayAxis(library, window),
        library.text([by === "week" ? `${axis} per week` : axis], {
          frameAnchor: "left",
          rotate: -90,
          dx: 10 - left,
          fontSize: 12,
          fill: inks.soft.light,
        }),
        library.rectY(
          bars,
          library.stackY({
            x1: "from",
            x2: "to",
            insetLeft: 0.5,
            insetRight: 0.5,
            y: "amount",
            z: "name",
            fill: "fill",
            order: series.map(({ name }) => name),
            title: ({ name, own, amount }: (typeof bars)[number]) =>
              `${name}, ${windowLength(own) === 1 ? own.start : windowWords(own)}: ${count(amount)}`,
            className: "bars",
          }),
        ),
        // above the bars: that of a week may be as high as the frame
        ...hatched(library, unanswered),
        library.ruleY([0], { stroke: inks.soft.light }),
        ...below.marks(library),
      ],
    }),
  };
}

/** The highest of all bars. */
function largest(bars: readonly { readonly day: Day; readonly amount: number }[]): number {
  const sums = Map.groupBy(bars, ({ day }) => day);
  return Math.max(0, ...[...sums.values()].map((own) => sumBy(own, ({ amount }) => amount)));
}

/** The part of a window that lies within another. */
function within({ start, end }: Window, window: Window): Window {
  return { start: latest([start, window.start]), end: earliest([end, window.end]) };
}

function mondayOf(day: Day): Day {
  return addDays(day, -weekday(day));
}

/** Amounts by day, or by the Monday of their week. */
function summed(amounts: ReadonlyMap<Day, number>, by: "day" | "week"): ReadonlyMap<Day, number> {
  if (by === "day") return amounts;
  const weeks = new Map<Day, number>();
  for (const [day, amount] of amounts) {
    const monday = mondayOf(day);
    weeks.set(monday, (weeks.get(monday) ?? 0) + amount);
  }
  return weeks;
}

function gapWords(unanswered: readonly Window[]): string {
  const days = sumBy(unanswered, windowLength);
  return days === 0 ? "" : ` ${countOf(days, "day")} without an answer.`;
}

function sumWords({ name, amounts }: BarSeries): string {
  const sum = sumBy(amounts.values(), (amount) => amount);
  return `${name}: ${count(sum)}.`;
}
