import { expect, test } from "vitest";
import { openCardStage, type CardStage } from "../support/card-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openCardStage);
const shown: CardStage["shown"] = (dashboard, card) => mart.shown(dashboard, card);

test("apps whose names are not known are distinguished by their track ids", async () => {
  const voice = (app: string) => ({
    app_key: `ios:${app}`,
    country_key: "US",
    keyword_key: "plan",
    device_key: "IPHONE",
    date_day: "2026-08-08",
    rank: Number(app),
  });
  await mart.fill("core.fact_keyword_rank", [voice("10"), voice("20")]);
  expect(await shown("Share of voice", "organic_voice")).toEqual([
    "2026-08-08 | 10 (ios) | 0.1",
    "2026-08-08 | 20 (ios) | 0.05",
  ]);
});

test("charts of two categories of one name, as Music of apps and of games, are two lines", async () => {
  const placed = (category_code: string, rank: number) => ({
    app_key: "ios:10",
    country_key: "US",
    device_key: "IPHONE",
    date_day: "2026-08-08",
    category_code,
    category_name: "Music",
    chart: "FREE",
    chart_version: "v1",
    resolution: "daily",
    ranked_at: "2026-08-08T00:00:00",
    rank,
  });
  await mart.fill("core.fact_category_rank", [placed("6011", 40), placed("7011", 3)]);
  expect(await shown("Market", "chart_ranks")).toEqual([
    "2026-08-08 | 10, US, Music 6011 FREE | -40",
    "2026-08-08 | 10, US, Music 7011 FREE | -3",
  ]);
});

test("where competitors rank and we do not, a place or two behind is no answer", async () => {
  const ranked = (app: string, keyword_key: string, rank: number | null) => ({
    app_key: `ios:${app}`,
    country_key: "US",
    keyword_key,
    device_key: "IPHONE",
    date_day: "2026-08-08",
    rank,
  });
  await mart.ask("truncate core.fact_keyword_rank, core.fact_keyword_rank_summary");
  await mart.fill("core.fact_keyword_rank", [
    ranked("1", "plan", 3),
    ranked("2", "plan", 2),
    ranked("1", "list", 30),
    ranked("2", "list", 2),
    ranked("1", "note", null),
    ranked("2", "note", 5),
  ]);
  expect((await shown("Competitors", "only_they")).map((line) => line.split(" | ").slice(0, 2).join(" "))).toEqual([
    "only the competitor note",
    "behind list",
  ]);
});

test("the effect of a bid change says of how many days before and after it there are figures", async () => {
  const spent = (date: string) => ({
    org_id: "7",
    report_level: "KEYWORD",
    grain: "day",
    currency: "USD",
    attribution: "WITH",
    keyword_id: "5",
    country_key: "US",
    period_start: date,
    period_end: date,
    date_day: date,
    spend: 10,
  });
  await mart.fill(
    "core.fact_search_ads_report",
    ["05", "06", "07", "09"].map((day) => spent(`2026-08-${day}`)),
  );
  await mart.fill("core.fact_bid_change", [
    {
      org_id: "7",
      date_day: "2026-08-08",
      entity_level: "KEYWORD",
      entity_id: "5",
      changed_at: "2026-08-08T08:00:00",
      ordinal: 1,
      old_value: 1,
      new_value: 2,
    },
  ]);
  const [row] = await shown("Search ads", "bid_changes");
  // 30 of three days before, 10 of one day after
  expect(row).toBe("2026-08-08 | - | - | - | - | 1 | 2 | - | 1 | 3 | 1 | USD | 30 | 10 | - | - | - | - | 0");
});

test("a place needs as many downloads as there are on days of which each device has its answer", async () => {
  const on = (day: string, device_key = "IPHONE") => ({
    app_key: "ios:7",
    country_key: "US",
    device_key,
    date_day: `2026-08-${day}`,
  });
  const placed = (day: string, rank: number) => ({
    ...on(day),
    category_code: "36",
    category_name: "Overall",
    chart: "FREE",
    chart_version: "v1",
    resolution: "daily",
    ranked_at: `2026-08-${day}T00:00:00`,
    rank,
  });
  const estimated = (day: string, device: string, download_count: number) => ({
    ...on(day, device),
    is_total: false,
    download_count,
  });
  const answer = (device: string, [from, to]: readonly [string, string], state: string) =>
    mart.ask(`
      insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at, ended_at)
      select 'download_revenue', 'o', '${JSON.stringify({ store: "ios", app: "7", country: "US", device })}', '2026-08-${from}', '2026-08-${to}', '2026-08-10',
             '', 'daily', '${state}', 1, 1, run_id, now(), now() from ops.run`);
  await mart.ask("insert into ops.run (kind, as_of, datasets, started_at) values ('sync', '2026-08-10', '{}', now())");
  await mart.name({ "ios:7": "Seven" });
  await mart.fill("core.fact_category_rank", [placed("06", 9), placed("07", 9)]);
  await mart.fill("core.fact_download_revenue", [
    estimated("06", "IPHONE", 60),
    estimated("06", "IPAD", 40),
    estimated("07", "IPHONE", 60),
  ]);
  await answer("IPHONE", ["06", "08"], "loaded");
  await answer("IPAD", ["06", "07"], "loaded");
  await answer("IPAD", ["07", "08"], "failed");
  expect(await shown("Market", "rank_and_downloads")).toEqual(["2026-08-06 | Seven | ios | US | 9 | - | 100"]);
  // the table of each day has the part, and says that it is one
  const days = (await shown("Market", "overview")).filter((line) => line.includes("Seven"));
  expect(days.map((line) => line.split(" | ").slice(14, 16).join(" "))).toEqual(["60 false", "100 true"]);
});

test("a renamed campaign is one row, under its newest name", async () => {
  const reported = (date_day: string, campaign_name: string) => ({
    org_id: "7",
    report_level: "CAMPAIGN",
    grain: "day",
    currency: "USD",
    attribution: "WITH",
    period_start: date_day,
    period_end: date_day,
    date_day,
    app_id: "10",
    app_key: "ios:10",
    campaign_id: "50",
    campaign_name,
    country_key: "US",
    spend: 2,
  });
  await mart.fill("core.fact_search_ads_report", [reported("2026-08-07", "Old"), reported("2026-08-08", "New")]);
  expect(await shown("Search ads", "campaigns")).toEqual(["New | USD | 4 | - | - | - | - | - | -"]);
});
