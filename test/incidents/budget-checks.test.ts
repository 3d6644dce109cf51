import { expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { dayOf } from "../../src/core/day.ts";
import { openBudgets, refusingBudget } from "../../src/credits/budgets.ts";
import { budgetsOf } from "../../src/config/credit-budgets.ts";
import { draft, now } from "../support/ledger-stage.ts";
import { minute, watchForTests } from "../support/watch-stage.ts";

const stage = watchForTests();
const accountId = "a1";
const settingsOf = (credits: number, freshHours = 0.01) =>
  Settings.parse({
    datasets: { keyword_rank: { fresh_hours: freshHours } },
    credits: { budgets: { ranks: { datasets: ["keyword_rank"], credits_a_month: credits } } },
  });

test("a budget that is used up is one incident, which says what waits and until when, and closes when its limit is raised", async () => {
  const { db, pool } = stage.stage;
  const open = (credits: number) =>
    openBudgets(db, { accountId, budgets: budgetsOf(settingsOf(credits)), day: dayOf(now) });
  const opened = (await open(10)).map(({ budgetId }) => ({ budgetId, keeps: 0 }));
  await pool.query("update ops.credit_budget set taken_credits = 9");
  await stage.watch(1, stage.watcher({ settings: settingsOf(10) }));
  expect(stage.opened()).toEqual([]);
  await refusingBudget(db, { budgets: opened, cost: 3, now });
  await stage.ended("failed", draft({ dataset: "keyword_rank" }));
  await pool.query("update ops.slice set state = 'deferred', error_code = 'budget_exhausted', due_at = '2026-09-01'");
  await stage.watch(3, stage.watcher({ settings: settingsOf(10) }));
  expect(stage.opened()).toMatchObject([
    {
      kind: "budget_exhausted",
      subject: "ranks month",
      detail: { taken: 9, limit: 10, slices: 1, effects: ["keyword_rank"], continues_at: "2026-09-01T00:00:00.000Z" },
    },
  ]);
  expect(stage.opened()[0]?.["summary"]).toMatch(
    /^The budget "ranks" has had too few credits for a call since 2026-08-20 .*: 9 of its 10 credits a month are spent or reserved\. 1 slice of keyword_rank waits until 2026-09-01 00:00 UTC/,
  );
  await open(12);
  await pool.query("update ops.slice set state = 'loaded', error_code = null, due_at = null");
  await stage.watchClosing(stage.watcher({ settings: settingsOf(12, 1000) }));
  expect(stage.sent()).toEqual([
    [1, 0],
    [0, 1],
  ]);
});

test("slices whose call takes more than a whole budget count for that budget, which says that it must be raised", async () => {
  const { db, pool } = stage.stage;
  const settings = Settings.parse({
    datasets: { keyword_rank: { fresh_hours: 0.01 } },
    credits: { budgets: { all: { credits_a_month: 100 }, ranks: { datasets: ["keyword_rank"], credits_a_day: 2 } } },
  });
  const budgets = await openBudgets(db, { accountId, budgets: budgetsOf(settings), day: dayOf(now) });
  await pool.query("update ops.credit_budget set taken_credits = 99 where budget = 'all'");
  await refusingBudget(db, { budgets: budgets.map(({ budgetId }) => ({ budgetId, keeps: 0 })), cost: 3, now });
  await stage.ended("failed", draft({ dataset: "keyword_rank" }));
  await pool.query("update ops.slice set state = 'deferred', error_code = 'budget_too_small', due_at = '2026-08-21'");
  await stage.watch(3, stage.watcher({ settings }));
  const opened = new Map(stage.opened().map(({ subject, summary }) => [subject, String(summary)]));
  expect(opened.get("all month")).toMatch(
    /: 99 of its 100 credits a month are spent or reserved\. Nothing waits for it,/,
  );
  expect(opened.get("ranks day")).toMatch(
    /has had too few credits for a call since .*: 0 of its 2 credits a day are spent or reserved\. 1 slice of keyword_rank waits until credits\.budgets\.ranks is raised, because one call takes more than the whole budget, but/,
  );
});

test("history that leaves a used-up budget to nights does not count as waiting for it", async () => {
  const { db, pool } = stage.stage;
  const budgets = await openBudgets(db, { accountId, budgets: budgetsOf(settingsOf(10)), day: dayOf(now) });
  await pool.query("update ops.credit_budget set taken_credits = 9");
  await refusingBudget(db, { budgets: budgets.map(({ budgetId }) => ({ budgetId, keeps: 0 })), cost: 3, now });
  await stage.ended("failed", draft({ dataset: "keyword_rank" }));
  await pool.query("update ops.slice set state = 'deferred', error_code = 'budget_kept', due_at = '2026-08-21'");
  await stage.watch(3, stage.watcher({ settings: settingsOf(10, 1_000) }));
  const used = stage.opened().filter(({ kind }) => kind === "budget_exhausted");
  expect(used.map(({ summary }) => String(summary))).toEqual([expect.stringContaining("Nothing waits for it,")]);
});

test("such slices count for a budget that has refused them, on days on which a smaller one has refused nothing", async () => {
  const { db, pool } = stage.stage;
  const settings = Settings.parse({
    datasets: { keyword_rank: { fresh_hours: 0.01 } },
    credits: { budgets: { all: { credits_a_month: 2 }, ranks: { datasets: ["keyword_rank"], credits_a_day: 1 } } },
  });
  const budgets = await openBudgets(db, { accountId, budgets: budgetsOf(settings), day: dayOf(now) });
  const month = budgets.filter(({ period }) => period === "month");
  await refusingBudget(db, { budgets: month.map(({ budgetId }) => ({ budgetId, keeps: 0 })), cost: 3, now });
  await stage.ended("failed", draft({ dataset: "keyword_rank" }));
  await pool.query("update ops.slice set state = 'deferred', error_code = 'budget_too_small', due_at = '2026-09-01'");
  await stage.watch(3, stage.watcher({ settings }));
  const budgetsThatWait = stage.opened().filter(({ kind }) => kind === "budget_exhausted");
  expect(budgetsThatWait.map(({ subject, summary }) => [subject, String(summary)])).toEqual([
    ["all month", expect.stringContaining("1 slice of keyword_rank waits until credits.budgets.all is raised")],
  ]);
});

test("what waits for the next month of a budget takes no credits before the reset", async () => {
  const resets = new Date(now + 100 * 60 * minute).toISOString();
  await stage.stage.pool.query(
    `insert into ops.credit_account (account_id, total, remaining, resets_at, period_hours, pace_per_second, next_start_at)
     values ($1, 1000, 500, $2, 720, 1, $2)`,
    [accountId, resets],
  );
  await stage.ended("failed", draft({ dataset: "keyword_rank", credits: 880 }));
  const defer = (dueAt: string) =>
    stage.stage.pool.query("update ops.slice set state = 'deferred', error_code = 'budget_exhausted', due_at = $1", [
      dueAt,
    ]);
  const isShort = () => stage.opened().some(({ kind }) => kind === "credits_short");
  await defer("2026-09-01T00:00:00Z");
  await stage.watch(1, stage.watcher({ settings: settingsOf(10, 1_000) }));
  expect(isShort()).toBe(false);
  // both end at midnight, and the reset is known by whole seconds from when an answer came
  await defer(new Date(Date.parse(resets) - 1500).toISOString());
  await stage.watch(1, stage.watcher({ settings: settingsOf(10, 1_000) }));
  expect(isShort()).toBe(false);
  await defer(new Date(now + 50 * 60 * minute).toISOString());
  await stage.watch(1, stage.watcher({ settings: settingsOf(10, 1_000) }));
  expect(isShort()).toBe(true);
});
