import { beforeAll, describe, expect, test } from "vitest";
import { latestRuns } from "../../src/ledger/run-list.ts";
import { sliceDetails } from "../../src/ledger/slice-details.ts";
import { readStatus } from "../../src/ledger/status.ts";
import { addDays } from "../../src/core/day.ts";
import { sql } from "../../src/postgres/sql.ts";
import { forTests } from "../support/for-tests.ts";
import { openStage, today } from "../support/ingest-stage.ts";
import { scans } from "../support/query-plan.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 3 };

describe("after a sync", () => {
  const stage = forTests(() => openStage({ market }));
  beforeAll(async () => {
    await stage.sync();
  });

  test("the views report of every slice, run and day what the service charged, and how new each app is", async () => {
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

  test("the newest run is summed up without those before it", async () => {
    await stage.sync();
    await using app = await stage.open();
    const newest = "select outcome, loaded_count, booked_credits from ops.run_summary order by run_id desc limit 1";
    expect(await scans(app.warehouse.db, newest, "slice")).toBe(1);
  });

  test("a run whose process was killed counts as interrupted, and one whose process runs has no outcome yet", async () => {
    // as a process leaves it that is killed: nobody has written how it ended
    await stage.query("update ops.run set outcome = null, ended_at = null");
    await stage.query("update ops.worker set stopped_at = null");
    await using app = await stage.open();
    const { db } = app.warehouse;
    const outcome = async () => (await latestRuns(db, 1)).map((run) => run.outcome);
    expect(await outcome()).toEqual(["interrupted"]);
    expect((await readStatus(db)).lastRun?.outcome).toBe("interrupted");
    await db.connection().execute(async (held) => {
      // what a process holds as long as it lives
      await sql`select pg_advisory_lock(x'53544f52'::integer, worker_id::integer) from ops.run`.execute(held);
      expect(await outcome()).toEqual([null]);
      await sql`select pg_advisory_unlock_all()`.execute(held);
    });
  });
});

test("the details of a slice have its requests, its items and what of its answer did not fit", async () => {
  await using stage = await openStage({ market });
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
  const details = await sliceDetails(db, tried?.slice_id ?? "0");
  expect(details?.slice).toMatchObject({ state: "loaded", dataset: "keyword_rank" });
  expect(details?.requests.map(({ status }) => status)).toEqual([503, 200]);
  expect(details?.requests.reduce((sum, { cost }) => sum + cost, 0)).toBe(details?.slice.booked_credits);
  expect(details?.items).toHaveLength(details?.slice.item_count ?? -1);
  expect(details?.rejects).toEqual([{ reason: "odd", item: 7 }]);
  expect(await sliceDetails(db, "999999")).toBeNull();
  expect((await latestRuns(db, 1)).map(({ kind, outcome }) => [kind, outcome])).toEqual([["sync", "loaded"]]);
});
