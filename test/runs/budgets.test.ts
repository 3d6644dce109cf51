import { expect, test } from "vitest";
import { addDays, dayOf } from "../../src/core/day.ts";
import { openWork } from "../../src/ledger/open-slices.ts";
import { openBudgets, readBudgets } from "../../src/credits/budgets.ts";
import { planDue } from "../../src/runs/scheduled-run.ts";
import { readBudgetWaits } from "../../src/ledger/budget-waits.ts";
import { budgetsOf } from "../../src/config/credit-budgets.ts";
import { cutToRooms, readRooms } from "../../src/planner/credit-budgets.ts";
import { createTally } from "../../src/planner/plan-tally.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { accountIdOf } from "../../src/config/config.ts";
import { keepPlan } from "../../src/ledger/plans.ts";
import { planAt } from "../support/slice-draft.ts";
import { planned } from "../support/ingest-planned.ts";
import { openNights, type Nights } from "../support/nights.ts";

const floors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
const ranksADay = 6;
const settings = {
  datasets: { app_rating: { on: true } },
  credits: {
    floors,
    budgets: {
      ranks: { datasets: ["keyword_rank"], credits_a_day: ranksADay },
      ratings: { datasets: ["app_rating"], credits_a_month: 1 },
    },
  },
};
type Standing = { dataset: string; state: string; code: string | null; failures: number; slices: number };
const slices = ({ stage }: Nights) =>
  stage.query<Standing>(
    `select dataset, state, error_code as code, max(failures) as failures, count(*)::int as slices from ops.slice
     where dataset in ('keyword_rank', 'app_rating') group by 1, 2, 3 order by 1, 2`,
  );
const charged = async ({ stage, clock }: Nights, dataset: string) => {
  const [row] = await stage.query<{ credits: number }>(
    "select coalesce(sum(cost), 0)::int as credits from ops.request where dataset = $1 and (received_at at time zone 'UTC')::date = $2",
    [dataset, dayOf(clock.now())],
  );
  return row?.credits ?? 0;
};

test("what is over a budget waits for its next day, was forecast to, and runs then; what exists tonight only is never refused", async () => {
  await using nights = await openNights({ market: { apps: 2, countries: ["US"], keywordsPerApp: 4 } }, { settings });
  const { stage, clock } = nights;
  const accountId = accountIdOf(stage.sandbox.token);
  await stage.sync(nights.run({ request: { datasets: ["tracked_keyword"] } }));
  const forecastCost = await (async () => {
    await using app = await stage.open(nights.run());
    const tally = createTally({ digest: false });
    for (const chunk of await planned(app, { datasets: [], bounds: {}, today: nights.today() }, true)) tally.add(chunk);
    const { settings: chosen } = app.config;
    const rooms = await readRooms(app.warehouse.db, { settings: chosen, accountId, day: dayOf(clock.now()) });
    return cutToRooms(tally.sum().lines, chosen, rooms).deferred;
  })();
  const first = await stage.sync(nights.run());
  const deferred = (await slices(nights)).find(({ state }) => state === "deferred");
  expect(first).toMatchObject({ outcome: "deferred" });
  expect(deferred).toMatchObject({ dataset: "keyword_rank", code: "budget_exhausted", failures: 0 });
  expect(forecastCost).toMatchObject([{ budget: { budget: "ranks", period: "day" }, slices: deferred?.slices }]);
  expect(await charged(nights, "keyword_rank")).toBeLessThanOrEqual(ranksADay);
  expect(await charged(nights, "app_rating")).toBeGreaterThan(1);
  expect((await slices(nights)).filter(({ dataset }) => dataset === "app_rating")).toMatchObject([{ state: "loaded" }]);
  expect(first.progress.nextDueAt).toBe(Date.parse(`${dayOf(clock.now() + 86_400_000)}T00:00:00Z`));

  await waitsCountForTheirApps(nights);

  const outcomes = "select outcome from ops.run_summary order by run_id desc limit 2";
  expect((await stage.query(outcomes))[0]).toEqual({ outcome: "deferred" });
  nights.next();
  await stage.sync(nights.run());
  // what waited in the run before waits in this one by now, or is loaded
  expect((await stage.query(outcomes))[1]).toEqual({ outcome: "loaded" });
  expect(await charged(nights, "keyword_rank")).toBeGreaterThan(0);
  expect(await charged(nights, "keyword_rank")).toBeLessThanOrEqual(ranksADay);

  const raised = { ...settings, credits: { floors } };
  await using app = await stage.open(nights.run({ settings: raised }));
  await using ingest = await openIngest(app, "worker", createRunLimit(null));
  await planDue(ingest.parts, app.config.settings, ["keyword_rank"]);
  expect(await readBudgetWaits(app.warehouse.db, clock.now())).toEqual([]);
  expect(
    await readBudgets(app.warehouse.db, {
      accountId,
      budgets: budgetsOf(app.config.settings),
      day: dayOf(clock.now()),
    }),
  ).toEqual([]);
});

/** What waits counts for a budget of one app as far as it is about that app. */
async function waitsCountForTheirApps(nights: Nights): Promise<void> {
  await using app = await nights.stage.open(nights.run());
  const waiting = await openWork(app.warehouse.db, { datasets: ["keyword_rank"], account: "" });
  const [first] = waiting;
  const others = waiting.filter((line) => line.app !== first?.app);
  expect([first?.app, others.length]).toEqual([expect.stringMatching(/./), expect.any(Number)]);
  expect(first?.dueOn).toBe(addDays(nights.today(), 1));
  expect(others).not.toEqual([]);
  const room = {
    budget: "one app",
    period: "day",
    credits: 1,
    left: 0,
    forNights: 0,
    nightsTakeAll: false,
    datasets: null,
    endsOn: addDays(nights.today(), 1),
  };
  const { deferred } = cutToRooms(waiting, app.config.settings, [{ ...room, period: "day", apps: [first?.app ?? ""] }]);
  const own = waiting.filter((line) => line.app === first?.app);
  expect(deferred).toMatchObject([{ credits: own.reduce((sum, { credits }) => sum + credits, 0) }]);
}

test("what waits for a budget goes on with the first scheduled run after its limit was raised", async () => {
  await using nights = await openNights({ market: { apps: 2, countries: ["US"], keywordsPerApp: 4 } }, { settings });
  const { stage, clock } = nights;
  await stage.sync(nights.run({ request: { datasets: ["tracked_keyword"] } }));
  await stage.sync(nights.run());
  const budgets = { ...settings.credits.budgets, ranks: { datasets: ["keyword_rank"], credits_a_day: 1_000 } };
  await using app = await stage.open(nights.run({ settings: { ...settings, credits: { floors, budgets } } }));
  expect(await readBudgetWaits(app.warehouse.db, clock.now())).toMatchObject([{ dataset: "keyword_rank" }, {}]);
  await using ingest = await openIngest(app, "worker", createRunLimit(null));
  // what a sync left would be adopted; a worker that has just begun has made no call
  await stage.query("update ops.run set kind = 'schedule', worker_id = null");
  await stage.query("update ops.slice set queue_id = 0 where state = 'deferred'");
  // a dearer call was refused by the new limit: it has room for these
  const { accountId } = ingest.parts;
  await openBudgets(app.warehouse.db, { accountId, budgets: budgetsOf(app.config.settings), day: nights.today() });
  await stage.query("update ops.credit_budget set refused_at = now()");
  // of a plan whose price was full for a moment, and has room since a call was settled
  const plan = await keepPlan(app.warehouse.db, planAt(100, 1), clock.now());
  await stage.query(
    "update ops.slice set state = 'deferred', error_code = 'plan_spent', due_at = null, plan_id = $1 where slice_id = (select max(slice_id) from ops.slice where state = 'loaded' and dataset = 'keyword_rank')",
    [plan],
  );
  await planDue(ingest.parts, app.config.settings, ["keyword_rank"]);
  expect(await readBudgetWaits(app.warehouse.db, clock.now())).toEqual([]);
  expect(await stage.query("select state from ops.slice where plan_id = $1", [plan])).toEqual([{ state: "pending" }]);
});
