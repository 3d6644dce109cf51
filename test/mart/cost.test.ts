import { sql } from "../../src/postgres/sql.ts";
import { beforeAll, expect, test } from "vitest";
import { ranksFor } from "../../bench/ranks.ts";
import { boundsOf, keywordOf, keywordsPerAnswer, trackIdOf, type Work } from "../../bench/work.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { addDays } from "../../src/core/day.ts";
import { daysOf } from "../../src/core/window.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

/** The bench's own market, small: what is held are rows that are read, and those grow with it as they grow here. */
const work: Work = { apps: 8, countries: 1, days: 30 };
const { start, end } = boundsOf(work);
const week = `date_day >= '${addDays(end, -7)}'`;
const oneApp = `track_id = '${trackIdOf(3)}'`;

const stage = forTests(openWarehouseStage);

beforeAll(async () => {
  const [table] = keywordRank.tables;
  if (table === undefined) throw new Error("there is no table of ranks");
  for (let app = 0; app < work.apps; app += 1) {
    const keywords = Array.from({ length: keywordsPerAnswer }, (_, index) => keywordOf(app, index));
    const rows = daysOf({ start, end }).flatMap((date) =>
      ranksFor({ trackId: trackIdOf(app), country: "US", date, keywords }, false).map(({ keyword, rank }) => ({
        app_key: `android:${trackIdOf(app)}`,
        date_day: date,
        country_key: "US",
        keyword_key: keyword,
        device_key: "ALL",
        rank,
        observed_at: null,
      })),
    );
    await stage.load({ table, rows });
  }
  await sql`analyze`.execute(stage.db);
});

type Node = {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Node[];
};

/** Rows of ranks, or of other tables by their names, that a query reads, whether it uses them or not. */
async function ranksRead(query: string, tables = /^fact_keyword_rank_\d/): Promise<number> {
  const { rows } = await sql<{ "QUERY PLAN": readonly { readonly Plan: Node }[] }>`
    explain (analyze, format json, timing off) ${sql.raw(query)}`.execute(stage.db);
  const count = (node: Node): number => {
    const own = tables.test(node["Relation Name"] ?? "")
      ? (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
      : 0;
    return (node.Plans ?? []).reduce((sum, one) => sum + count(one), own);
  };
  const [plan] = rows[0]?.["QUERY PLAN"] ?? [];
  if (plan === undefined) throw new Error("no plan was reported");
  return count(plan.Plan);
}

const ofOneDay = work.apps * keywordsPerAnswer;
const all = ofOneDay * work.days;

test("the ranks of a day are one row of sums", async () => {
  const [counts] = (
    await sql<{ ranks: number; sums: number }>`
      select (select count(*)::int from core.fact_keyword_rank) as ranks, (select count(*)::int from core.fact_keyword_rank_summary) as sums`.execute(
      stage.db,
    )
  ).rows;
  expect(counts).toEqual({ ranks: all, sums: work.apps * work.days });
});

test.each([
  ["all apps and days", "select * from mart.app_overview_daily", 0],
  ["share of voice of all apps and days", "select * from mart.organic_share_of_voice_daily", 0],
  ["what releases did", "select * from mart.release_impact", 0],
  [
    "share of voice by volume, of one app's week",
    `select date_day, weighted_voice_share from mart.weighted_share_of_voice_daily where ${oneApp} and ${week}`,
    7 * keywordsPerAnswer,
  ],
  [
    "ranks of one app's week",
    `select * from mart.keyword_rank_daily where ${oneApp} and ${week}`,
    7 * keywordsPerAnswer,
  ],
  // the newest week, of which each day may have keywords of its own; a rank of 1 and of 7 days before, and those near a 30th day that is missing
  ["what moved, of all apps", "select * from mart.keyword_rank_movers", (7 + 2 + 3) * ofOneDay],
  ["what there is to win, of all apps", "select * from mart.keyword_opportunity", 7 * ofOneDay],
])("%s reads no more ranks than it returns", async (_, query, most) => {
  expect(await ranksRead(query)).toBeLessThanOrEqual(most);
});

test("a query over every rank is seen to read every rank", async () => {
  expect(await ranksRead("select avg(keyword_rank) from mart.keyword_rank_daily")).toBe(all);
});

test("the groups of a keyword are looked up, and not made of all keywords for each rank", async () => {
  await sql`insert into core.grouped_keyword select 'all', keyword from core.dim_keyword`.execute(stage.db);
  await sql`analyze core.grouped_keyword`.execute(stage.db);
  const query = `select * from mart.keyword_rank_daily where ${oneApp} and date_day = '${addDays(end, -1)}'`;
  expect(await ranksRead(query, /^grouped_keyword$/)).toBe(keywordsPerAnswer);
});
