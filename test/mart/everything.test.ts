import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { table, type Cell } from "../../src/cli/table.ts";
import { martExamples } from "../../src/docs/mart-examples.ts";
import { martAnswers } from "../../src/docs/marts-page.ts";
import { everythingShow } from "../../src/demo/shows.ts";
import { openStage, type Stage } from "../support/ingest-stage.ts";

/** Marts without an example: what others are made of, and what is empty once everything is loaded. */
const partsAndGaps = ["search_ads_daily", "keyword_not_requested_daily"];
const marts = [...martExamples.map(({ mart }) => mart), ...partsAndGaps];

const zones = ["UTC", "Pacific/Kiritimati"] as const;

let stage: Stage;
let readers: readonly pg.Client[];

beforeAll(async () => {
  const { today, market, settings, bounds, datasets } = everythingShow;
  stage = await openStage({ today, market });
  await stage.sync({ settings, request: { datasets, bounds, today } });
  readers = zones.map((zone) => new pg.Client({ connectionString: stage.databaseUrl, options: `-c TimeZone=${zone}` }));
  for (const reader of readers) await reader.connect();
}, 240_000);
afterAll(async () => {
  for (const reader of readers) await reader.end();
  await stage[Symbol.asyncDispose]();
});

test("every mart has an example, is what one is made of or lists gaps, and there is no other", async () => {
  const made = await stage.query("select viewname as name from pg_catalog.pg_views where schemaname = 'mart'");
  expect(made.map(({ name }) => name).sort()).toEqual([...marts].sort());
});

test.each(marts)("%s has rows once everything is loaded, the same in every zone", async (name) => {
  const query = `
    select count(*)::int as rows, md5(string_agg(t.told, ',' order by t.told)) as digest
    from   (select (to_jsonb(m) - array(select a.attname::text from pg_attribute as a
                                        where a.attrelid = 'mart.${name}'::regclass and a.atttypid = 'timestamptz'::regtype))::text as told
            from mart.${name} as m) as t`;
  const told = await Promise.all(readers.map(async (reader) => (await reader.query(query)).rows[0]));
  expect(told[0].rows > 0).toBe(name !== "keyword_not_requested_daily");
  expect(told[1]).toEqual(told[0]);
});

/** What distinguishes the rows of each mart, as its comment says. */
const grains: Readonly<Record<string, string>> = {
  keyword_rank_daily: "store, track_id, country_code, keyword, device_code, date_day",
  keyword_not_requested_daily: "store, track_id, country_code, keyword, device_code, date_day",
  keyword_rank_movers: "store, track_id, country_code, keyword, device_code, days_back",
  organic_share_of_voice_daily: "store, track_id, country_code, device_code, date_day",
  weighted_share_of_voice_daily: "store, track_id, country_code, device_code, date_day",
  keyword_opportunity: "store, track_id, country_code, keyword, device_code",
  visibility_daily: "store, track_id, country_code, date_day",
  paid_share_of_voice: "store, track_id, keyword, country_code, period_start, period_end, share_source",
  search_ads_daily:
    "org_id, report_level, currency, attribution, goal_id, date_day, country_code, track_id, campaign_id, ad_group_id, keyword_id, ad_id, product_page, search_term, match_type, gender, age, device_class, customer_type",
  search_ads_campaign_report: "campaign_id, country_code, date_day, currency, attribution, goal_id",
  search_ads_ad_group_report: "ad_group_id, country_code, date_day, currency, attribution, goal_id",
  search_ads_keyword_report: "ad_group_id, keyword_id, country_code, date_day, currency, attribution, goal_id",
  search_ads_search_term_report:
    "ad_group_id, keyword_id, match_type, search_term, country_code, date_day, currency, attribution, goal_id",
  search_ads_daily_default: "campaign_id, country_code, date_day",
  keyword_cannibalisation: "org_id, store, track_id, country_code, keyword, date_day, currency, attribution",
  bid_change_impact: "org_id, entity_level, entity_id, changed_at, change_number, currency, attribution",
  review_daily: "store, track_id, country_code, language_code, date_day",
  review_by_version: "store, track_id, country_code, language_code, version",
  category_rank_daily: "store, track_id, country_code, device_code, category_code, chart, chart_version, date_day",
  category_rank_vs_downloads_daily:
    "store, track_id, country_code, device_code, category_code, chart, chart_version, date_day",
  release_impact: "store, track_id, version, release_day, country_code, window_day_count",
  app_overview_daily: "store, track_id, country_code, date_day",
  keyword_rank_vs_competitor: "store, track_id, competitor_track_id, country_code, keyword, device_code",
  app_page_change: "store, track_id, country_code, language_code, date_day, change_source, property, new_value",
  chart_movement_daily: "store, track_id, country_code, device_code, category_code, chart, chart_version, date_day",
  featuring_daily: "store, track_id, country_code, category_code, date_day, card_number",
  download_revenue_monthly: "store, track_id, country_code, month_start",
  keyword_impression_share: "store, track_id, keyword, country_code, device_code, share_day",
  keyword_install_estimate: "store, track_id, country_code, keyword, date_day, estimate_kind",
  retention_daily: "store, track_id, country_code, date_day",
  advertisement: "store, track_id, period_start, period_end, country_code, network, media_type, creative_id",
  review_text: "store, track_id, review_id, review_source",
  search_ads_daily_reporting: "campaign_id, country_code, date_day",
  keyword_group: "group_name, keyword",
  app_group: "group_name, store, track_id",
  credit_spend_by_app_daily: "date_day, store, track_id, country_code, dataset, credit_class",
  data_freshness: "dataset, store, track_id, country_code",
  credit_spend_daily: "date_day, dataset, operation, credit_class",
};

const reader = (): pg.Client => {
  const [first] = readers;
  if (first === undefined) throw new Error("nobody reads yet");
  return first;
};

test.each(marts)("%s has one row for what its comment says it has one for", async (name) => {
  const { rows } = await reader().query(
    `select ${grains[name]}, count(*)::int as rows from mart.${name} group by ${grains[name]} having count(*) > 1 limit 3`,
  );
  expect(rows).toEqual([]);
});

test.each(marts)("%s computes no figure to more than nine decimals", async (name) => {
  const { rows } = await reader().query(`
    select f.key, max(scale(f.value::text::numeric)) as decimals
    from   mart.${name} as m, jsonb_each(to_jsonb(m)) as f
    where  jsonb_typeof(f.value) = 'number' group by 1 having max(scale(f.value::text::numeric)) > 9`);
  expect(rows).toEqual([]);
});

/** `npm run demo -- --everything` loads the same, which makes README's answers those that anybody sees. */
test("README's questions have the answers that it shows (vitest -u writes them, npm run docs takes them over)", async () => {
  await using asker = await openAsker();
  const told: string[] = [];
  for (const { mart, query } of martExamples) {
    const { rows } = await asker.query<Record<string, Cell>>(query);
    expect([mart, rows.length]).not.toEqual([mart, 0]);
    const headings = Object.keys(rows[0] ?? {});
    const cells = rows.map((row) => headings.map((heading) => row[heading]));
    told.push(`## ${mart}\n\n${table(headings, cells)}\n`);
  }
  await expect(told.join("\n")).toMatchFileSnapshot(martAnswers);
});

/** A connection that leaves days as texts, in any zone of this machine. */
async function openAsker() {
  const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
    oid === pg.types.builtins.DATE ? String : pg.types.getTypeParser(oid, format as "text");
  // freshness is as of the day that counts as today in the demo
  const options = `-c storehouse.today=${everythingShow.today}`;
  const client = new pg.Client({ connectionString: stage.databaseUrl, types: { getTypeParser }, options });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
