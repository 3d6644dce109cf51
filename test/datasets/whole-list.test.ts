import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { replay } from "../../src/archive/replay.ts";
import { addDays } from "../../src/core/day.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";

const list = "dashboard.daily-keyword-rankings";

/** An account that pays next to nothing for the list of all that it tracks, so that every day is cheapest that way. */
const cheapLists = {
  market: { apps: 2, countries: ["US"], keywordsPerApp: 4 },
  accounts: [{ token: "sandbox-token", total: 100_000, periodHours: 24, costs: { [list]: 1 } }],
};

/** Ranks without what differs between the fetch options: who wrote them, and when the store was crawled. */
async function ranksIn(stage: Stage): Promise<string[]> {
  const rows = (await factsOf(stage))["core.fact_keyword_rank"] ?? [];
  return rows.map((row) => JSON.stringify({ ...JSON.parse(row), observed_at: undefined })).sort();
}

/** The slices of keyword ranks: operation, state, items, requests, credits; equal ones once. */
async function slicesIn(stage: Stage) {
  return stage.query<{
    operation: string;
    state: string;
    items: string[] | null;
    day: string;
    requests: number;
    credits: number;
  }>(
    `select operation, state, items, window_start as day, planned_requests as requests, planned_credits as credits
     from   ops.slice left join ops.batch using (batch_id)
     where  dataset = 'keyword_rank' order by slice_id`,
  );
}

let named: readonly string[];

beforeAll(async () => {
  await using stage = await openStage({ market: cheapLists.market });
  await stage.sync();
  named = await ranksIn(stage);
});

test("the account's list brings the ranks that naming the keywords brings, a call a device and day", async () => {
  await using stage = await openStage(cheapLists);
  const result = await stage.sync();
  expect(result.outcome).toBe("loaded");
  expect(await ranksIn(stage)).toEqual(named);
  const slices = await slicesIn(stage);
  expect(new Set(slices.map(({ operation }) => operation))).toEqual(new Set([list]));
  expect(new Set(slices.map(({ requests, credits }) => credits / requests))).toEqual(new Set([1]));
  const requested = stage
    .requested()
    .filter(({ operation, params }) => operation === list && params["date"] !== undefined);
  const devices = (trackId: unknown) =>
    requested.filter(({ params }) => params["trackId"] === trackId).map(({ params }) => params["device"]);
  for (const app of stage.sandbox.market.apps)
    expect(new Set(devices(app.trackId))).toEqual(new Set(app.store === "ios" ? ["iphone", "ipad"] : [undefined]));
  expect(requested).toHaveLength(slices.reduce((sum, { requests }) => sum + requests, 0));
  expect((await stage.sync()).progress.total).toBe(0);
});

test("a keyword that the account tracks no more is requested by name, in the same run, and the list is not tried again", async () => {
  await using stage = await openWithPortfolio(cheapLists);
  // what the account stopped tracking since its list was read
  await stage.query("insert into core.dim_keyword (keyword) values ('a ghost')");
  await stage.query(
    `insert into core.tracked_keyword (app_key, country_key, keyword_key, valid_from, is_current, slice_id, fetched_at)
     select app_key, country_key, (select keyword_key from core.dim_keyword where keyword = 'a ghost'), valid_from, true, slice_id, fetched_at
     from   core.tracked_keyword order by app_key, country_key limit 1`,
  );
  const result = await stage.sync();
  expect(result.outcome).toBe("loaded");
  const [ghost] = await stage.query<{ count: number }>(
    `select count(distinct date_day)::int from core.fact_keyword_rank
     where  keyword_key = (select keyword_key from core.dim_keyword where keyword = 'a ghost')`,
  );
  const slices = (await slicesIn(stage)).filter(({ items }) => items?.includes("a ghost"));
  const aside = slices.filter(({ operation }) => operation === list);
  expect(aside.map(({ state, items, credits }) => [state, items, credits])).toEqual(
    aside.map(() => ["skipped", ["a ghost"], 0]),
  );
  expect(aside).toHaveLength(4);
  const byName = slices.filter(({ operation }) => operation !== list);
  expect(new Set(byName.map(({ state }) => state))).toEqual(new Set(["loaded"]));
  expect(ghost?.count).toBe(4);
  expect(await ranksIn(stage)).toEqual(expect.arrayContaining([...named]));
  expect((await stage.sync()).progress.total).toBe(0);
});

test("a list that is refused takes no keyword out of the plan: all are requested by name", async () => {
  await using stage = await openWithPortfolio(cheapLists);
  stage.sandbox.set({ faults: [{ kind: "status", status: 400, operation: list, times: 1_000 }] });
  const result = await stage.sync();
  expect(result.progress.failed).toBe(0);
  expect(await ranksIn(stage)).toEqual(named);
  const tried = stage.requested().filter(({ operation, status }) => operation === list && status === 400);
  const days = new Set(tried.map(({ params }) => [params["trackId"], params["countryCode"], params["date"]].join()));
  expect(tried).toHaveLength(days.size);
  expect([...days].some((callText) => callText.endsWith(addDays(today, -1)))).toBe(true);
});

test("a keyword that one of the two lists does not name has no rank of the other either, before a replay and after it", async () => {
  await using stage = await openStage({ ...cheapLists, market: { ...cheapLists.market, apps: 1 } });
  await stage.sync();
  // the account stopped tracking it between the two calls, and by its name it is refused
  const [answer] = await stage.query<{ id: string; body: Buffer }>(
    `select a.answer_id as id, a.body from raw.answer as a join ops.slice as s using (slice_id)
     where  s.dataset = 'keyword_rank' and a.page = 0 order by a.answer_id limit 1`,
  );
  const reply = JSON.parse(String(zstdDecompressSync(answer?.body ?? Buffer.from(""))));
  const [gone] = reply.data.splice(0, 1);
  await stage.query("update raw.answer set body = $2 where answer_id = $1", [
    answer?.id,
    zstdCompressSync(Buffer.from(JSON.stringify(reply))),
  ]);
  await stage.query("truncate core.fact_keyword_rank, core.fact_keyword_rank_summary");
  await stage.query("update ops.slice set state = 'pending' where dataset = 'keyword_rank'");
  stage.sandbox.set({ faults: [{ kind: "status", status: 400, operation: "ios.keyword-ranking", times: 1_000 }] });
  await stage.sync();
  const [skipped] = await stage.query<{ items: string[] }>(
    "select b.items from ops.slice join ops.batch as b using (batch_id) where dataset = 'keyword_rank' and state = 'skipped' and error_code = 'not_tracked'",
  );
  expect(skipped?.items).toEqual([gone.keyword]);
  const before = await factsOf(stage, []);
  await using app = await stage.open();
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  await replay(parts, keywordRank, { within: {}, keepPruned: false });
  expect(await factsOf(stage, [])).toEqual(before);
});

test("a list of which the service says that there is nothing takes no keyword out of the plan either", async () => {
  await using stage = await openWithPortfolio(cheapLists);
  stage.sandbox.set({ faults: [{ kind: "status", status: 204, body: "", operation: list, times: 1_000 }] });
  const result = await stage.sync();
  expect(result.progress.failed).toBe(0);
  expect(await ranksIn(stage)).toEqual(named);
});
