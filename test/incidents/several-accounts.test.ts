import { describe, expect, test } from "vitest";
import { settingsOfAccount } from "../../src/config/config-of-account.ts";
import { budgetsOf } from "../../src/config/credit-budgets.ts";
import { Settings } from "../../src/config/settings.ts";
import { dayOf } from "../../src/core/day.ts";
import { recordStop } from "../../src/credits/account-stop.ts";
import { openBudgets, refusingBudget } from "../../src/credits/budgets.ts";
import { readOpenIncidents } from "../../src/incidents/open-incidents.ts";
import { watchOnce } from "../../src/incidents/watcher.ts";
import { draft, now } from "../support/ledger-stage.ts";
import { cleanChecks, minute, watchForTests } from "../support/watch-stage.ts";

const stage = watchForTests();
const refused = { code: "unauthorised", operation: "", dataset: "", message: "" };

/** A worker of each of two accounts checks so many times, the second one always half a minute after the first. */
async function inTurns(times: number): Promise<void> {
  const workers = [stage.watcher({ accountId: "a1" }), stage.watcher({ accountId: "a2" })];
  for (let turn = 0; turn < times; turn += 1)
    for (const worker of workers) {
      stage.clock.time += minute / 2;
      await watchOnce(worker);
    }
}

describe("workers of two accounts", () => {
  test("each check their own account, also where the other one always comes first", async () => {
    const distances = { firstMs: minute, longestMs: 60 * minute };
    await inTurns(1);
    for (const account of ["a1", "a2"]) await recordStop(stage.stage.db, account, refused, distances);
    await inTurns(cleanChecks + 1);
    const { rows } = await stage.stage.pool.query("select kind, account_id from ops.incident order by account_id");
    expect(rows).toEqual(["a1", "a2"].map((account) => ({ kind: "requests_stopped", account_id: account })));
    expect(stage.opened()).toHaveLength(2);
  });

  test("open no incident for what follows from that of the other one, whichever of them checks the warehouse", async () => {
    await recordStop(stage.stage.db, "a1", refused, { firstMs: minute, longestMs: 60 * minute });
    await stage.watch(1, stage.watcher({ accountId: "a1" }));
    await stage.failSlice();
    await inTurns(2);
    await stage.watch(2, stage.watcher({ accountId: "a2" }));
    expect(stage.opened().map(({ kind }) => kind)).toEqual(["requests_stopped"]);
  });

  test("do not ping while either account has trouble, and go on where only a token that was replaced had some", async () => {
    await using _ = await stage.stage.aliveAs("worker");
    const pings = { count: 0 };
    const ping = () => ((pings.count += 1), Promise.resolve());
    const pinged = async () => {
      pings.count = 0;
      await stage.watch(3, stage.watcher({ ping }));
      return pings.count;
    };
    await recordStop(stage.stage.db, "a2", refused, { firstMs: minute, longestMs: 60 * minute });
    expect(await pinged()).toBe(3);
    await stage.watch(1, stage.watcher({ accountId: "a2" }));
    expect(await pinged()).toBe(0);
    stage.clock.time += 24 * 60 * minute;
    expect(await pinged()).toBe(3);
  });

  test("do not ping while the last worker of an account is dead, until a day after the account was taken out of the configuration", async () => {
    await using _ = await stage.stage.aliveAs("worker");
    const died = (account: string, hours: number, endedAs = "died") =>
      stage.stage.pool.query(
        `insert into ops.worker (kind, account, host, pid, started_at, heartbeat_at, stopped_at, ended_as)
         select 'worker', $1, 'gone', 1, at, at, at, $3 from (select now() - $2 * interval '1 hour' as at) as t`,
        [account, hours, endedAs],
      );
    const pinged = async (...accounts: readonly string[]) => {
      let count = 0;
      const settings = Settings.parse({ accounts: Object.fromEntries(accounts.map((name) => [name, {}])) });
      await stage.watch(3, stage.watcher({ settings, ping: () => ((count += 1), Promise.resolve()) }));
      return count;
    };
    // killed while it waited until the API accepts the account
    await died("acme", 26, "waiting");
    expect(await pinged("acme")).toBe(0);
    await died("acme", 25);
    expect(await pinged("acme")).toBe(0);
    expect(await pinged()).toBe(3);
    await died("globex", 23);
    expect(await pinged()).toBe(0);
  });

  test("close what was wrong with a token once another one is in its place, and nothing of another account", async () => {
    const { db, pool } = stage.stage;
    await pool.query(
      `insert into ops.credit_account (account_id, account, pace_per_second, next_start_at)
       values ('a1', '', 1, $1), ('a2', 'acme', 1, $1), ('a3', '', 1, $1)`,
      [new Date(now)],
    );
    const distances = { firstMs: minute, longestMs: 60 * minute };
    for (const accountId of ["a1", "a2"]) {
      await recordStop(db, accountId, refused, distances);
      await stage.watch(1, stage.watcher({ accountId }));
    }
    await stage.watchClosing(stage.watcher({ accountId: "a3" }));
    const { rows } = await pool.query("select account_id from ops.incident where closed_at is null");
    expect(rows).toEqual([{ account_id: "a2" }]);
    expect(stage.sent().at(-1)).toEqual([0, 1]);
    // both are in use: the check of each holds its own open
    await pool.query("truncate ops.incident");
    const workers = [stage.watcher({ accountId: "a1" }), stage.watcher({ accountId: "a3" })];
    for (let turn = 0; turn < cleanChecks; turn += 1) for (const worker of workers) await stage.watch(1, worker);
    expect((await pool.query("select account_id, closed_at from ops.incident")).rows).toEqual([
      { account_id: "a1", closed_at: null },
    ]);
  });

  test("close what was wrong with an account that was taken out of the configuration: nothing else would, and no message says that it is over", async () => {
    const { db, pool } = stage.stage;
    await pool.query(
      "insert into ops.credit_account (account_id, account, pace_per_second, next_start_at) values ('a2', 'acme', 1, now())",
    );
    const acme = Settings.parse({ accounts: { acme: {} } });
    await recordStop(db, "a2", refused, { firstMs: minute, longestMs: 60 * minute });
    await stage.watch(1, stage.watcher({ accountId: "a2" }));
    const open = async () => (await readOpenIncidents(db)).map(({ kind }) => kind);
    await stage.watchClosing();
    expect(await open()).toEqual(["requests_stopped"]);
    // its worker was away for a night and checks again: that it is over is for it to find
    stage.clock.time += 25 * 60 * minute;
    await stage.watch(1, stage.watcher({ accountId: "a2" }));
    await stage.watch(1);
    expect(await open()).toEqual(["requests_stopped"]);
    const sent = stage.sent().length;
    stage.clock.time += 25 * 60 * minute;
    // one that is in the configuration, and whose worker is away, is as it was
    await stage.watch(1, stage.watcher({ settings: acme }));
    expect(await open()).toEqual(["requests_stopped"]);
    await stage.watch(1);
    expect(await open()).toEqual([]);
    expect(stage.sent()).toHaveLength(sent);
  });

  test("say of each account what waits for its own credits and budgets alone", async () => {
    const { db, pool } = stage.stage;
    const resets = new Date(now + 100 * 60 * minute).toISOString();
    await pool.query(
      `insert into ops.credit_account (account_id, total, remaining, resets_at, period_hours, pace_per_second, next_start_at)
       values ('a1', 1000, 900, $1, 720, 1, $1), ('a2', 1000, 10, $1, 720, 1, $1)`,
      [resets],
    );
    const settings = Settings.parse({
      credits: { budgets: { ranks: { datasets: ["keyword_rank"], credits_a_month: 10 } } },
    });
    for (const accountId of ["a1", "a2"]) {
      const budgets = await openBudgets(db, { accountId, budgets: budgetsOf(settings), day: dayOf(now) });
      await refusingBudget(db, { budgets: budgets.map(({ budgetId }) => ({ budgetId, keeps: 0 })), cost: 11, now });
    }
    const drafts = ["credits_exhausted", "budget_exhausted"].map((app) =>
      draft({ dataset: "keyword_rank", scope: { store: "ios", app, country: "US" }, credits: 1000 }),
    );
    await stage.stage.insert(await stage.stage.run({ account: "acme" }), ...drafts);
    await pool.query(
      "update ops.slice set state = 'deferred', due_at = $1, error_code = scope ->> 'app', ended_at = $2",
      [resets, new Date(now)],
    );
    const own = { ...settings, portfolio: { ...settings.portfolio, account: "acme" } };
    await stage.watch(1, stage.watcher({ accountId: "a1", settings }));
    await stage.watch(1, stage.watcher({ accountId: "a2", settings: own }));
    const { rows } = await pool.query(
      "select account_id, kind, detail -> 'slices' as slices from ops.incident where kind ~ 'credits|budget' order by 1, 2",
    );
    expect(rows).toEqual([
      { account_id: "a1", kind: "budget_exhausted", slices: 0 },
      { account_id: "a2", kind: "budget_exhausted", slices: 1 },
      { account_id: "a2", kind: "credits_exhausted", slices: 1 },
    ]);
  });

  test("report whose credits and tokens an incident is about, with the command of that account", async () => {
    const { db, pool } = stage.stage;
    await pool.query(
      "insert into ops.credit_account (account_id, account, pace_per_second, next_start_at) values ('a1', '', 1, now()), ('a2', 'acme', 1, now())",
    );
    for (const accountId of ["a1", "a2"]) {
      await recordStop(db, accountId, refused, { firstMs: minute, longestMs: 60 * minute });
      await stage.watch(1, stage.watcher({ accountId }));
    }
    const [first, acme] = stage.opened();
    expect([first?.["account"], acme?.["account"]]).toEqual(["", "acme"]);
    expect(first?.["summary"]).toMatch(/`storehouse /);
    expect(acme?.["summary"]).toMatch(/`STOREHOUSE_ACCOUNT=acme storehouse /);
    expect(acme?.["summary"]).not.toMatch(/`storehouse /);
  });

  test("report each the answers that are held of its own account", async () => {
    const { db, pool } = stage.stage;
    await pool.query(
      "insert into ops.credit_account (account_id, account, pace_per_second, next_start_at) values ('a1', '', 1, now()), ('a2', 'acme', 1, now())",
    );
    await pool.query(
      `insert into ops.held_answer (slice_id, dataset, scope, date_day, held_at, current_count, closing)
       values (1, 'tracked_app', '{}', now(), now(), 4, '{a,b,c}'), (2, 'tracked_app', '{"account":"acme"}', now(), now(), 6, '{a,b,c,d}')`,
    );
    const acme = settingsOfAccount(Settings.parse({ accounts: { acme: {} } }), "acme");
    await stage.watch(1, stage.watcher({ accountId: "a1" }));
    await stage.watch(1, stage.watcher({ accountId: "a2", settings: acme }));
    const found = (await readOpenIncidents(db)).map(({ kind, account, summary }) => [kind, account, summary]);
    expect(found).toEqual([
      ["answer_held", "", expect.stringContaining("3 of 4 members")],
      ["answer_held", "acme", expect.stringContaining("4 of 6 members")],
    ]);
  });

  test("check the warehouse once between them: its incidents close no sooner", async () => {
    await stage.failSlice();
    await inTurns(1);
    await stage.mend();
    await inTurns(cleanChecks - 1);
    expect(stage.sent()).toEqual([[1, 0]]);
    await inTurns(1);
    expect(stage.sent()).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });
});
