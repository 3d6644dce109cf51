import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migratedTables } from "../../src/docs/migrated-tables.ts";
import { addDays } from "../../src/core/day.ts";
import { everythingOn } from "../support/ingest-conformance.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";

/** Marts in the order in which analysts are told of them. */
const marts = [
  "keyword_rank_daily",
  "keyword_rank_movers",
  "organic_share_of_voice_daily",
  "visibility_daily",
  "paid_share_of_voice",
  "keyword_cannibalisation",
  "search_ads_campaign_report",
  "search_ads_ad_group_report",
  "search_ads_keyword_report",
  "search_ads_search_term_report",
  "bid_change_impact",
  "review_daily",
  "review_by_version",
  "category_rank_daily",
  "category_rank_vs_downloads_daily",
  "keyword_opportunity",
  "release_impact",
  "app_overview_daily",
  "data_freshness",
  "credit_spend_daily",
  "search_ads_daily",
];

/** Everything on, search terms among the levels of reports, which are not so by default. */
const settings = {
  datasets: {
    ...everythingOn.datasets,
    search_ads_report: { on: true, options: { levels: ["CAMPAIGN", "AD_GROUP", "KEYWORD", "SEARCH_TERM"] } },
  },
};

const zones = ["UTC", "Pacific/Kiritimati"] as const;

let stage: Stage;
let readers: readonly pg.Client[];

beforeAll(async () => {
  stage = await openStage({ market: { apps: 3, countries: ["US", "JP"], keywordsPerApp: 12 } });
  await stage.sync({ settings, request: { bounds: { start: addDays(today, -20) } } });
  readers = zones.map((zone) => new pg.Client({ connectionString: stage.databaseUrl, options: `-c TimeZone=${zone}` }));
  for (const reader of readers) await reader.connect();
});
afterAll(async () => {
  for (const reader of readers) await reader.end();
  await stage[Symbol.asyncDispose]();
});

test("every mart is there, and no other", () => {
  const made = migratedTables().filter(({ name }) => name.startsWith("mart."));
  expect(made.map(({ name }) => name.replace("mart.", "")).sort()).toEqual([...marts].sort());
});

test.each(marts)("%s has rows once everything is loaded, the same in every zone", async (name) => {
  const query = `
    select count(*)::int as rows, md5(string_agg(t.told, ',' order by t.told)) as digest
    from   (select (to_jsonb(m) - array(select a.attname::text from pg_attribute as a
                                        where a.attrelid = 'mart.${name}'::regclass and a.atttypid = 'timestamptz'::regtype))::text as told
            from mart.${name} as m) as t`;
  const told = await Promise.all(readers.map(async (reader) => (await reader.query(query)).rows[0]));
  expect(told[0].rows).toBeGreaterThan(0);
  expect(told[1]).toEqual(told[0]);
});
