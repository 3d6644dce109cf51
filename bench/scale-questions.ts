import type pg from "pg";
import type { Settings } from "../src/config/settings.ts";
import { readCells, readRows } from "../src/console/grid/read-grid.ts";
import { addDays } from "../src/core/day.ts";
import { readStatus } from "../src/ledger/status.ts";
import { latestRuns } from "../src/ledger/run-list.ts";
import { readNeverRequested } from "../src/planner/earlier-gaps.ts";
import { readScopeCoverage } from "../src/planner/gaps.ts";
import { planChunks } from "../src/planner/plan-stream.ts";
import type { Database } from "../src/postgres/database.ts";
import { firstDayOf, today, type Account } from "./scale-size.ts";
import { spreadOf } from "./statistics.ts";
import { timed } from "./stopwatch.ts";

/** How a time grows: with slices, with the portfolio, with the rows of the facts, or not at all (the data of one app). */
export type Growth = "slices" | "account" | "rows" | "none";

/** A question and the median time of its answer. */
export type Answered = { readonly name: string; readonly ms: number; readonly growth: Growth };

type Question = { readonly name: string; readonly growth: Growth; readonly ask: () => Promise<unknown> };

/** Runs each question `rounds` times and keeps the median. */
export async function answer(questions: readonly Question[], rounds: number): Promise<readonly Answered[]> {
  const answered: Answered[] = [];
  for (const { name, growth, ask } of questions) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push((await timed(ask)).ms);
    answered.push({ name, growth, ms: spreadOf(times).median });
  }
  return answered;
}

const app = "1000000";

/** What the planner and the operator's commands read from the ledger. */
export function ledgerQuestions(db: Database, settings: Settings, account: Account): readonly Question[] {
  const request = (start?: string, only = {}) =>
    ({
      datasets: ["keyword_rank"],
      bounds: start === undefined ? {} : { start: firstDayOf(account) },
      today,
      only,
    }) as const;
  const plan = async (start?: string) => {
    for await (const chunk of planChunks(db, request(start), settings, true)) void chunk;
  };
  const month = addDays(today, -30);
  return [
    { name: "plan a night, 30 days of history", growth: "account", ask: () => plan() },
    { name: "plan a night, all days of history", growth: "slices", ask: () => plan("all") },
    { name: "`status`", growth: "slices", ask: () => readStatus(db) },
    { name: "`runs`", growth: "account", ask: () => latestRuns(db, 20) },
    {
      name: "`gaps --app`, 30 days",
      growth: "account",
      ask: () => readScopeCoverage(db, { request: request(undefined, { apps: [app] }), settings }),
    },
    {
      name: "`gaps --app`, all days",
      growth: "account",
      ask: () => readScopeCoverage(db, { request: request("all", { apps: [app] }), settings }),
    },
    {
      name: "`gaps`, every app, 30 days",
      growth: "account",
      ask: () => readScopeCoverage(db, { request: request(), settings }),
    },
    {
      name: "days that no sync reaches, for Today",
      growth: "slices",
      ask: () => readNeverRequested(db, settings, today),
    },
    {
      name: "the console opens a year of the grid of coverage",
      growth: "account",
      ask: async () => {
        const grid = { config: { settings }, clock: { today: () => today } };
        const rows = await readRows(grid, db, []);
        const year = { start: addDays(today, -364), end: addDays(today, 1) };
        return readCells(grid, db, { groups: rows.slice(0, 33), window: year, width: "week" });
      },
    },
    view(
      db,
      "`ops.coverage_daily`, an app, 30 days",
      "none",
      `coverage_daily where track_id = '${app}' and date_day >= '${month}'`,
    ),
    view(
      db,
      "`ops.coverage_daily`, an app and country, a year",
      "none",
      `coverage_daily where dataset = 'keyword_rank' and track_id = '${app}' and country_code = 'US' and date_day >= '${addDays(today, -365)}'`,
    ),
    view(
      db,
      "`ops.slice_status`, an app, a week",
      "none",
      `slice_status where dataset = 'keyword_rank' and track_id = '${app}' and first_day >= '${addDays(today, -8)}'`,
    ),
    view(db, "`ops.freshness`, an app", "none", `freshness where track_id = '${app}'`),
    view(db, "`ops.freshness`, every app", "slices", "freshness"),
    view(db, "`ops.credit_spend_daily`, 30 days", "account", `credit_spend_daily where date_day >= '${month}'`),
  ];
}

function view(db: Database, name: string, growth: Growth, from: string): Question {
  return {
    name,
    growth,
    // selects every column, as a tool would
    ask: () =>
      db
        .connection()
        .execute((connection) =>
          connection.run(
            `select v.* from ops.${from.replace(" where", " as v where")}${from.includes("where") ? "" : " as v"}`,
            [],
          ),
        ),
  };
}

/** What an analyst queries in the facts. */
export function analystQuestions(client: pg.Client): readonly Question[] {
  const ask = (name: string, growth: Growth, text: string) => ({ name, growth, ask: () => client.query(text) });
  const of = `mart.keyword_rank_daily where store = 'ios' and track_id = '${app}'`;
  return [
    ask(
      "one keyword, a year",
      "none",
      `select date_day, keyword_rank from ${of} and country_code = 'US' and keyword = 'app 0 keyword 0001' and date_day >= '${addDays(today, -365)}'`,
    ),
    ask(
      "all keywords of an app and country on one day",
      "none",
      `select keyword, keyword_rank from ${of} and country_code = 'US' and date_day = '${addDays(today, -2)}'`,
    ),
    ask(
      "top ten of an app by country and month, two years",
      "none",
      `select country_code, date_trunc('month', date_day::timestamp), count(*) from ${of} and keyword_rank <= 10 group by 1, 2`,
    ),
    ask(
      "movers of an app in a week",
      "none",
      `select * from mart.keyword_rank_movers where store = 'ios' and track_id = '${app}' and days_back = 7 order by places_gained desc limit 20`,
    ),
    ask(
      "ranked keywords of every app on one day",
      "rows",
      `select app_key, count(rank) from core.fact_keyword_rank where date_day = '${addDays(today, -2)}' group by 1`,
    ),
    ask(
      "average rank of every app in a month",
      "rows",
      `select app_key, avg(rank) from core.fact_keyword_rank where date_day >= '2026-07-01' and date_day < '2026-08-01' group by 1`,
    ),
  ];
}
