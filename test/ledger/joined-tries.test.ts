import { describe, expect, test } from "vitest";
import { queueTries, readDueTries } from "../../src/ledger/failed-retries.ts";
import { spentOnLaterTries } from "../../src/ledger/retry-limits.ts";
import { readStatus } from "../../src/ledger/status.ts";
import { readablePages } from "../../src/raw/read-answers.ts";
import { dueTriesForTests } from "../support/due-tries.ts";
import { august, now, today } from "../support/ledger-stage.ts";

const hour = 3_600_000;
const days = (from: number, to: number) => ({ start: august(from).start, end: august(to).end });

describe("a failed slice that takes over the days of others", () => {
  const { ledger, failed } = dueTriesForTests();
  const readFound = () =>
    readDueTries(ledger.stage.db, { account: "", now, today, datasets: ["keyword_rank"], on: ["keyword_rank"] });

  /** Three failed days, the newest as a try with the days of all. */
  async function three() {
    const ids = [await failed({ window: august(17) }), await failed({ window: august(18) }), await failed()];
    await ledger.stage.pool.query(
      `update ops.slice set failures = case slice_id when $1 then 6 else 1 end, retried_at = case slice_id when $1 then $2::timestamptz end,
                            created_at = created_at - case slice_id when $1 then interval '2 days' else '0 s' end`,
      [ids[0], new Date(now - hour)],
    );
    await ledger.stage.pool.query(
      `insert into ops.request (account_id, slice_id, attempt, page, class, operation, params, status, cost, duration_ms, byte_count, received_at)
       values ('any', $1, 1, 0, 'daily', 'any', '{}', 200, 5, 0, 0, $2)`,
      [ids[0], new Date(now - hour / 2)],
    );
    const [newest] = (await readFound()).filter(({ sliceId }) => sliceId === ids[2]);
    if (newest === undefined) throw new Error("the newest one is not due");
    return { ids, tries: [{ ...newest, joins: { sliceIds: ids.slice(0, 2), window: days(17, 19) } }] };
  }

  test("is queued alone, with what they were charged today and the most failures of all", async () => {
    const { stage } = ledger;
    const { ids, tries } = await three();
    const runId = await stage.run({ kind: "retry" });
    expect(await queueTries(stage.db, { runId, tries, now })).toBe(1);
    expect((await readStatus(stage.db)).lastRun).toMatchObject({ runId, plannedSlices: 1 });
    const left =
      "slice_id::text as id, state, failures, window_start::text as from, window_end::text as until, created_at";
    expect(await stage.slices(left)).toEqual([
      {
        id: ids[2],
        state: "pending",
        failures: 6,
        from: days(17, 19).start,
        until: days(17, 19).end,
        created_at: new Date(now - 48 * hour),
      },
    ]);
    expect(await spentOnLaterTries(stage.db, now, "")).toBe(8);
  });

  test("is left alone where another process has queued one of them", async () => {
    const { stage } = ledger;
    const { ids, tries } = await three();
    await stage.pool.query("update ops.slice set state = 'pending', due_at = null where slice_id = $1", [ids[1]]);
    expect(await queueTries(stage.db, { runId: await stage.run({ kind: "retry" }), tries, now })).toBe(0);
    expect(await stage.slices("state")).toEqual([{ state: "failed" }, { state: "pending" }, { state: "failed" }]);
  });

  test.each([
    ["nothing of its own", "true", true],
    ["a plan", "plan_id = 1", false],
    ["an answer that ended early", "requested_end = window_end", false],
    ["the rest of an answer", "tail_of = 1", false],
    ["a process that died of it", "broken_off_count = 1", false],
    ["a day alone on which it holds", "class = 'snapshot'", false],
  ])("may be one with %s", async (_, change, mayJoin) => {
    await failed();
    if (change !== "true") await ledger.stage.pool.query(`update ops.slice set ${change}`);
    expect((await readFound()).map((one) => one.mayJoin)).toEqual([mayJoin]);
  });

  test("may be one whose only stored page could not be read; no page of any of them is read again", async () => {
    const { stage } = ledger;
    const answer = (id: string | undefined, attempt: number) =>
      stage.pool.query(
        `insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at)
         values (1, $1, $2, 0, 'any', '', 1, now())`,
        [id, attempt],
      );
    const { ids, tries } = await three();
    await stage.pool.query(
      "update ops.slice set error_code = 'not_json', attempt = case slice_id when $1 then 3 else 1 end",
      [ids[0]],
    );
    await answer(ids[0], 3);
    await answer(ids[2], 1);
    expect((await readFound()).map((one) => one.mayJoin)).toEqual([true, true, true]);
    await queueTries(stage.db, { runId: await stage.run({ kind: "retry" }), tries, now });
    const [kept = ""] = ids.slice(2);
    const stored = await stage.pool.query("select distinct slice_id::text as id from raw.answer");
    expect(stored.rows).toEqual([{ id: kept }]);
    const { attempt } = await stage.claimed(kept, ledger.worker);
    expect(attempt).toBe(4);
    expect(await readablePages(stage.db, kept)).toEqual(new Map());
  });

  test("may not be one with a stored page, nor one about a whole period", async () => {
    const id = await failed();
    await ledger.stage.land(id);
    expect((await readFound()).map((one) => one.mayJoin)).toEqual([false]);
    await ledger.stage.pool.query("truncate raw.answer");
    await ledger.stage.pool.query("update ops.dataset_timing set kind = 'period'");
    expect((await readFound()).map((one) => one.mayJoin)).toEqual([false]);
  });
});
