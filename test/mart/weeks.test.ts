import { beforeAll, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { daysOf } from "../../src/core/window.ts";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

/** Slices from a day up to another one, that day excluded. */
const reviews = (days: readonly [string, string], state = "loaded") => {
  const scope = { store: "ios", app: "1", source: "v2", regions: "portfolio" };
  return mart.slice({ dataset: "review", scope, days, state, items: ["JP", "US"] });
};
const reports = (days: readonly [string, string], state = "loaded") => {
  const levels = { report_level: "CAMPAIGN", report_type: "DAILY", grain: "day" };
  const scope = { org_id: "7", ...levels, currency: "USD", attribution: "WITH" };
  return mart.slice({ dataset: "search_ads_report", scope, days, state });
};
const weeks = (figures: string) =>
  mart.ask(`
    select period_start, ${figures}, is_complete from mart.app_overview_by_period
    where  track_id = '1' and country_code = 'US' and period_kind = 'week' order by 1`);

beforeAll(async () => {
  // ranks of four weeks, each day complete
  await mart.fill(
    "core.fact_keyword_rank",
    daysOf({ start: day("2026-06-01"), end: day("2026-06-29") }).map((date_day) => ({
      app_key: "ios:1",
      country_key: "US",
      device_key: "IPHONE",
      keyword_key: "plan",
      date_day,
      rank: 3,
    })),
  );
});

test("a week of which no day of reviews has its answer is not complete, one whose reviews nobody requested is", async () => {
  await reviews(["2026-06-08", "2026-06-15"]);
  await reviews(["2026-06-15", "2026-06-22"], "failed");
  await reviews(["2026-06-22", "2026-06-29"], "deferred");
  const known = () => weeks("review_day_count, review_count");
  expect(await known()).toEqual([
    "2026-06-01 | 0 | - | true",
    "2026-06-08 | 7 | 0 | true",
    "2026-06-15 | 0 | - | false",
    "2026-06-22 | 0 | - | false",
  ]);
  await reviews(["2026-06-15", "2026-06-29"]);
  expect((await known()).slice(2)).toEqual(["2026-06-15 | 7 | 0 | true", "2026-06-22 | 7 | 0 | true"]);
});

test("a week of which reports of search ads lack an answer is not complete, also for an app without spend on the others", async () => {
  await mart.fill("core.fact_search_ads_report", [
    {
      org_id: "7",
      report_level: "CAMPAIGN",
      currency: "USD",
      attribution: "WITH",
      grain: "day",
      app_key: "ios:1",
      country_key: "US",
      period_start: "2026-06-08",
      period_end: "2026-06-08",
      date_day: "2026-06-08",
      spend: 5,
    },
  ]);
  await reports(["2026-06-08", "2026-06-19"]);
  await reports(["2026-06-19", "2026-06-29"], "failed");
  const known = () => weeks("search_ads_day_count, search_ads_spend");
  expect(await known()).toEqual([
    "2026-06-01 | 0 | - | true",
    "2026-06-08 | 7 | 5 | true",
    "2026-06-15 | 4 | - | false",
    "2026-06-22 | 0 | - | false",
  ]);
  await reports(["2026-06-19", "2026-06-29"]);
  expect((await known()).slice(2)).toEqual(["2026-06-15 | 7 | - | true", "2026-06-22 | 7 | - | true"]);
});

test("a day of ranks without any answer has no number of keywords with a volume, and no 0", async () => {
  await mart.slice({
    dataset: "keyword_rank",
    scope: { store: "ios", app: "1", country: "US" },
    days: ["2026-06-29", "2026-06-30"],
    state: "failed",
    items: ["plan"],
  });
  expect(
    await mart.ask(`
      select date_day, requested_keyword_count, answered_keyword_count, volume_keyword_count, search_volume_sum
      from   mart.weighted_share_of_voice_daily where device_code = 'IPHONE' and date_day >= '2026-06-28' order by 1`),
  ).toEqual(["2026-06-28 | 1 | 1 | 0 | -", "2026-06-29 | 1 | 0 | - | -"]);
});
