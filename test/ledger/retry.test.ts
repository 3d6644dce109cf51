import { sql } from "../../src/postgres/sql.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { openWork } from "../../src/ledger/open-slices.ts";
import { readFailures } from "../../src/ledger/failures.ts";
import { reopen as reopenSlices, reopenable, type Reopening } from "../../src/ledger/reopen.ts";
import { wasPlannedSince } from "../../src/ledger/runs.ts";
import { day } from "../../src/core/day.ts";
import { skipUnanswered } from "../../src/ledger/amend-slices.ts";
import { sliceDetails } from "../../src/ledger/slice-details.ts";
import { endAttempt, splitSlice } from "../../src/ledger/slices.ts";
import { august, draft, ending, now, openLedgerStage } from "../support/ledger-stage.ts";
import { forTests } from "../support/for-tests.ts";

describe("reopen", () => {
  const stage = forTests(openLedgerStage);
  let worker: string;
  let retry: string;

  beforeEach(async () => {
    await stage.reset();
    worker = await stage.alive();
    retry = await stage.run({ kind: "retry", workerId: worker });
  });

  const reopen = (...datasets: readonly string[]) =>
    reopenSlices(stage.db, {
      runId: retry,
      datasets: datasets.length > 0 ? datasets : ["keyword_rank"],
    });

  test("makes failed slices pending in the run, with their failures forgotten, and queues them", async () => {
    const [id] = await stage.insert(await stage.run(), draft());
    await endAttempt(stage.db, await stage.claimed(id!, worker), { ...ending, state: "failed", counts: true }, now);
    expect(await reopen()).toBe(1);
    expect(await stage.slices("state, failures, run_id, due_at")).toEqual([
      { state: "pending", failures: 0, run_id: retry, due_at: null },
    ]);
    expect(await stage.queued()).toEqual([{ queue: worker, slice: id }]);
  });

  test("has planned what it runs again, and nothing new of which a forecast would not know", async () => {
    await stage.inState(await stage.run(), "failed", worker, draft());
    expect(await reopen()).toBe(1);
    expect(await stage.pool.query("select planned_slices from ops.run where run_id = $1", [retry])).toMatchObject({
      rows: [{ planned_slices: 1 }],
    });
    expect(await wasPlannedSince(stage.db, "", 0)).toBe(false);
  });

  test("leaves every other state and every other dataset alone", async () => {
    const run = await stage.run();
    for (const [index, state] of (["loaded", "empty", "skipped", "deferred", "running"] as const).entries())
      await stage.inState(run, state, worker, draft({ window: august(index + 1) }));
    await stage.inState(run, "failed", worker, draft({ dataset: "other" }));
    expect(await reopen()).toBe(0);
    expect(await reopen("other")).toBe(1);
  });

  test("takes only slices with the codes that are named, and of those that ended since the day that is named", async () => {
    const run = await stage.run();
    for (const [index, code] of ["not_json", "server_error"].entries()) {
      const [id] = await stage.inState(run, "failed", worker, draft({ window: august(index + 1) }));
      await sql`update ops.slice set error_code = ${code}, ended_at = ${`2026-08-0${index + 1}T23:59:00Z`} where slice_id = ${id}`.execute(
        stage.db,
      );
    }
    const which = { datasets: ["keyword_rank"] };
    const codes = async (more: Partial<Reopening>) =>
      (await reopenable(stage.db, { ...which, ...more })).map(({ code }) => code);
    expect(await codes({})).toEqual(["not_json", "server_error"]);
    expect(await codes({ codes: ["not_json"] })).toEqual(["not_json"]);
    expect(await codes({ since: day("2026-08-02") })).toEqual(["server_error"]);
    expect(await reopenSlices(stage.db, { ...which, codes: ["server_error"], runId: retry })).toBe(1);
    expect(await codes({})).toEqual(["not_json"]);
  });

  test("takes only slices of the partitions that are named, about any of the days that are named", async () => {
    const run = await stage.run();
    const us = { store: "ios", app: "1", country: "US" };
    await stage.inState(run, "failed", worker, draft({ scope: us, window: august(1) }));
    await stage.inState(run, "failed", worker, draft({ scope: us, window: august(5) }));
    await stage.inState(run, "failed", worker, draft({ scope: { ...us, country: "JP" }, window: august(1) }));
    await stage.inState(run, "failed", worker, draft({ scope: { org: "7" }, window: august(1) }));
    const count = async (more: Partial<Reopening>) =>
      (await reopenable(stage.db, { datasets: ["keyword_rank"], ...more })).reduce(
        (sum, { slices }) => sum + slices,
        0,
      );
    const group = { dataset: "keyword_rank", store: "ios", trackId: "1", country: "US" };
    expect(await count({})).toBe(4);
    expect(await count({ groups: [group] })).toBe(2);
    expect(await count({ groups: [group], about: august(1) })).toBe(1);
    expect(await count({ about: august(1) })).toBe(3);
    expect(await count({ groups: [{ dataset: "keyword_rank", store: null, trackId: null, country: null }] })).toBe(1);
    expect(await count({ groups: [{ ...group, dataset: "other" }] })).toBe(0);
    expect(
      await reopenSlices(stage.db, { datasets: ["keyword_rank"], groups: [group], about: august(5), runId: retry }),
    ).toBe(1);
  });

  test("is priced as planned, or by the price that was learned since where that is higher", async () => {
    const run = await stage.run();
    const planned = { operation: "learned", requests: 2, credits: 6 };
    await stage.inState(run, "failed", worker, draft({ ...planned, window: august(1) }));
    await stage.inState(run, "failed", worker, draft({ ...planned, operation: "never called", window: august(2) }));
    const priced = async (learned: number) => {
      await stage.pool.query(
        `insert into ops.credit_cost (operation, documented, learned, last_seen_at, last_charged) values ('learned', 3, $1, now(), $1)
         on conflict (operation) do update set learned = excluded.learned`,
        [learned],
      );
      return (await reopenable(stage.db, { datasets: ["keyword_rank"] }))[0]?.credits;
    };
    expect(await priced(2)).toBe(6 + 6);
    expect(await priced(5)).toBe(10 + 6);
  });

  test("is priced without the pages that are stored, unless the stored answer is what failed", async () => {
    const run = await stage.run();
    const [id] = await stage.inState(run, "failed", worker, draft({ requests: 3, credits: 180, window: august(1) }));
    await stage.pool.query(
      `insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at)
       select page, $1, 1, page, '', '', 0, now() from generate_series(0, 1) as page`,
      [id],
    );
    const pricedAs = async (code: string) => {
      await stage.pool.query("update ops.slice set error_code = $1", [code]);
      return (await reopenable(stage.db, { datasets: ["keyword_rank"] }))[0]?.credits;
    };
    expect(await pricedAs("server_error")).toBe(60);
    // the list of failures shows the same figure
    expect((await readFailures(stage.db, [], 1)).failures).toMatchObject([{ retryCredits: 60 }]);
    expect(await pricedAs("not_json")).toBe(180);
    // what holds now is requested again: the stored pages are of then
    await stage.pool.query("update ops.slice set class = 'snapshot'");
    expect(await pricedAs("server_error")).toBe(180);
    // a run that runs it again shows the price that was shown before
    await stage.pool.query("update ops.slice set class = 'daily'");
    expect(await pricedAs("server_error")).toBe(60);
    expect(await reopen()).toBe(1);
    const { rows } = await stage.pool.query("select planned_credits from ops.run where run_id = $1", [retry]);
    expect(rows).toEqual([{ planned_credits: "60" }]);
  });

  test.each([
    ["the second page could not be read", "not_json", 2],
    ["the third page had no answer", "server_error", 1],
  ] as const)("what is open again costs the pages that its next attempt requests: %s", async (_, code, left) => {
    const [id = ""] = await stage.insert(await stage.run(), draft({ requests: 3, credits: 9 }));
    const slice = await stage.claimed(id, worker);
    await stage.land(id);
    await stage.land(id, 1);
    const error = { code, message: "" };
    await endAttempt(stage.db, slice, { ...ending, state: "pending", error, counts: true }, now);
    expect(await openWork(stage.db, { datasets: ["keyword_rank"], account: "" })).toMatchObject([
      { requests: left, credits: left * 3 },
    ]);
  });

  test("what is open again costs a later page that could not be read until that page has come again, for any end of its attempts", async () => {
    const [id = ""] = await stage.insert(await stage.run(), draft({ requests: 3, credits: 9 }));
    const unread = { code: "not_json", message: "" };
    const unpaid = { code: "credits_exhausted", message: "" };
    const left = async () =>
      (await openWork(stage.db, { datasets: ["keyword_rank"], account: "" })).map(({ credits }) => credits);
    const first = await stage.claimed(id, worker);
    await stage.land(id);
    await stage.land(id, 1);
    await endAttempt(stage.db, first, { ...ending, state: "pending", error: unread, counts: true }, now);
    const second = await stage.claimed(id, worker);
    expect(await left()).toEqual([6]);
    await endAttempt(stage.db, second, { ...ending, state: "pending", error: unpaid }, now);
    expect(await left()).toEqual([6]);
    const third = await stage.claimed(id, worker);
    await stage.land(id, 1, third.attempt);
    expect(await left()).toEqual([3]);
    await endAttempt(stage.db, third, { ...ending, state: "pending", error: unread }, now);
    expect(await left()).toEqual([6]);
    const fourth = await stage.claimed(id, worker);
    await stage.land(id, 1, fourth.attempt);
    // the error of the attempt before is still there
    expect(await left()).toEqual([3]);
  });

  test("is priced with a page that could not be read, also if the slice ended for another reason afterwards", async () => {
    const [id = ""] = await stage.insert(await stage.run(), draft({ requests: 1, credits: 3 }));
    const unread = { code: "not_json", message: "" };
    const first = await stage.claimed(id, worker);
    await stage.land(id);
    await endAttempt(stage.db, first, { ...ending, state: "pending", error: unread, counts: true }, now);
    const priced = async () => (await reopenable(stage.db, { datasets: ["keyword_rank"] }))[0]?.credits;
    const unpaid = { code: "run_limit_spent", message: "" };
    await endAttempt(stage.db, await stage.claimed(id, worker), { ...ending, state: "failed", error: unpaid }, now);
    expect(await priced()).toBe(3);
    expect(await reopen()).toBe(1);
    expect(
      (await openWork(stage.db, { datasets: ["keyword_rank"], account: "" })).map(({ credits }) => credits),
    ).toEqual([3]);
    // a page that came after it need not be requested again
    const third = await stage.claimed(id, worker);
    await stage.land(id, 0, third.attempt);
    await endAttempt(stage.db, third, { ...ending, state: "failed", error: unpaid }, now);
    expect(await priced()).toBe(0);
  });

  test("requests a cell once that failed more than once", async () => {
    const run = await stage.run();
    await stage.inState(run, "failed", worker, draft());
    const [second] = await stage.inState(run, "failed", worker, draft());
    expect(await reopen()).toBe(1);
    expect((await stage.queued()).map(({ slice }) => slice)).toEqual([second]);
  });

  test("requests a snapshot once that failed or was skipped on several days: each answer would hold now", async () => {
    const run = await stage.run();
    const snapshot = (date: number, scope = {}) =>
      draft({ class: "snapshot", window: august(date), scope: { store: "ios", ...scope } });
    await stage.inState(run, "failed", worker, snapshot(14), snapshot(15));
    const [newest] = await stage.inState(run, "failed", worker, snapshot(17));
    const retryable = async (id: string) => (await sliceDetails(stage.db, id))?.slice.is_retryable;
    expect([await retryable("2"), await retryable(newest!)]).toEqual([false, true]);
    await stage.inState(run, "skipped", worker, snapshot(13, { app: "1" }), snapshot(15, { app: "1" }));
    await stage.inState(run, "skipped", worker, snapshot(13, { app: "2" }));
    await stage.inState(run, "loaded", worker, snapshot(14, { app: "2" }));
    const which = { datasets: ["keyword_rank"], states: ["failed", "skipped"] } as const;
    const about = { start: august(14).start, end: august(15).end };
    expect(await reopenable(stage.db, { ...which, about })).toMatchObject([{ state: "skipped", slices: 1 }]);
    expect(await reopenSlices(stage.db, { ...which, runId: retry })).toBe(2);
    expect((await stage.queued()).map(({ slice }) => slice)).toContain(newest);
  });

  test("does not request the items once more that an answer left out: they are requested another way, and cost as much as all", async () => {
    const run = await stage.run();
    const lists = [draft({ items: ["a", "b"] }), draft({ items: ["c"], window: august(3) })];
    for (const list of lists) {
      const [id] = await stage.insert(run, list);
      const slice = await stage.claimed(id!, worker);
      await endAttempt(stage.db, slice, ending, now);
      await skipUnanswered(stage.db, slice, ["b", "c"]);
    }
    expect(await stage.slices("state, error_code")).toContainEqual({ state: "skipped", error_code: "not_tracked" });
    const which = { datasets: ["keyword_rank"], states: ["failed", "skipped"] } as const;
    expect(await reopenable(stage.db, which)).toEqual([]);
  });

  test("does not request a cell that was requested with success since, or is open", async () => {
    const run = await stage.run();
    for (const [index, state] of (["loaded", "pending", "running", "deferred"] as const).entries()) {
      const again = draft({ window: august(index + 1) });
      await stage.inState(run, "failed", worker, again);
      await stage.inState(run, state, worker, again);
    }
    expect(await reopen()).toBe(0);
  });

  test("does not stumble over an older slice that a split has made the same", async () => {
    const run = await stage.run();
    const [older] = await stage.insert(run, draft({ items: ["a", "b"] }));
    await stage.inState(run, "failed", worker, draft({ items: ["a"] }));
    await splitSlice(stage.db, await stage.claimed(older!, worker), now);
    expect(await reopen()).toBe(0);
  });

  test("distinguishes cells by scope, items and window", async () => {
    const run = await stage.run();
    const cells = [draft(), draft({ items: ["a"] }), draft({ window: august(1) }), draft({ scope: { store: "ios" } })];
    await stage.inState(run, "failed", worker, ...cells);
    expect(await reopen()).toBe(cells.length);
  });

  test("queues what it reopens newest first", async () => {
    const days = [3, 11, 7, 19, 15];
    await stage.inState(await stage.run(), "failed", worker, ...days.map((date) => draft({ window: august(date) })));
    await reopen();
    expect((await stage.queued()).map(({ slice }) => days[Number(slice) - 1])).toEqual(days.toSorted((a, b) => b - a));
  });

  test("gives each slice to one of two that retry at the same moment", async () => {
    const [id] = await stage.inState(await stage.run(), "failed", worker, draft());
    const holder = await stage.pool.connect();
    await holder.query("begin");
    await holder.query("select from ops.slice where slice_id = $1 for update", [id]);
    const both = Promise.all([reopen(), reopen()]);
    await expect.poll(() => stage.waiting()).toBe(2);
    await holder.query("commit");
    holder.release();
    expect((await both).toSorted()).toEqual([0, 1]);
  });
});
