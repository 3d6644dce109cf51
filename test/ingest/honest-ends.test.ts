import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { planned } from "../support/ingest-planned.ts";
import { today } from "../support/ingest-stage.ts";
import { openSynced } from "../support/synced-stage.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";

test("does not say loaded when nothing of a dataset was available, and requests it again on demand", async () => {
  await using stage = await openWithPortfolio({
    market: { apps: 2, countries: ["US"], keywordsPerApp: 3 },
    faults: [
      { operation: "ios.keyword-ranking", times: 1_000, kind: "status", status: 404 },
      { operation: "ios.keyword-history", times: 1_000, kind: "status", status: 404 },
      { operation: "android.keyword-ranking", times: 1_000, kind: "status", status: 404 },
      { operation: "android.keyword-history", times: 1_000, kind: "status", status: 404 },
    ],
  });
  expect(await stage.sync()).toMatchObject({ outcome: "failed", left: { unavailable: ["keyword_rank"] } });
  stage.sandbox.set({ faults: [] });
  expect(await stage.retry()).toMatchObject({ progress: { total: 0 } });
  expect(await stage.retry({ which: { states: ["failed", "skipped"] } })).toMatchObject({
    outcome: "loaded",
    progress: { skipped: 0, failed: 0 },
  });
});

test.each([
  [404, "skipped", "not_found"],
  [204, "empty", "no_content"],
])(
  "takes a %i for the first page as one for the whole list, and not as an empty last page",
  async (status, state, code) => {
    await using stage = await openWithPortfolio({
      market: { apps: 1, countries: ["US"] },
      faults: [{ operation: "ios.reviews-v2", times: 1_000, kind: "status", status }],
    });
    await stage.sync({ request: { datasets: ["review"] } });
    const ends = "select distinct state, error_code, failures from ops.slice where operation = 'ios.reviews-v2'";
    expect(await stage.query(ends)).toEqual([{ state, error_code: code, failures: 0 }]);
  },
);

test("fails a slice of whose answer nothing fits, and keeps what did not; a retry requests the answer again, instead of reading what is stored", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"] } });
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    // ranks that all say they are of another app
    if (passing.target.includes("/keywordrankings"))
      passing.body = passing.body.replaceAll('"trackId":', '"trackId":9');
    if (passing.target.includes("/keywordrankings"))
      passing.body = passing.body.replaceAll('"trackId":9"', '"trackId":"z');
  });
  const environment = { API_BASE_URL: proxy.url };
  expect(await stage.sync({ environment })).toMatchObject({ outcome: "failed" });
  const ends =
    "select distinct state, error_code, rows_loaded from ops.slice where dataset = 'keyword_rank' and rows_rejected > 0 and rows_loaded = 0";
  expect(await stage.query(ends)).toEqual([{ state: "failed", error_code: "unknown_shape", rows_loaded: 0 }]);
  expect(await stage.query("select distinct reason from ops.reject")).toEqual([
    { reason: "an app that was not requested" },
  ]);
  expect(await stage.query("select from core.fact_keyword_rank where rank is not null")).toEqual([]);
  const failed = await stage.query("select slice_id from ops.slice where error_code = 'unknown_shape'");
  stage.sandbox.clearLog();
  expect(await stage.retry()).toMatchObject({ outcome: "loaded", progress: { total: failed.length } });
  expect(stage.requested()).toHaveLength(failed.length);
});

test("shows the market in a plan although the portfolio is read again first", async () => {
  await using stage = await openSynced();
  await using app = await stage.open();
  const tomorrow = { datasets: [], bounds: {}, today: addDays(today, 1) };
  const whole = await planned(app, tomorrow, true);
  expect(whole.map(({ dataset }) => dataset)).toEqual(["tracked_app", "tracked_country", "keyword_rank"]);
  const first = await planned(app, tomorrow);
  expect(first.map(({ dataset }) => dataset)).toEqual(["tracked_app", "tracked_country"]);
});
