import type pg from "pg";
import { keywordRank } from "../src/datasets/keyword-rank.ts";
import { addDays, monthStart } from "../src/core/day.ts";
import { createPartitions } from "../src/load/partitions.ts";
import type { Database } from "../src/postgres/database.ts";
import { fillFacts } from "./scale-facts.ts";
import { fillLedger, openBackfill } from "./scale-ledger.ts";
import { martQuestions, type MartQuestion } from "./scale-mart-questions.ts";
import { firstDayOf, today, type Account } from "./scale-size.ts";
import { spreadOf } from "./statistics.ts";
import { timed } from "./stopwatch.ts";

/** A small portfolio with long histories, and apps that were only seen in charts and searches. */
export type MartSize = { readonly account: Account; readonly strangers: number; readonly rounds: number };

/** What a question took, and its plan. */
type MartAnswer = MartQuestion & { readonly ms: number; readonly plan: string };

/** What was measured; `scanMs` is the time of a scan of the ranks, the unit for questions about all of them. */
export type MartFigures = {
  readonly size: MartSize;
  readonly ranks: number;
  /** Cells of a backfill that waits. */
  readonly waiting: number;
  readonly scanMs: number;
  readonly answers: readonly MartAnswer[];
};

/** Fills an empty warehouse, without gathering statistics; returns the number of ranks. */
export async function fillMarts(client: pg.Client, db: Database, { account, strangers }: MartSize): Promise<number> {
  await fillLedger(client, { account, fromApp: 0 });
  const ranks = await fillFacts(client, db, account);
  await client.query(
    `insert into core.dim_app (store, track_id, app_name) select 'ios', (9000000 + n)::text, 'Stranger ' || n from generate_series(1, $1::int) as n`,
    [strangers],
  );
  await fillOtherFacts(client, db, account);
  return ranks;
}

/** Fills an empty warehouse and measures the queries of dashboards on its marts. */
export async function measureMarts(client: pg.Client, db: Database, size: MartSize): Promise<MartFigures> {
  const { account, rounds } = size;
  const ranks = await fillMarts(client, db, size);
  const waiting = await openBackfill(client, account);
  await client.query("vacuum analyze");
  const scanMs = await medianOf(client, "select count(*), avg(rank) from core.fact_keyword_rank", rounds);
  const answers: MartAnswer[] = [];
  for (const question of martQuestions(account)) {
    const ms = await medianOf(client, question.query, rounds);
    answers.push({ ...question, ms, plan: await planOf(client, question.query) });
  }
  return { size, ranks, waiting, scanMs, answers };
}

async function medianOf(client: pg.Client, query: string, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push((await timed(() => client.query(query))).ms);
  return spreadOf(times).median;
}

async function planOf(client: pg.Client, query: string): Promise<string> {
  const { rows } = await client.query<{ "QUERY PLAN": string }>(
    `explain (analyze, costs off, timing off, summary off, buffers off) ${query}`,
  );
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

/**
 * Ratings, charts, estimates, sales and visibility of each day and country, five reviews a day and a release every two weeks; for the
 * newest months, a chart of a hundred apps and the impression shares of ten keywords; every keyword in one of ten groups.
 */
async function fillOtherFacts(client: pg.Client, db: Database, account: Account): Promise<void> {
  const [first, end] = [firstDayOf(account), addDays(today, -1)];
  const partitions = createPartitions(db);
  for (const name of [
    "app_rating",
    "category_rank",
    "download_revenue",
    "sales_metric",
    "visibility",
    "top_chart",
    "impression_share",
  ]) {
    const [ranks] = keywordRank.tables;
    if (ranks === undefined) throw new Error("there is no table of ranks");
    const months = new Set<string>();
    for (let day = first; day < end; day = addDays(day, 1)) months.add(monthStart(day));
    // without the sums of ranks, which a new month would start again
    const { sums: _, ...plain } = ranks;
    await partitions.cover({ ...plain, name: `core.fact_${name}` }, [...months] as never);
  }
  const cell = `from core.tracked_country as t, generate_series('${first}'::timestamp, '${addDays(end, -1)}', interval '1 day') as d`;
  for (const statement of [
    `core.fact_app_rating (app_key, date_day, country_key, language_code, rating, rating_count, slice_id, fetched_at) select t.app_key, d, t.country_key, '', 4, 9, 1, d ${cell}`,
    `core.fact_category_rank (app_key, date_day, country_key, device_key, category_code, chart, resolution, chart_version, ranked_at, rank, slice_id, fetched_at)
       select t.app_key, d, t.country_key, 1, c, 'FREE', 'daily', 'v1', d, 5, 1, d ${cell}, unnest('{36,6007}'::text[]) as c`,
    `core.fact_download_revenue (app_key, date_day, country_key, device_key, is_total, download_count, revenue, slice_id, fetched_at)
       select t.app_key, d, t.country_key, 0, true, 9, 1, 1, d ${cell}`,
    `core.fact_sales_metric (app_key, date_day, country_key, requested_country_key, device_key, context, is_total, is_device_total, units, slice_id, fetched_at)
       select t.app_key, d, t.country_key, 0, 0, c, false, true, 9, 1, d ${cell}, unnest('{DOWNLOAD,PAGE_VIEW}'::text[]) as c`,
    `core.fact_visibility (app_key, date_day, country_key, kind, score, slice_id, fetched_at) select t.app_key, d, t.country_key, 'history', 9, 1, d ${cell}`,
    `core.review (app_key, review_id, source, reviewed_at, country_key, language_code, rating, slice_id, fetched_at)
       select t.app_key, t.country_key || d::date::text || n, 'v2', d, t.country_key, '', n, 1, d ${cell}, generate_series(1, 5) as n`,
    `core.fact_top_chart (app_key, date_day, country_key, device_key, category_code, chart, chart_version, rank, slice_id, fetched_at)
       select a.app_key, t.date_day, t.country_key, 1, '36', 'FREE', 'v1', a.place, 1, t.date_day
       from   (select distinct t.country_key, d::date as date_day ${cell} where d >= timestamp '${end}' - interval '90 days') as t
       cross  join lateral (select app_key, row_number() over () as place
                            from   (select app_key from core.dim_app order by app_key limit 120) as m
                            order  by (m.app_key + extract(doy from t.date_day)::int) % 7, m.app_key limit 100) as a`,
    `core.fact_impression_share (keyword_key, date_day, country_key, store, device_key, share_day, app_key, impression_share, slice_id, fetched_at)
       select k.keyword_key, t.date_day, t.country_key, 'ios', 1, t.date_day, a.app_key, round(1.0 / a.app_key, 6), 1, t.date_day
       from   (select distinct t.country_key, d::date as date_day ${cell} where d >= timestamp '${end}' - interval '90 days') as t
       cross  join (select keyword_key from core.dim_keyword order by 1 limit 10) as k
       cross  join (select app_key from core.dim_app order by 1 limit 20) as a`,
    `core.grouped_keyword (group_name, keyword) select 'group ' || keyword_key % 10, keyword from core.dim_keyword`,
    `core.app_version (app_key, country_key, language_code, version_at, version, slice_id, fetched_at)
       select t.app_key, t.country_key, '', d, to_char(d, 'YY.MM.DD'), 1, d ${cell} where extract(day from d) in (1, 15)`,
  ])
    await client.query(`insert into ${statement}`);
}
