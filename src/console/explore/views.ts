import { barChart } from "../../charts/bar-chart.ts";
import type { Drawing } from "../../charts/draw.ts";
import { gradeInks, lineLooks } from "../../charts/palette.ts";
import { rankChart, type RankSeries } from "../../charts/rank-chart.ts";
import type { Day } from "../../core/day.ts";
import { daysOf, stretches } from "../../core/window.ts";
import type { Database } from "../../postgres/database.ts";
import { withLiterals, type SqlFragment } from "../../postgres/sql.ts";
import type { Html } from "../html.ts";
import { picture } from "../parts/picture.ts";
import type { Choice } from "./choice.ts";
import { count } from "../../core/words.ts";
import {
  mostReviews,
  moverColumns,
  movementsOf,
  moversOf,
  chartsOf,
  ranksOf,
  releasesOf,
  reviewsOf,
  starsOf,
  type ChartRow,
  type RankRow,
} from "./statements.ts";
import { categoryNames, chartTable, moverTable, rankTable, reviewList } from "./tables.ts";

/** Days between the two ranks that movers compare. */
export const moverSpans = ["1", "7", "30", "90"] as const;

/** Rows that are downloaded, with their columns. `name`: the name of its file and in the address; `label`: the text of its button. */
type Table = {
  readonly name: string;
  readonly label: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly columns: readonly string[];
};

/** What a view shows: a drawing, the markup below it, and what can be downloaded and copied. */
export type Shown = {
  /** Null if there is nothing to draw. */
  readonly drawing: Html | null;
  readonly below: Html;
  readonly isEmpty: boolean;
  /** Everything that is drawn or listed, one file each. */
  readonly tables: readonly [Table, ...Table[]];
  /** The statements that read it, for an analyst. */
  readonly sql: string;
};

/** One of the views of Explore. */
export type View = {
  readonly name: string;
  readonly title: string;
  /** True if it is about one keyword. */
  readonly ofKeyword?: true;
  readonly read: (db: Database, choice: Choice, daysBack: number) => Promise<Shown>;
};

const ranks: View = {
  name: "ranks",
  title: "Ranks",
  ofKeyword: true,
  read: async (db, choice) => {
    const [statement, releaseStatement] = [ranksOf(choice), releasesOf(choice)];
    const { rows } = await statement.execute(db);
    const { rows: releases } = await releaseStatement.execute(db);
    const happenings = releases.map(({ release_day: day, version }) => ({ day, name: version || "release" }));
    return {
      drawing: await drawn((width) =>
        rankChart({
          title: { before: "“", name: choice.keyword, after: "”" },
          subtitle: { before: "", name: choice.app.name, after: ` · ${placeText(choice)}` },
          axis: "rank in search results",
          window: choice.window,
          series: seriesOf(rows, choice),
          happenings,
          width,
        }),
      ),
      below: rankTable(rows, releases),
      isEmpty: rows.length === 0,
      tables: [
        {
          name: "ranks",
          label: "Ranks",
          rows,
          columns: ["date_day", "app", "app_name", "keyword_rank", "ranking_state"],
        },
        { name: "releases", label: "Releases", rows: releases, columns: ["release_day", "version", "release_notes"] },
      ],
      sql: sqlOf(statement, releaseStatement),
    };
  },
};

function seriesOf(rows: readonly RankRow[], { app, competitors }: Choice): readonly RankSeries[] {
  const byApp = Map.groupBy(rows, (row) => row.app);
  return [app, ...competitors].flatMap(({ app: id, name }) => {
    const own = byApp.get(id);
    return own === undefined ? [] : [{ name, ranks: new Map(own.map((row) => [row.date_day, row.keyword_rank])) }];
  });
}

const movers: View = {
  name: "movers",
  title: "Movers",
  read: async (db, choice, daysBack) => {
    const [statement, countStatement] = [moversOf(choice, daysBack), movementsOf(choice, daysBack)];
    const { rows } = await statement.execute(db);
    const { rows: counts } = await countStatement.execute(db);
    return {
      drawing: null,
      below: moverTable(rows, counts, daysBack),
      isEmpty: counts.length === 0,
      tables: [
        {
          name: "movers",
          label: "Movers",
          rows,
          columns: moverColumns,
        },
      ],
      sql: sqlOf(statement, countStatement),
    };
  },
};

const charts: View = {
  name: "charts",
  title: "Charts",
  read: async (db, choice) => {
    const statement = chartsOf(choice);
    const { rows } = await statement.execute(db);
    const series = chartSeries(rows);
    return {
      drawing: await drawn((width) =>
        rankChart({
          title: { before: "Chart places of ", name: choice.app.name, after: "" },
          subtitle: { before: "", name: placeText(choice), after: drawnText(series.length) },
          axis: "place in the chart",
          window: choice.window,
          series,
          width,
        }),
      ),
      below: chartTable(rows),
      isEmpty: rows.length === 0,
      tables: [
        {
          name: "charts",
          label: "Places",
          rows,
          columns: ["date_day", "category", "category_code", "chart", "chart_version", "best_category_rank"],
        },
      ],
      sql: sqlOf(statement),
    };
  },
};

/** One line per chart; those with the best places first, since only some fit. */
function chartSeries(rows: readonly ChartRow[]): readonly RankSeries[] {
  const nameOf = categoryNames(rows);
  const named = Map.groupBy(rows, (row) =>
    [nameOf(row), row.chart.toLowerCase(), row.chart_version].filter((word) => word !== "").join(", "),
  );
  const best = (own: readonly ChartRow[]) =>
    Math.min(...own.map((row) => row.best_category_rank ?? Number.POSITIVE_INFINITY));
  return [...named]
    .sort(([, a], [, b]) => best(a) - best(b))
    .map(([name, own]) => ({
      name,
      ranks: new Map(own.map((row): [Day, number | null] => [row.date_day, row.best_category_rank])),
    }));
}

/** The remark for more charts than lines: the table has all. */
function drawnText(known: number): string {
  const drawn = lineLooks.length;
  return known <= drawn ? "" : ` · ${drawn} of ${known} charts, those with the best places`;
}

const stars = ["one", "two", "three", "four", "five", "no"] as const;

const reviews: View = {
  name: "reviews",
  title: "Reviews",
  read: async (db, choice) => {
    const [statement, listStatement] = [starsOf(choice), reviewsOf(choice)];
    const { rows } = await statement.execute(db);
    const { rows: list } = await listStatement.execute(db);
    const answered = new Set(rows.filter((row) => row.is_answered).map((row) => row.date_day));
    const unanswered = stretches(daysOf(choice.window).filter((day) => !answered.has(day)));
    return {
      drawing: await drawn((width) =>
        barChart({
          title: { before: "Reviews of ", name: choice.app.name, after: "" },
          subtitle: { before: "", name: placeText(choice), after: "" },
          axis: "reviews",
          by: "week",
          window: choice.window,
          unanswered,
          series: stars
            .map((star, index) => ({
              name: star === "no" ? "no stars" : `${index + 1} ${index === 0 ? "star" : "stars"}`,
              ...(gradeInks[index] === undefined ? {} : { ink: gradeInks[index] }),
              amounts: new Map(rows.map((row) => [row.date_day, row[`${star}_star_count`]])),
            }))
            // most apps have no review without stars
            .filter(({ name, amounts }) => name !== "no stars" || [...amounts.values()].some((amount) => amount > 0)),
          width,
        }),
      ),
      below: reviewList(list),
      isEmpty: rows.length === 0 && list.length === 0,
      tables: [
        {
          name: "stars",
          label: "Stars by day",
          rows,
          columns: ["date_day", "review_count", ...stars.map((star) => `${star}_star_count`), "is_answered"],
        },
        {
          name: "texts",
          label: list.length < mostReviews ? "Reviews" : `The newest ${count(mostReviews)} reviews`,
          rows: list,
          columns: ["reviewed_at", "rating", "title", "content", "reviewer_name", "version"],
        },
      ],
      sql: sqlOf(statement, listStatement),
    };
  },
};

/** The drawing as markup, so that visitors who share the rows share it as well. */
const drawn = (drawing: (width: number) => Drawing): Promise<Html> => picture(drawing, 1160);

function placeText({ country, device }: Choice): string {
  return device === "ALL" ? country : `${country}, ${device}`;
}

function sqlOf(...statements: readonly SqlFragment[]): string {
  return statements.map((statement) => `${withLiterals(statement)};`).join("\n\n");
}

/** Every view of Explore. */
export const views: readonly View[] = [ranks, movers, charts, reviews];
