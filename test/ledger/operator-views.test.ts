import { expect, test } from "vitest";
import { latestRuns } from "../../src/ledger/run-list.ts";
import { sliceStory } from "../../src/ledger/status.ts";
import { addDays } from "../../src/core/day.ts";
import { openStage, today } from "../support/ingest-stage.ts";

test("the views report of every slice, run and day what the service charged, and how new each app is", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 3 } });
  await stage.sync();
  const charged = stage.requested().reduce((sum, request) => sum + request.charged, 0);
  expect(charged).toBeGreaterThan(0);
  const booked = async (view: string) =>
    (await stage.query<{ sum: number }>(`select sum(booked_credits)::int as sum from ops.${view}`))[0]?.sum;
  expect(await booked("slice_status")).toBe(charged);
  expect(await booked("run_summary")).toBe(charged);
  expect(await booked("credit_spend_daily")).toBe(charged);
  const fresh = await stage.query<{ newest_day: string; open: number }>(
    "select newest_day::text, open_count::int as open from ops.freshness where dataset = 'keyword_rank'",
  );
  expect(fresh).toEqual([{ newest_day: addDays(today, -1), open: 0 }]);
});

test("the story of a slice has its requests, its items and what of its answer did not fit", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 3 } });
  stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 1, kind: "status", status: 503 }] });
  await stage.sync();
  const [tried] = await stage.query<{ slice_id: string }>(
    "select slice_id from ops.slice_status where dataset = 'keyword_rank' and attempt > 1 or request_count > 1 limit 1",
  );
  await using app = await stage.open();
  const { db } = app.warehouse;
  await stage.query(
    "insert into ops.reject (slice_id, dataset, reason, item, fetched_at) values ($1, 'keyword_rank', 'odd', '7', now())",
    [tried?.slice_id],
  );
  const story = await sliceStory(db, tried?.slice_id ?? "0");
  expect(story?.slice).toMatchObject({ state: "loaded", dataset: "keyword_rank" });
  expect(story?.requests.map(({ status }) => status)).toEqual([503, 200]);
  expect(story?.requests.reduce((sum, { cost }) => sum + cost, 0)).toBe(story?.slice.booked_credits);
  expect(story?.items).toHaveLength(story?.slice.item_count ?? -1);
  expect(story?.rejects).toEqual([{ reason: "odd", item: 7 }]);
  expect(await sliceStory(db, "999999")).toBeNull();
  expect((await latestRuns(db, 1)).map(({ kind, outcome }) => [kind, outcome])).toEqual([["sync", "loaded"]]);
});
