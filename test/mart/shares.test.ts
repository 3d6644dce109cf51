import { expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

test("visibility is given beside that of the other apps of the same store, country and day", async () => {
  const score = (
    app_key: string,
    country_key: string,
    value: number | null,
    kind = "history",
    date_day = "2026-08-01",
  ) => ({
    app_key,
    country_key,
    score: value,
    kind,
    date_day,
  });
  await mart.fill("core.fact_visibility", [
    score("ios:1", "US", 60),
    score("ios:1", "US", 99, "now"),
    score("ios:2", "US", 30),
    score("ios:3", "US", 10, "now"),
    score("ios:4", "US", null),
    score("android:a", "US", 500),
    score("ios:1", "JP", 0),
    score("ios:1", "US", 60, "history", "2026-08-02"),
    score("ios:2", "US", 60, "history", "2026-08-02"),
  ]);
  await mart.name({
    "ios:1": "Ours",
    "ios:2": "Second",
    "ios:3": "Third",
    "ios:4": "Dark",
    "android:a": "Other store",
  });
  const rows = await mart.ask(`
    select date_day, country_code, app_name, visibility_score, score_kind, visibility_share, visibility_rank, competitor_count,
           competitor_average_score, best_competitor_name, best_competitor_score
    from   mart.visibility_daily order by 1, 2, app_name`);
  expect(rows).toEqual([
    // a share of nothing is none
    "2026-08-01 | JP | Ours | 0 | history | - | 1 | 0 | - | - | -",
    "2026-08-01 | US | Dark | - | history | - | - | 3 | 33.33 | Ours | 60",
    "2026-08-01 | US | Other store | 500 | history | 1 | 1 | 0 | - | - | -",
    "2026-08-01 | US | Ours | 60 | history | 0.6 | 1 | 2 | 20 | Second | 30",
    "2026-08-01 | US | Second | 30 | history | 0.3 | 2 | 2 | 35 | Ours | 60",
    "2026-08-01 | US | Third | 10 | now | 0.1 | 3 | 2 | 45 | Ours | 60",
    "2026-08-02 | US | Ours | 60 | history | 0.5 | 1 | 1 | 60 | Second | 60",
    "2026-08-02 | US | Second | 60 | history | 0.5 | 1 | 1 | 60 | Ours | 60",
  ]);
});

test("the paid voice of a keyword is reported once a period, from either requested side, and months of the account are separate", async () => {
  const period = { country_key: "US", period_start: "2026-08-03", period_end: "2026-08-16" };
  await mart.fill("core.fact_paying_app", [
    { ...period, keyword_key: "plan", app_key: "ios:1", share: 0.5 },
    { ...period, keyword_key: "plan", app_key: "ios:2", share: 0.25 },
    { ...period, keyword_key: "plan", country_key: "JP", app_key: "ios:2", share: null },
  ]);
  await mart.fill("core.fact_paid_keyword", [
    { ...period, keyword_key: "plan", app_key: "ios:1", app_share: 0.4 },
    { ...period, keyword_key: "habit", app_key: "ios:1", app_share: 0.2 },
  ]);
  const month = { org_id: "7", country_key: "US", period_start: "2026-08-01", period_end: "2026-08-31" };
  await mart.fill("core.fact_search_ads_top_app", [
    { ...month, keyword_id: "1", keyword_key: "plan", app_key: "ios:1", share: 0.3 },
    { ...month, keyword_id: "2", keyword_key: "plan", app_key: "ios:1", share: 0.35 },
  ]);
  await mart.fill("core.tracked_app", [{ app_key: "ios:1", valid_from: "2026-08-01", is_current: true }]);
  await mart.fill("core.tracked_keyword", [
    {
      app_key: "ios:1",
      country_key: "US",
      keyword_key: "plan",
      search_volume: 40,
      valid_from: "2026-08-01",
      is_current: true,
    },
  ]);
  const rows = await mart.ask(`
    select share_source, country_code, keyword, app_name, period_start, period_end, paid_impression_share, paid_rank, payer_count, reported_share_sum,
           is_tracked_app, search_volume, paid_voice_sum
    from   mart.paid_share_of_voice order by 1, 2, 3, 4`);
  expect(rows).toEqual([
    "market | JP | plan | Second | 2026-08-03 | 2026-08-16 | - | - | 1 | - | false | - | -",
    "market | US | habit | Ours | 2026-08-03 | 2026-08-16 | 0.2 | 1 | 1 | 0.2 | true | - | -",
    "market | US | plan | Ours | 2026-08-03 | 2026-08-16 | 0.5 | 1 | 2 | 0.75 | true | 40 | 20",
    "market | US | plan | Second | 2026-08-03 | 2026-08-16 | 0.25 | 2 | 2 | 0.75 | false | 40 | 10",
    "own keywords | US | plan | Ours | 2026-08-01 | 2026-08-31 | 0.35 | 1 | 1 | 0.35 | true | 40 | 14",
  ]);
});

test("paid shares of a period of which a keyword has no answer yet are marked, from either source", async () => {
  const slice = (dataset: string, scope: object, state: string, items?: readonly string[]) =>
    mart.slice({ dataset, scope, days: ["2026-08-03", "2026-08-17"], state, items });
  const market = (country: string, keyword: string) => ({ store: "ios", country, keyword });
  await slice("paying_app", market("US", "plan"), "loaded");
  await slice("paying_app", market("US", "habit"), "empty");
  await slice("paying_app", market("US", "todo"), "deferred");
  // failed, and answered by another slice since
  await slice("paying_app", market("JP", "plan"), "failed");
  await slice("paying_app", market("JP", "plan"), "loaded");
  // nobody can have it
  await slice("paying_app", market("JP", "odd"), "skipped");
  const own = { org_id: "7", country_key: "US", period_start: "2026-08-03", period_end: "2026-08-16" };
  await mart.fill("core.fact_search_ads_top_app", [
    { ...own, keyword_id: "1", keyword_key: "plan", app_key: "ios:1", share: 0.3 },
  ]);
  await slice("search_ads_top_app", { org_id: "7" }, "loaded", ["US 1 1 plan"]);
  await slice("search_ads_top_app", { org_id: "7" }, "failed", ["US 2 1 to do list"]);
  const rows = () =>
    mart.ask(`
      select distinct share_source, country_code, requested_keyword_count, answered_keyword_count, is_complete
      from   mart.paid_share_of_voice where period_start = '2026-08-03' order by 1, 2`);
  expect(await rows()).toEqual([
    "market | JP | 1 | 1 | true",
    "market | US | 3 | 2 | false",
    "own keywords | US | 2 | 1 | false",
  ]);
  // what each app pays for is one answer
  const paid = (track: string, state: string) =>
    slice("paid_keyword", { store: "ios", app: track, country: "JP" }, state);
  await paid("1", "loaded");
  await paid("2", "failed");
  expect((await rows())[0]).toBe("market | JP | 1 | 1 | false");
  await paid("2", "empty");
  expect((await rows())[0]).toBe("market | JP | 1 | 1 | true");
  await mart.ask("delete from ops.slice where dataset = 'paying_app' and scope ->> 'country' = 'JP'");
  expect((await rows())[0]).toBe("market | JP | - | - | true");
});
