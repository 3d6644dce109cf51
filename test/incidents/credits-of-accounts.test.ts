import { expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { settingsOfAccount } from "../../src/config/config-of-account.ts";
import { budgetsOf } from "../../src/config/credit-budgets.ts";
import { dayOf } from "../../src/core/day.ts";
import { openBudgets, refusingBudget } from "../../src/credits/budgets.ts";
import { recordStop } from "../../src/credits/account-stop.ts";
import { readCreditDemand } from "../../src/incidents/credit-demand.ts";
import { readOpenIncidents } from "../../src/incidents/open-incidents.ts";
import { watchOnce } from "../../src/incidents/watcher.ts";
import { draft, now } from "../support/ledger-stage.ts";
import { minute, watchForTests } from "../support/watch-stage.ts";

const stage = watchForTests();
const settings = Settings.parse({
  accounts: { acme: {} },
  credits: { budgets: { ranks: { datasets: ["keyword_rank"], credits_a_month: 10 } } },
});
const ofFirst = { settings, accountId: "a1" };
const ofAcme = { settings: settingsOfAccount(settings, "acme"), accountId: "a2" };
const resets = new Date(now + 100 * 60 * minute).toISOString();

async function openAccounts(): Promise<void> {
  await stage.stage.pool.query(
    `insert into ops.credit_account (account_id, account, total, remaining, resets_at, period_hours, pace_per_second, next_start_at)
     values ('a1', '', 1000, 900, $1, 720, 1, $1), ('a2', 'acme', 1000, 60, $1, 720, 1, $1)`,
    [resets],
  );
}

/** Slices of acme alone, which wait for credits or for a budget. */
async function leaveWaiting(code: string): Promise<void> {
  await stage.stage.insert(
    await stage.stage.run({ account: "acme" }),
    draft({ dataset: "keyword_rank", credits: 880 }),
  );
  await stage.stage.pool.query("update ops.slice set state = 'deferred', error_code = $1, due_at = $2, ended_at = $3", [
    code,
    resets,
    new Date(now).toISOString(),
  ]);
}

const openedKinds = () =>
  stage.opened().flatMap(({ kind, detail }) => (String(kind).startsWith("dataset") ? [] : [{ kind, detail }]));

test("what waits for the credits of one account is no incident of another", async () => {
  await openAccounts();
  await leaveWaiting("credits_exhausted");
  await stage.watch(1, stage.watcher(ofFirst));
  expect(openedKinds()).toEqual([]);
  await stage.watch(1, stage.watcher(ofAcme));
  expect(openedKinds()).toMatchObject([{ kind: "credits_exhausted", detail: { remaining: 60, wanted: 880 } }]);
  const demandOf = ({ settings: own, accountId }: typeof ofFirst) =>
    readCreditDemand({ db: stage.stage.db, settings: own, clock: stage.clock, accountId });
  expect([(await demandOf(ofFirst))?.open, (await demandOf(ofAcme))?.open]).toEqual([{}, { daily: 880 }]);
});

test("what waits for credits is no incident once they are enough for it", async () => {
  await openAccounts();
  await leaveWaiting("credits_exhausted");
  const left = (credits: number) =>
    stage.stage.pool.query("update ops.credit_account set remaining = $1 where account = 'acme'", [credits]);
  await left(1_000);
  await stage.watch(1, stage.watcher(ofAcme));
  expect(openedKinds()).toEqual([]);
  // enough, were it not for the floor
  await left(900);
  await stage.watch(1, stage.watcher(ofAcme));
  expect(openedKinds()).toMatchObject([{ kind: "credits_exhausted", detail: { remaining: 900, wanted: 880 } }]);
  const [incident] = await readOpenIncidents(stage.stage.db);
  expect(incident?.summary).toMatch(
    /is loaded automatically after the reset at .*, or once credits were bought, except/,
  );
});

test("what waits for credits is counted at the learned price, as it is granted", async () => {
  await openAccounts();
  await leaveWaiting("credits_exhausted");
  const { pool } = stage.stage;
  await pool.query("update ops.credit_account set remaining = 1000 where account = 'acme'");
  await pool.query(
    "insert into ops.credit_cost (operation, documented, learned, last_charged, last_seen_at) values ($1, 880, 950, 950, now())",
    [draft().operation],
  );
  await stage.watch(1, stage.watcher(ofAcme));
  const exhausted = stage.opened().filter(({ kind }) => kind === "credits_exhausted");
  expect(exhausted).toMatchObject([{ detail: { remaining: 1_000, wanted: 950 } }]);
  await pool.query("truncate ops.credit_cost");
});

test("what waits for a budget of one account is not counted for the same one of another", async () => {
  await openAccounts();
  await leaveWaiting("budget_exhausted");
  const { db } = stage.stage;
  for (const { settings: own, accountId } of [ofFirst, ofAcme]) {
    const budgets = await openBudgets(db, { accountId, budgets: budgetsOf(own), day: dayOf(now) });
    await refusingBudget(db, { budgets: budgets.map(({ budgetId }) => ({ budgetId, keeps: 0 })), cost: 880, now });
  }
  const ofBudget = () => stage.opened().filter(({ kind }) => kind === "budget_exhausted");
  await stage.watch(1, stage.watcher(ofFirst));
  expect(ofBudget()).toMatchObject([{ detail: { slices: 0, datasets: [] } }]);
  await stage.watch(1, stage.watcher(ofAcme));
  expect(ofBudget()).toMatchObject([{}, { detail: { slices: 1, datasets: ["keyword_rank"] } }]);
});

test("each account is checked in its own turn, whenever the workers of others check", async () => {
  await openAccounts();
  await recordStop(
    stage.stage.db,
    "a2",
    { code: "unauthorised", operation: "", dataset: "", message: "" },
    { firstMs: 1, longestMs: 1 },
  );
  // the worker of acme always comes half a minute after that of the other account
  for (let turn = 0; turn < 20; turn += 1) {
    for (const account of [ofFirst, ofAcme]) {
      stage.clock.time += minute / 2;
      await watchOnce(stage.watcher(account));
    }
  }
  expect(stage.opened().map(({ kind, subject }) => [kind, subject])).toEqual([["requests_stopped", ""]]);
});
