import { putOffUntil } from "../../src/core/retry-times.ts";
import { describe, expect, test } from "vitest";
import { minute, watchForTests } from "../support/watch-stage.ts";
import { Settings } from "../../src/config/settings.ts";
import { liftStop, recordStop } from "../../src/credits/account-stop.ts";
import { day } from "../../src/core/day.ts";
import { oneDay, type Window } from "../../src/core/window.ts";
import { draft, now } from "../support/ledger-stage.ts";

const stage = watchForTests();
const accountId = "a1";
const day24 = 24 * 60 * minute;

describe("a check finds", () => {
  test("a dataset that is past its limit, and closes the incident when it is loaded", async () => {
    const loaded = (date: string) =>
      stage.ended("loaded", draft({ dataset: "keyword_rank", window: oneDay(day(date)) }));
    await loaded("2026-08-18");
    await stage.watch(1);
    expect(stage.opened()).toEqual([]);
    stage.clock.time = Date.UTC(2026, 7, 21, 7);
    await stage.watch(1);
    expect(stage.opened()).toMatchObject([
      { kind: "dataset_stale", subject: "keyword_rank", detail: { newest_day: "2026-08-18", limit_hours: 54 } },
    ]);
    await loaded("2026-08-20");
    await stage.watchClosing();
    expect(stage.sent()).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test("a dataset that was planned and never loaded; not one that is off or was never planned", async () => {
    const run = await stage.stage.run();
    await stage.stage.insert(run, draft({ dataset: "keyword_rank" }), draft({ dataset: "organic_keyword" }));
    stage.clock.time += 60 * 60 * minute;
    await stage.watch(1);
    expect(stage.opened().map(({ subject }) => subject)).toEqual(["keyword_rank"]);
  });

  test("no dataset whose lists all wait until many days are out, before these are due; and one with a list that does not", async () => {
    const { pool } = stage.stage;
    const scope = (app: string) => ({ store: "ios", app, device: "ALL" });
    await pool.query(
      `insert into ops.dataset_timing (dataset, scope, is_default, kind, settle_days, pack_days)
       select 'retention', s::jsonb, s = 'null', 'series', 1, case when s <> 'null' then 28 end from unnest($1::text[]) as s`,
      [["null", JSON.stringify(scope("1"))]],
    );
    const pack = { start: day("2026-07-20"), end: day("2026-08-17") };
    const loaded = (app: string, window: Window) =>
      stage.ended("loaded", draft({ dataset: "retention", scope: scope(app), window }));
    const openedNow = async () => {
      await stage.watch(1);
      return stage.opened();
    };
    // of an app that is not connected the newest 28 days are there
    await loaded("1", pack);
    expect(await openedNow()).toEqual([]);
    // such an app, and one that is connected, left the portfolio
    await loaded("2", pack);
    await loaded("3", oneDay(day("2026-08-12")));
    // which only another account still lists
    await pool.query(
      "insert into core.configured_portfolio (store, track_id, part, member, valid_from, account) values ('ios', '3', 'app', '', '2026-08-01', 'acme')",
    );
    expect(await openedNow()).toEqual([]);
    // one that has just turned out to be connected: its first night is not over
    await pool.query(
      "insert into core.configured_portfolio (store, track_id, part, member, valid_from) select 'ios', app, 'app', '', '2026-08-01' from unnest(array['1', '4', '5']) as app",
    );
    await loaded("4", pack);
    await stage.stage.insert(await stage.stage.run(), draft({ dataset: "retention", scope: scope("4") }));
    expect(await openedNow()).toEqual([]);
    await loaded("5", oneDay(day("2026-08-12")));
    expect(await openedNow()).toMatchObject([{ kind: "dataset_stale", subject: "retention" }]);
    await pool.query("delete from ops.dataset_timing");
    await pool.query("delete from core.configured_portfolio");
  });

  test("no dataset of apps that are not connected, of which the service has nothing", async () => {
    const { pool } = stage.stage;
    const scope = { store: "ios", app: "1", device: "ALL" };
    await pool.query(
      `insert into ops.dataset_timing (dataset, scope, is_default, kind, settle_days, pack_days) values ('retention', $1, false, 'series', 1, 28)`,
      [JSON.stringify(scope)],
    );
    await stage.ended("skipped", draft({ dataset: "retention", scope }));
    stage.clock.time += 40 * day24;
    await stage.watch(1);
    expect(stage.opened()).toEqual([]);
    await pool.query("delete from ops.dataset_timing");
  });

  test("no list of the account once the portfolio is the configured one alone", async () => {
    await stage.ended("loaded", draft({ dataset: "tracked_app", window: oneDay(day("2026-08-18")) }));
    await stage.ended("failed", draft({ dataset: "tracked_country" }));
    stage.clock.time = Date.UTC(2026, 7, 21, 7);
    const settings = Settings.parse({ portfolio: { source: "config" } });
    await stage.watch(1, stage.watcher({ settings }));
    expect(stage.opened()).toEqual([]);
    await stage.watch(1);
    expect(stage.opened().map(({ subject }) => subject)).toContain("tracked_app");
  });

  test("the limit that the settings name", async () => {
    const run = await stage.stage.run();
    await stage.stage.insert(run, draft({ dataset: "keyword_rank" }));
    const settings = Settings.parse({ datasets: { keyword_rank: { fresh_hours: 1 } } });
    stage.clock.time += 2 * 60 * minute;
    await stage.watch(1, stage.watcher({ settings }));
    expect(stage.opened()).toMatchObject([{ kind: "dataset_stale", detail: { limit_hours: 1 } }]);
  });

  test("credits that run out before the reset, with the figures, until they are enough again", async () => {
    await stage.stage.pool.query(
      `insert into ops.credit_account (account_id, total, remaining, resets_at, period_hours, pace_per_second, next_start_at)
       values ($1, 1000, 100, $2, 720, 1, $2)`,
      [accountId, new Date(now + 100 * 60 * minute).toISOString()],
    );
    const run = await stage.stage.run();
    await stage.stage.insert(run, draft({ credits: 80 }));
    await stage.watch(2);
    expect(stage.opened()).toMatchObject([
      { kind: "credits_short", detail: { remaining: 100, total: 1000, usable: 50, waiting: 80, short: 30 } },
    ]);
    expect(stage.opened()[0]?.["summary"]).toMatch(
      /^100 of 1,000 credits are left, and since 2026-08-20 \d\d:\d\d UTC/,
    );
    await stage.stage.pool.query("update ops.credit_account set remaining = 900");
    await stage.watchClosing();
    expect(stage.sent()).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test("slices that wait for credits, in one incident with the forecast and what is late because of it", async () => {
    const resets = new Date(now + 100 * 60 * minute).toISOString();
    await stage.stage.pool.query(
      `insert into ops.credit_account (account_id, total, remaining, resets_at, period_hours, pace_per_second, next_start_at)
       values ($1, 1000, 10, $2, 720, 1, $2)`,
      [accountId, resets],
    );
    await stage.ended("failed", draft({ dataset: "keyword_rank", credits: 80 }));
    await stage.stage.pool.query(
      "update ops.slice set state = 'deferred', error_code = 'credits_exhausted', due_at = $1, ended_at = $2",
      [resets, new Date(now).toISOString()],
    );
    const settings = Settings.parse({ datasets: { keyword_rank: { fresh_hours: 0.01 } } });
    await stage.watch(3, stage.watcher({ settings }));
    expect(stage.opened()).toMatchObject([
      { kind: "credits_exhausted", detail: { slices: 1, wanted: 80, effects: ["keyword_rank", "credits_short"] } },
    ]);
  });

  test("unknown fields, and calls that cost other than documented", async () => {
    const at = new Date(now).toISOString();
    await stage.stage.pool.query("insert into ops.drift values ('ios.app-detail', '$.new', 'text', $1, $1, 1)", [at]);
    await stage.stage.pool.query("insert into ops.credit_cost values ('ios.a', 3, 5, $1), ('ios.b', 3, 3, $1)", [at]);
    await stage.watch(1);
    expect(stage.opened().map(({ kind, subject }) => [kind, subject])).toEqual([
      ["contract_drift", "ios.app-detail 2026-08-20"],
      ["cost_changed", "ios.a"],
    ]);
  });

  test("an unknown field for as long as answers contain it, by the day on which it came", async () => {
    const { pool } = stage.stage;
    const at = (daysAgo: number) => new Date(stage.clock.time - daysAgo * day24).toISOString();
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
    await stage.watch(2);
    expect(stage.sent()).toEqual([[1, 0]]);
    await field("young", 0, 0);
    await stage.watch(2);
    expect(stage.opened().map(({ subject }) => subject)).toEqual(["ios.a 2026-07-21", "ios.a 2026-08-20"]);
    // no request for two weeks: nothing shows that it is gone
    stage.clock.time += 14 * day24;
    await stage.watch(2);
    expect(stage.receiver.received.flatMap(({ closed = [] }) => closed)).toEqual([]);
    // answers came without the one and with the other
    await answered(0);
    await pool.query("update ops.drift set last_seen_at = $1 where path = 'young'", [at(1)]);
    const before = stage.sent().length;
    await stage.watchClosing();
    expect(stage.receiver.received.at(-1)?.closed).toMatchObject([{ subject: "ios.a 2026-07-21" }]);
    expect(stage.sent()).toHaveLength(before + 1);
  });

  test("no failed slice of a dataset that is off, unless a line of the crontab names it", async () => {
    await stage.failSlice("keyword_rank");
    await stage.failSlice("organic_keyword", "2");
    await stage.watch(2, stage.watcher({ scheduled: new Map([["organic_keyword", 24 * 60 * minute]]) }));
    expect(stage.opened().map(({ subject }) => subject)).toEqual([
      "keyword_rank server_error",
      "organic_keyword server_error",
    ]);
    await stage.watchClosing();
    expect(stage.receiver.received.at(-1)?.closed).toMatchObject([{ subject: "organic_keyword server_error" }]);
    const settings = Settings.parse({ datasets: { keyword_rank: { on: false } } });
    await stage.watchClosing(stage.watcher({ settings }));
    expect(stage.receiver.received.at(-1)?.closed).toMatchObject([{ subject: "keyword_rank server_error" }]);
  });

  test("a dataset that only a line of the crontab names, by the distance of its runs", async () => {
    await stage.ended("loaded", draft({ dataset: "organic_keyword", window: oneDay(day("2026-08-18")) }));
    const every = (days: number) => stage.watcher({ scheduled: new Map([["organic_keyword", days * day24]]) });
    stage.clock.time = Date.UTC(2026, 7, 23, 7);
    await stage.watch(1, stage.watcher());
    await stage.watch(1, every(7));
    expect(stage.opened()).toEqual([]);
    await stage.watch(1, every(1));
    expect(stage.opened()).toMatchObject([{ kind: "dataset_stale", subject: "organic_keyword" }]);
  });

  test("a dataset that is on and that no line of the crontab runs, once it has an answer", async () => {
    const elsewhere = () => stage.watcher({ scheduled: new Map() });
    stage.clock.time = Date.UTC(2026, 7, 23, 7);
    await stage.stage.insert(await stage.stage.run(), draft({ dataset: "keyword_rank" }));
    await stage.watch(1, elsewhere());
    expect(stage.opened()).toEqual([]);
    await stage.ended("loaded", draft({ dataset: "keyword_rank", window: oneDay(day("2026-08-01")) }));
    await stage.watch(1, elsewhere());
    expect(stage.opened()).toMatchObject([{ kind: "dataset_stale", subject: "keyword_rank" }]);
  });

  test("an app that fails in several datasets, by its name", async () => {
    await stage.stage.pool.query(
      "insert into core.dim_app (store, track_id, app_name) values ('ios', '77', 'Lumi: Habits')",
    );
    for (const dataset of ["keyword_rank", "review", "app_rating"]) await stage.failSlice(dataset, "77");
    await stage.watch(2);
    expect(stage.opened()).toMatchObject([{ kind: "app_failing", detail: { name: "Lumi: Habits", slices: 3 } }]);
    expect(stage.opened()[0]?.["summary"]).toContain(
      "3 slices of the iOS app Lumi: Habits (77) have failed since 2026-08-20",
    );
  });

  test("failed slices of another account, with the account in the command that requests them", async () => {
    await stage.stage.pool.query(
      "update ops.run set account = 'acme' where run_id = (select run_id from ops.slice where slice_id = $1)",
      [await stage.failSlice()],
    );
    await stage.watch(2);
    expect(stage.opened()[0]?.["summary"]).toMatch(
      /^1 slice of keyword_rank of account acme has failed .*`STOREHOUSE_ACCOUNT=acme storehouse retry --dry-run --dataset keyword_rank` shows what requesting them now costs/,
    );
  });

  test("failed slices whose first later try is still to come only when that has failed too", async () => {
    await stage.failSlice();
    const { pool } = stage.stage;
    await pool.query("update ops.slice set due_at = $1", [new Date(stage.clock.time + 5 * minute).toISOString()]);
    await stage.watch(4);
    expect(stage.opened()).toEqual([]);
    const next = new Date(stage.clock.time + 30 * minute).toISOString();
    await pool.query("update ops.slice set due_at = $1, retried_at = now()", [next]);
    await stage.watch(1);
    expect(stage.opened()).toMatchObject([{ kind: "slices_failed", detail: { next_try_at: next } }]);
  });

  test("failed slices whose first later try the limit of the day has put off, and what they wait for", async () => {
    await stage.failSlice();
    const tomorrow = new Date(putOffUntil(stage.clock.time)).toISOString();
    await stage.stage.pool.query("update ops.slice set due_at = $1, ended_at = $2", [
      tomorrow,
      new Date(stage.clock.time).toISOString(),
    ]);
    await stage.watch(14);
    expect(stage.opened()).toEqual([]);
    await stage.watch(3);
    expect(stage.opened()).toMatchObject([{ kind: "slices_failed", detail: { next_try_at: tomorrow } }]);
    expect(stage.opened()[0]?.["summary"]).toMatch(/ 00:00 UTC, when credits\.retries_a_day has room again/);
  });

  test("stopped requests, and no check of another account closes the incident", async () => {
    const { db } = stage.stage;
    const stop = {
      code: "unauthorised",
      operation: "",
      dataset: "",
      message: "unauthorised: the API refused the token",
    };
    await recordStop(db, accountId, stop, { firstMs: 1, longestMs: 1 });
    await stage.watch(1);
    // nor is it repeated day by day once the token is another account's
    for (let days = 0; days < 2; days += 1) {
      await stage.watchClosing(stage.watcher({ accountId: "other" }));
      stage.clock.time += 24 * 60 * minute;
    }
    expect(stage.sent()).toEqual([[1, 0]]);
    expect(stage.opened()).toMatchObject([{ kind: "requests_stopped", detail: { error_code: "unauthorised" } }]);
    await liftStop(db, accountId);
    await stage.watchClosing();
    expect(stage.sent()).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test("a refused token, which refuses everything, and a refused operation by name, with what to do", async () => {
    const { db } = stage.stage;
    const refuse = (operation: string, more: object) =>
      recordStop(
        db,
        accountId,
        { code: "", message: "", operation, dataset: "", ...more },
        { firstMs: 1, longestMs: 1 },
      );
    const summary = () => stage.opened().at(-1)?.summary;
    await refuse("account.remaining-credits", { code: "unauthorised" });
    await stage.watch(1);
    expect(summary()).toMatch(/^The API has refused all requests of the account since .*UTC \(unauthorised: .*\)\. /);
    expect(summary()).toMatch(/Nothing is loaded until .*: replace the token .* and restart the workers; /);
    await liftStop(db, accountId);
    await stage.watchClosing();
    await refuse("ios.keyword-ranking", { code: "forbidden", dataset: "keyword_rank", subject: "123" });
    await stage.watch(1);
    expect(summary()).toMatch(/refused ios.keyword-ranking of keyword_rank for the app or organisation 123 since /);
    expect(summary()).toMatch(/: request this right from the operator of the API, or switch the dataset off; /);
  });

  test("everything else when one kind cannot be checked; its incidents stay as they are", async () => {
    await stage.failSlice();
    await stage.watch(1);
    await stage.stage.pool.query("alter view ops.failed_slice rename to hidden");
    try {
      await stage.stage.pool.query("insert into ops.credit_cost values ('ios.a', 3, 5, now())");
      await stage.watch(3);
    } finally {
      await stage.stage.pool.query("alter view ops.hidden rename to failed_slice");
    }
    expect(stage.sent()).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(stage.lines().map(({ msg }) => msg)).toContain("watch.check_failed");
  });

  test("and reports what is wrong where alerts cannot be checked", async () => {
    await stage.failSlice();
    const settings = Settings.parse({ alerts: { fell: { kind: "keyword_fell" } } });
    await stage.stage.pool.query("alter table ops.alert_day rename to hidden");
    try {
      await stage.watch(1, stage.watcher({ settings }));
    } finally {
      await stage.stage.pool.query("alter table ops.hidden rename to alert_day");
    }
    expect(stage.sent()).toEqual([[1, 0]]);
    expect(stage.lines()).toContainEqual(expect.objectContaining({ msg: "watch.check_failed", kind: "alerts" }));
  });
});
