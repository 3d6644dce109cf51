import { expect, test } from "vitest";
import { now } from "../support/ledger-stage.ts";
import { minute, watchForTests } from "../support/watch-stage.ts";

const stage = watchForTests();
const hour = 60 * minute;

/** So many credits were charged at an instant for what is no backfill. */
async function charged(credits: number, at: number): Promise<void> {
  await stage.stage.pool.query(
    `insert into ops.request (account_id, attempt, page, class, operation, params, status, cost, duration_ms, byte_count, received_at)
     values ('a1', 1, 0, 'daily', 'keywords.ranking', '{}', 200, $1, 1, 1, $2)`,
    [credits, new Date(at)],
  );
}

test("what a first sync takes is no pace: credits do not run out by it before the nights to come are forecast", async () => {
  await stage.stage.pool.query(
    `insert into ops.credit_account (account_id, total, remaining, resets_at, period_hours, pace_per_second, next_start_at)
     values ('a1', 10000, 7000, $1, 720, 1, $1)`,
    [new Date(now + 200 * hour).toISOString()],
  );
  await charged(3_000, now - minute);
  await stage.watch(1);
  expect(stage.opened()).toEqual([]);
  stage.clock.time += 25 * hour;
  await charged(3_000, stage.clock.time - hour);
  await stage.watch(1);
  expect(stage.opened()).toMatchObject([{ kind: "credits_short" }]);
});
