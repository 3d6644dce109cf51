import { describe, expect, test } from "vitest";
import { minute, watchForTests } from "../support/watch-stage.ts";
import { Settings } from "../../src/config/settings.ts";
import { liftStop, noteStop } from "../../src/credits/account-stop.ts";
import { day } from "../../src/core/day.ts";
import { oneDay } from "../../src/core/window.ts";
import { draft, now } from "../support/ledger-stage.ts";

const house = watchForTests();
const accountId = "a1";
const day24 = 24 * 60 * minute;

describe("a look finds", () => {
  test("a dataset that is past its limit, and that it is there again", async () => {
    const loaded = (date: string) =>
      house.ended("loaded", draft({ dataset: "keyword_rank", window: oneDay(day(date)) }));
    await loaded("2026-08-18");
    await house.watch(1);
    expect(house.seen()).toEqual([]);
    house.clock.time = Date.UTC(2026, 7, 21, 7);
    await house.watch(1);
    expect(house.seen()).toMatchObject([
      { kind: "dataset_stale", subject: "keyword_rank", detail: { newest_day: "2026-08-18", limit_hours: 54 } },
    ]);
    await loaded("2026-08-20");
    await house.watch(3);
    expect(house.told()).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test("a dataset that was planned and never came; not one that is off or was never planned", async () => {
    const run = await house.stage.run();
    await house.stage.insert(run, draft({ dataset: "keyword_rank" }), draft({ dataset: "organic_keyword" }));
    house.clock.time += 60 * 60 * minute;
    await house.watch(1);
    expect(house.seen().map(({ subject }) => subject)).toEqual(["keyword_rank"]);
  });

  test("the limit that the settings name", async () => {
    const run = await house.stage.run();
    await house.stage.insert(run, draft({ dataset: "keyword_rank" }));
    const settings = Settings.parse({ datasets: { keyword_rank: { fresh_hours: 1 } } });
    house.clock.time += 2 * 60 * minute;
    await house.watch(1, house.lookout({ settings }));
    expect(house.seen()).toMatchObject([{ kind: "dataset_stale", detail: { limit_hours: 1 } }]);
  });

  test("credits that will not last, with the figures; and that they last again", async () => {
    await house.stage.pool.query(
      `insert into ops.credit_account (account_id, total, remaining, resets_at, period_hours, pace_per_second, next_start_at)
       values ($1, 1000, 100, $2, 720, 1, $2)`,
      [accountId, new Date(now + 100 * 60 * minute).toISOString()],
    );
    const run = await house.stage.run();
    await house.stage.insert(run, draft({ credits: 80 }));
    await house.watch(2);
    expect(house.seen()).toMatchObject([
      { kind: "credits_short", detail: { remaining: 100, total: 1000, usable: 50, waiting: 80, short: 30 } },
    ]);
    expect(house.seen()[0]?.["summary"]).toContain("100 of 1,000 credits are left");
    await house.stage.pool.query("update ops.credit_account set remaining = 900");
    await house.watch(3);
    expect(house.told()).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test("fields that nobody knows and calls that cost other than documented", async () => {
    const at = new Date(now).toISOString();
    await house.stage.pool.query("insert into ops.drift values ('ios.app-detail', '$.new', 'text', $1, $1, 1)", [at]);
    await house.stage.pool.query("insert into ops.credit_cost values ('ios.a', 3, 5, $1), ('ios.b', 3, 3, $1)", [at]);
    await house.watch(1);
    expect(house.seen().map(({ kind, subject }) => [kind, subject])).toEqual([
      ["contract_drift", "ios.app-detail 2026-08-20"],
      ["cost_changed", "ios.a"],
    ]);
  });

  test("a field for as long as answers hold it, by the day on which it came", async () => {
    const { pool } = house.stage;
    const at = (daysAgo: number) => new Date(house.clock.time - daysAgo * day24).toISOString();
    const field = (name: string, came: number, last: number) =>
      pool.query("insert into ops.drift values ('ios.a', $1, 'text', $2, $3, 1)", [name, at(came), at(last)]);
    const answered = (daysAgo: number) =>
      pool.query(
        `insert into ops.credit_cost values ('ios.a', 1, 1, $1)
         on conflict (operation) do update set last_seen_at = excluded.last_seen_at`,
        [at(daysAgo)],
      );
    // it came a month ago, and every answer since had it
    await field("old", 30, 0);
    await answered(0);
    await house.watch(5);
    expect(house.told()).toEqual([[1, 0]]);
    await field("young", 0, 0);
    await house.watch(5);
    expect(house.seen().map(({ subject }) => subject)).toEqual(["ios.a 2026-07-21", "ios.a 2026-08-20"]);
    // nobody asked for two weeks: nothing says that it is gone
    house.clock.time += 14 * day24;
    await house.watch(5);
    expect(house.told()).toHaveLength(2);
    // answers came without the one and with the other
    await answered(0);
    await pool.query("update ops.drift set last_seen_at = $1 where path = 'young'", [at(1)]);
    await house.watch(5);
    expect(house.receiver.received.at(-1)?.recovered).toMatchObject([{ subject: "ios.a 2026-07-21" }]);
    expect(house.told()).toHaveLength(3);
  });

  test("no failed slice of a dataset that is off, unless a line of the crontab names it", async () => {
    await house.failSlice("keyword_rank");
    await house.failSlice("organic_keyword");
    await house.watch(2, house.lookout({ scheduled: new Set(["organic_keyword"]) }));
    expect(house.seen().map(({ subject }) => subject)).toEqual([
      "keyword_rank server_error",
      "organic_keyword server_error",
    ]);
    await house.watch(3);
    expect(house.receiver.received.at(-1)?.recovered).toMatchObject([{ subject: "organic_keyword server_error" }]);
    const settings = Settings.parse({ datasets: { keyword_rank: { on: false } } });
    await house.watch(3, house.lookout({ settings }));
    expect(house.receiver.received.at(-1)?.recovered).toMatchObject([{ subject: "keyword_rank server_error" }]);
  });

  test("that nothing is asked for any more, and no other account's look closes it", async () => {
    const { db } = house.stage;
    const stop = {
      code: "unauthorised",
      operation: "",
      dataset: "",
      message: "unauthorised: the API refused the token",
    };
    await noteStop(db, accountId, stop, { firstMs: 1, longestMs: 1 });
    await house.watch(2);
    await house.watch(3, house.lookout({ accountId: "other" }));
    expect(house.told()).toEqual([[1, 0]]);
    expect(house.seen()).toMatchObject([{ kind: "asking_stopped", detail: { error_code: "unauthorised" } }]);
    await liftStop(db, accountId);
    await house.watch(3);
    expect(house.told()).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test("all else when one thing cannot be looked at; that stays as it is", async () => {
    await house.failSlice();
    await house.watch(1);
    await house.stage.pool.query("alter view ops.failed_slice rename to hidden");
    try {
      await house.stage.pool.query("insert into ops.credit_cost values ('ios.a', 3, 5, now())");
      await house.watch(3);
    } finally {
      await house.stage.pool.query("alter view ops.hidden rename to failed_slice");
    }
    expect(house.told()).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(house.lines().map(({ msg }) => msg)).toContain("watch.check_failed");
  });
});
