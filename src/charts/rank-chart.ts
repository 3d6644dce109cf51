import { windowLength, type Window } from "../core/window.ts";
import { windowWords } from "./day-axis.ts";
import { isolated, picture, whole } from "./picture.ts";
import { notRequested, rankAxes, rankPlot, type RankSeries, size } from "./rank-plot.ts";
import { dark, deviceName, endLabels, rankLegend, rankLine, style } from "./rank-line.ts";

/** What a picture of ranks shows. `place` in words: the store and the country. */
export type RankChart = {
  readonly app: string;
  readonly keyword: string;
  readonly place: string;
  readonly window: Window;
  readonly series: readonly RankSeries[];
};

/**
 * A keyword's rank over time as an SVG file: 1 on top, the line broken where no rank is known, days without rank in a lane of their own, days that
 * were not requested hatched.
 */
export function rankChart({ app, keyword, place, window, series }: RankChart): string {
  const plot = rankPlot(window, series);
  const title = { before: "Rank for “", name: keyword, after: "”" };
  const subtitle = { before: "", name: app, after: ` · ${place} · ${windowWords(window)}` };
  const reported = series.map((one) => summary(one, window));
  return picture(
    {
      width: size.width,
      height: size.height,
      title,
      subtitle,
      description: `Rank in search results by day, for the keyword “${isolated(keyword)}”: ${whole(subtitle)}. ${reported.join(" ")}`,
      style,
      dark,
    },
    notRequested(plot, series),
    rankAxes(plot),
    ...series.map((one, index) => rankLine(one, plot, index)),
    endLabels(series, plot),
    rankLegend(
      series.map(({ device }) => device),
      { x: size.left, y: size.height - 22 },
    ),
  );
}

function summary({ device, ranks }: RankSeries, window: Window): string {
  const known = [...ranks.values()].filter((rank) => rank !== null).sort((a, b) => a - b);
  const requested = `requested on ${ranks.size} of ${windowLength(window)} days`;
  if (known.length === 0) return `${deviceName(device)}: ${requested}, never ranked.`;
  const middle = known[Math.floor((known.length - 1) / 2)];
  const without = ranks.size - known.length;
  return `${deviceName(device)}: ${requested}, not ranked on ${without}; best rank ${known[0]}, middle ${middle}, worst ${known.at(-1)}.`;
}
