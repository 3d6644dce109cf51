import { afterAll, beforeAll, expect, test } from "vitest";
import { accountIdOf } from "../src/config/config.ts";
import { dashboardApps } from "../src/api/operations/dashboard.ts";
import { startConsole } from "../src/console/server.ts";
import { addDays } from "../src/core/day.ts";
import { createRunLimit } from "../src/credits/run-limit.ts";
import { readNightOutcomes } from "../src/credits/forecast-days.ts";
import type { Database } from "../src/postgres/database.ts";
import { readCreditReport } from "../src/credits/report.ts";
import { spending } from "../src/demo/report.ts";
import { createMetrics } from "../src/health/metrics.ts";
import { readCreditDemand } from "../src/incidents/credit-demand.ts";
import { everyDataset } from "../src/incidents/lateness.ts";
import { requestOnce } from "../src/ingest/request-once.ts";
import { openIngest } from "../src/open-ingest.ts";
import { runProgress } from "../src/ledger/runs.ts";
import { retire } from "../src/runs/retention.ts";
import { runWorker } from "./support/agreed-worker.ts";
import { planned, runPlanned, progressOf } from "./support/backfill-stage.ts";
import { books } from "./support/books.ts";
import { startDoomed } from "./support/ingest-child.ts";
import { until } from "./support/ingest-stage.ts";
import { columnOf } from "./support/html-tables.ts";
import { readExposition } from "./support/exposition.ts";
import { long, monthMs, seed } from "./support/long.ts";
import { faultsOf, openNights, type Nights } from "./support/nights.ts";

const periodHours = 48;
const settings = {
  api: { concurrency: 2 },
  datasets: { keyword_rank: { history_days: 6 }, app_rating: { on: true }, category_rank: { on: true } },
};
/** Each round has three: a sync, one that is killed and whose rest a worker takes over, and what people do. */
const rounds = long ? 10 : 1;
const faultsANight = 8;
const operations = ["ios.keyword-ranking", "ios.category-ranking", "android.keyword-ranking"];

let nights: Nights;
/** What each plan was charged by the end of its night, as the service and as the ledger have it. */
const plans: { readonly charged: number; readonly booked: number }[] = [];

beforeAll(async () => {
  const accounts = [{ token: "sandbox-token", total: 100_000, periodHours }];
  nights = await openNights({ accounts, market: { apps: 2, countries: ["US"] } }, { settings });
  for (let round = 0; round < rounds; round += 1) {
    await nightOf(round * 3, () => nights.stage.sync(nights.run()));
    await nightOf(round * 3 + 1, killedAndTakenOver);
    await nightOf(round * 3 + 2, ofPeople);
  }
}, monthMs);
afterAll(() => nights[Symbol.asyncDispose]());

async function nightOf(number: number, work: () => Promise<unknown>): Promise<void> {
  if (number > 0) nights.next();
  nights.stage.sandbox.set({ faults: faultsOf(seed + number, faultsANight, operations) });
  await work();
}

/** A sync that dies with a request on the wire; a worker records the lost call and goes on with its slices, and a retry with what failed. */
async function killedAndTakenOver(): Promise<void> {
  const { stage } = nights;
  await using child = startDoomed(stage, "sync", { ...nights.child(), place: "after send", times: 7, settings });
  expect(await child.ended).toBe("SIGKILL");
  stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 30, kind: "not-json" }] });
  await using app = await stage.open(nights.run());
  const stop = new AbortController();
  const running = runWorker(app, stop.signal);
  await Promise.race([until(isQuiet), running]);
  stop.abort();
  expect(await running).toBeNull();
  stage.sandbox.set({ faults: [] });
  await stage.retry(nights.run());
}

/** True when tonight's schedule was planned and nothing waits or runs. */
async function isQuiet(): Promise<boolean> {
  const query = `
    select exists (select from ops.run where kind = 'schedule' and outcome = 'planned' and as_of = $1)
           and not exists (select from ops.slice where state in ('pending', 'running')) as quiet`;
  const [row] = await nights.stage.query<{ quiet: boolean }>(query, [nights.today()]);
  return row?.quiet === true;
}

/** A backfill that is stopped and gone on with, and a request at the command line. */
async function ofPeople(): Promise<void> {
  const { stage } = nights;
  const run = nights.run();
  stage.sandbox.set({ faults: faultsOf(seed, faultsANight, operations) });
  const before = stage.sandbox.log().length;
  const on = nights.today();
  const bounds = { start: addDays(on, -12) };
  const { planId } = await planned(stage, { on, bounds }, run);
  const stop = new AbortController();
  const progress = ({ credits }: { readonly credits: number }) => (credits > 0 ? stop.abort() : undefined);
  await runPlanned(stage, planId, { ...run, on, stop: stop.signal, progress });
  await runPlanned(stage, planId, { ...run, on });
  const spent = stage.sandbox.log().slice(before);
  const { credits: booked } = await progressOf(stage, planId);
  plans.push({ charged: spent.reduce((sum, { charged }) => sum + charged, 0), booked });
  await using app = await stage.open(run);
  await using ingest = await openIngest(app, "command", createRunLimit(null));
  stage.sandbox.set({ faults: [] });
  await requestOnce(ingest.parts, { operation: dashboardApps, params: {}, signal: stop.signal }).catch(() => undefined);
  const { signal } = new AbortController();
  await requestOnce(ingest.parts, { operation: dashboardApps, params: {}, signal });
}

type Row = Readonly<Record<string, unknown>>;

const sumOf = (rows: readonly object[], name: string) =>
  rows.reduce((sum, row) => sum + Number((row as Row)[name] ?? 0), 0);

/** Sums a query's column. */
async function summed(query: string): Promise<number> {
  const [row] = await nights.stage.query<{ sum: number }>(
    `select coalesce(sum(credits), 0)::int as sum from (${query}) as q (credits)`,
  );
  return row?.sum ?? 0;
}

test("the ledger has what the service charged, but for calls that are on record as lost", async () => {
  const found = await books(nights.stage);
  expect(found).toMatchObject({ unexplained: [], invented: [] });
  expect(found.lost).toBeGreaterThan(0);
  expect(await summed("select cost from ops.request")).toBe(found.charged - found.lost);
  expect(plans.map(({ booked }) => booked)).toEqual(plans.map(({ charged }) => charged));
});

/** Views, marts and tables with a column of what was charged; those of dropped months are in the others. */
const named = () =>
  nights.stage.query<{ relation: string; name: string }>(`
    select c.table_schema || '.' || c.table_name as relation, c.column_name as name
    from   information_schema.columns as c
    where  c.table_schema in ('ops', 'mart') and c.column_name in ('cost', 'credit_count', 'booked_credits')
    and    c.table_name <> 'credit_hold' and c.table_name not like 'past%'
    order  by 1`);

test("every view and mart with a column of what was charged adds up to the same", async () => {
  const relations = await named();
  expect(relations.map(({ relation }) => relation)).toEqual([
    "mart.credit_spend_by_app_daily",
    "mart.credit_spend_daily",
    "ops.credit_spend_daily",
    "ops.gateway_use_daily",
    "ops.request",
    "ops.request_log",
    "ops.run_summary",
    "ops.slice_status",
  ]);
  const all = await summed("select cost from ops.request");
  // what is about no slice, or one that was cancelled, is in no line about slices; people's requests are none of a run's, and nobody called a gateway
  const others: Record<string, string> = {
    "ops.gateway_use_daily": "select cost from ops.request where caller is null",
    "ops.run_summary": "select cost from ops.request where class = 'person'",
    "ops.slice_status":
      "select cost from ops.request as q where not exists (select from ops.slice as s where s.slice_id = q.slice_id)",
  };
  for (const { relation, name } of relations) {
    const rest = others[relation];
    const sum = (await summed(`select ${name} from ${relation}`)) + (rest === undefined ? 0 : await summed(rest));
    expect([relation, sum]).toEqual([relation, all]);
  }
});

test("commands, metrics, incidents and the console show it", async () => {
  await using app = await nights.stage.open(nights.run());
  const { db } = app.warehouse;
  // stands still: a day ago, to which what is spent is counted, calls followed each other by milliseconds
  const now = nights.clock.now();
  const clock = { ...nights.clock, now: () => now };
  const accountId = accountIdOf(nights.stage.sandbox.token);
  const all = await summed("select cost from ops.request");
  const ofPeriod = await summed(`select cost from ops.request where received_at >= to_timestamp(${periodStart()})`);
  expect(ofPeriod).toBeLessThan(all);

  expect(sumOf((await readCreditReport(db, { accountId, budgets: [], day: nights.today() })).spent, "credits")).toBe(
    ofPeriod,
  );
  expect(await spending(db)).toContain(`Credits so far: ${all.toLocaleString("en-US")} in`);
  const metrics = createMetrics({
    db: () => db,
    settings: app.config.settings,
    clock,
    log: { warn: () => undefined },
    accountId,
    scheduled: new Map([[everyDataset, 86_400_000]]),
    isDatabaseUp: () => Promise.resolve(true),
    state: () => null,
  });
  const family = readExposition((await metrics.scrape()).text).find(({ name }) => name === "storehouse_credits_spent");
  expect(sumOf(family?.samples ?? [], "value")).toBe(ofPeriod);
  const demand = await readCreditDemand({ db, settings: app.config.settings, clock, accountId });
  expect(demand?.spent).toBe(
    await summed(`
      select cost from ops.request
      where  class <> 'history' and received_at > to_timestamp(${clock.now() / 1000 - (demand?.spentHours ?? 0) * 3_600})`),
  );

  const outcomes = await outcomesOfDays(db, accountId);
  expect(sumOf(outcomes, "charged") + sumOf(outcomes, "others")).toBe(all);
  expect(sumOf(outcomes, "others")).toBeGreaterThan(0);

  await using served = await startConsole(app, { port: 0 });
  const page = async (path: string) => (await fetch(new URL(path, served.url))).text();
  const credits = await page("/credits?days=3660");
  for (const caption of ["Credits by day", "Credits by dataset", "Credits by class", "Credits by app"])
    expect([caption, sumOfColumn(credits, caption, "Credits")]).toEqual([caption, all]);
  const people = await summed("select cost from ops.request where class = 'person'");
  expect(people).toBeGreaterThan(0);
  const runs = await page("/runs?limit=500");
  expect(sumOfColumn(runs, "Runs, newest first", "Spent credits") + people).toBe(all);
});

/** What forecasts are compared with, as if each day had been forecast. */
async function outcomesOfDays(db: Database, accountId: string) {
  await nights.stage.query(
    `insert into ops.credit_forecast
     select distinct $1, '2000-01-01'::date, (received_at at time zone 'UTC')::date, now(), 0, 0, '{}'::jsonb, now() from ops.request`,
    [accountId],
  );
  return readNightOutcomes(db, {
    accountId,
    from: addDays(nights.today(), -3_660),
    before: addDays(nights.today(), 1),
  });
}

test("nothing of it changes when months of requests are dropped", async () => {
  const before = await sums();
  expect(Math.min(...Object.values(before))).toBeGreaterThan(0);
  await using app = await nights.stage.open(nights.run());
  const clock = { ...nights.clock, today: () => addDays(nights.today(), 120) };
  const ended = { ...app.config.settings, retention: { action: "drop", slice_months: 2, ops_months: 2 } } as const;
  const gone = await retire(app.warehouse.db, { settings: ended, clock, action: "drop" });
  expect(gone.map(({ table, outcome }) => `${table} ${outcome}`)).toContain("ops.request gone");
  expect(await nights.stage.query("select from ops.request_log")).toEqual([]);
  expect(await sums()).toEqual(before);
});

/** What was charged, as each place has it that does not show request by request. */
async function sums(): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  await using app = await nights.stage.open(nights.run());
  const { db } = app.warehouse;
  for (const { relation, name } of await named())
    if (!/^ops\.(request|gateway_use)/.test(relation))
      found[relation] = await summed(`select ${name} from ${relation}`);
  for (const { id } of await nights.stage.query<{ id: string }>("select plan_id as id from ops.plan"))
    found[`plan ${id}`] = (await progressOf(nights.stage, id)).credits;
  for (const { id } of await nights.stage.query<{ id: string }>(
    "select run_id as id from ops.run_summary where booked_credits > 0",
  ))
    found[`run ${id}`] = (await runProgress(db, id, nights.clock.now())).credits;
  found["the demo"] = Number(/Credits so far: ([\d,]+)/.exec(await spending(db))?.[1]?.replaceAll(",", ""));
  await using served = await startConsole(app, { port: 0 });
  const page = async (path: string) => (await fetch(new URL(path, served.url))).text();
  const credits = await page("/credits?days=3660");
  for (const caption of ["Credits by day", "Credits by dataset", "Credits by class", "Credits by app"])
    found[caption] = sumOfColumn(credits, caption, "Credits");
  for (const name of ["request_count", "failed_request_count"])
    found[name] = await summed(`select ${name} from mart.credit_spend_daily`);
  found["requests by app"] = await summed("select request_count from mart.credit_spend_by_app_daily");
  found["requests of slices"] = await summed("select request_count from ops.slice_status");
  found["runs"] = sumOfColumn(await page("/runs?limit=500"), "Runs, newest first", "Spent credits");
  return found;
}

/** When the period of credits began, in seconds. */
function periodStart(): number {
  const length = periodHours * 3_600;
  return Math.floor(nights.clock.now() / 1000 / length) * length;
}

function sumOfColumn(page: string, caption: string, heading: string): number {
  return columnOf(page, caption, heading).reduce((sum, cell) => sum + Number(cell.replaceAll(",", "")), 0);
}
