import { accountOf } from "../config/config-of-account.ts";
import { accountIdIn, type App } from "../app.ts";
import { budgetsOf } from "../config/credit-budgets.ts";
import type { Settings } from "../config/settings.ts";
import { budgetDays, isCovered, type CreditBudget } from "../core/credit-budget.ts";
import { addDays, dayOf, dayMs, hourMs, startOfDay } from "../core/day.ts";
import { readAccount } from "../credits/account.ts";
import { wasAgreedSince, type AgreedDatasets } from "../credits/agreement.ts";
import {
  forecastKey,
  knowsBudgets,
  readForecast,
  writeForecast,
  type ForecastDay,
  type StoredForecast,
} from "../credits/forecast-days.ts";
import { wasPlannedSince } from "../ledger/runs.ts";
import { datasets as everyDataset } from "../datasets/shared/all.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { isBeingRequested, openWork } from "../ledger/open-slices.ts";
import { isPlanningAhead } from "../ledger/shared-queue.ts";
import { sumOfWork } from "../planner/credit-budgets.ts";
import { createPriceForecaster, type ForecastCharge, type WaitingWork } from "../planner/price-schedule.ts";
import { dueTries, triesOfWorkers } from "../runs/queue-retries.ts";
import { readPriced } from "./agreed-lines.ts";
import { runsBetween, scheduledBy, type CrontabLine } from "./crontab.ts";

/** In a longer period the first days show what the others will take. */
const mostDays = 40;
/** A forecast is valid for this long if nothing has been planned since: settings, prices and loaded answers change what nights take. */
const standsMs = 6 * hourMs;

type Parts = Pick<App, "config" | "clock"> & { readonly warehouse: Pick<App["warehouse"], "db"> };

/**
 * Forecasts the charges of each day, from today to the end of the period of credits or of the month, the later one, and of a week at
 * least, whose nights may be in the next period and differ by weekday: each run of the crontab is planned as if those before it had run,
 * budgets defer what exceeds them, and deferred slices run on their day. Null after a stop.
 */
async function forecastCredits(parts: Parts, accountId: string, stop?: AbortSignal): Promise<StoredForecast | null> {
  const { config, clock } = parts;
  const { db } = parts.warehouse;
  const { settings } = config;
  const now = clock.now();
  const today = dayOf(now);
  const until = await horizonOf(db, accountId, now);
  const { lines, agreed } = await readPriced(db, config);
  const runs = Map.groupBy(firstRuns(lines, now, until), ({ day }) => day);
  const waiting = await waitingWork(parts, scheduledBy(lines, settings), agreed);
  const forecaster = createPriceForecaster({ db, settings, accountId, today, waiting });
  const days: ForecastDay[] = [];
  for (let day = today; startOfDay(day) < until; day = addDays(day, 1)) {
    const own = runs.get(day) ?? [];
    const charges: ForecastCharge[] = [await forecaster.resume(day)];
    let main = { at: own[0]?.at ?? Math.max(now, startOfDay(day)), planned: 0 };
    for (const { at, datasets } of own) {
      if (stop?.aborted === true) return null;
      const { charge } = await forecaster.run(datasets, day);
      charges.push(charge);
      if (charge.planned > main.planned) main = { at, planned: charge.planned };
    }
    days.push({ day, startsAt: main.at, ...sumOfCharges(charges, budgetsOf(settings)) });
  }
  return { madeAt: now, days };
}

/** The end (epoch-ms) of the forecast. */
async function horizonOf(db: Parts["warehouse"]["db"], accountId: string, now: number): Promise<number> {
  const resetsAt = (await readAccount(db, accountId))?.resetsAt ?? 0;
  const monthEnd = startOfDay(budgetDays("month", dayOf(now)).end);
  const weekEnd = startOfDay(addDays(dayOf(now), 8));
  return Math.min(Math.max(resetsAt, monthEnd, weekEnd), now + mostDays * dayMs);
}

/** A run whose time has passed is about to start if it did not yet, because its worker slept or is busy. */
const lateMs = 60_000;

/**
 * The first run of each line on each day, in order of time: a later run of the same day finds nothing to do, and neither does a passed one of
 * today that was planned.
 */
function firstRuns(lines: readonly CrontabLine[], now: number, until: number) {
  const from = startOfDay(dayOf(now)) - 1;
  return lines
    .flatMap(({ datasets, ...line }) => {
      if (datasets === null) return [];
      const byDay = Map.groupBy(runsBetween(line, from, until), (at) => dayOf(at));
      return [...byDay].map(([day, [first = now]]) => ({
        day,
        at: first > now ? first : Math.min(now + lateMs, startOfDay(addDays(day, 1)) - 1),
        datasets,
      }));
    })
    .sort((a, b) => a.at - b.at);
}

/** Open slices (except backfills, which run independently of the nights), and failed slices whose next try is due. */
async function waitingWork(
  { config, clock, warehouse: { db } }: Parts,
  datasets: readonly string[],
  agreed: AgreedDatasets,
): Promise<readonly WaitingWork[]> {
  const today = dayOf(clock.now());
  const all = await openWork(db, { datasets, account: accountOf(config.settings) });
  const open = all.filter(({ isOfPlan }) => !isOfPlan);
  const { tries } = await dueTries(db, clock, triesOfWorkers(config.settings, agreed));
  return [
    ...open.map(({ dueOn, ...work }) => ({ ...work, until: dueOn ?? today })),
    ...tries.map((work) => ({ ...work, until: today })),
  ];
}

function sumOfCharges(charges: readonly ForecastCharge[], budgets: readonly CreditBudget[]) {
  const sum = (of: (charge: ForecastCharge) => number) => charges.reduce((all, charge) => all + of(charge), 0);
  const demand = (budget: CreditBudget) =>
    sum(
      ({ work }) =>
        sumOfWork(
          // history leaves credits to the nights, not to history that a night plans
          work.filter((line) => line.class !== "history" && isCovered({ ...line, app: line.app || null }, budget)),
        ).credits,
    );
  return {
    planned: sum(({ planned }) => planned),
    waiting: sum(({ waited }) => waited),
    budgets: Object.fromEntries(budgets.map((budget) => [forecastKey(budget), demand(budget)])),
  };
}

/**
 * The forecast of an account. It is made again and stored if it is no longer valid: it is of an earlier day, too old or of other budgets, or
 * something has been planned or agreed to since. Between two rounds of a night the earlier one is returned, because it
 * knows what the next round takes. Null if none can be made: after a stop, or if today is not the day of the clock. `jobId`: the planning
 * job that the forecast is made after.
 */
export async function currentForecast(
  parts: Parts,
  { stop, jobId }: { readonly stop?: AbortSignal; readonly jobId?: string | undefined } = {},
): Promise<StoredForecast | null> {
  const { clock, config } = parts;
  const { db } = parts.warehouse;
  const now = clock.now();
  if (clock.today() !== dayOf(now)) return null;
  const accountId = await accountIdIn(db, config);
  const known = await readForecast(db, accountId, dayOf(now));
  const account = accountOf(config.settings);
  const budgets = budgetsOf(config.settings);
  if (known !== null && (await stands(db, { account, accountId, budgets }, known, now))) return known;
  if (
    known !== null &&
    knowsBudgets(known, budgets) &&
    (await isRoundAhead(db, { settings: config.settings, now, jobId }))
  )
    return known;
  const made = await forecastCredits(parts, accountId, stop);
  if (made !== null) await writeForecast(db, accountId, made);
  return made;
}

/** True if a night is planned further once its lists have been read: some are not yet, or the planning is queued or under way. */
async function isRoundAhead(
  db: Parts["warehouse"]["db"],
  { settings, now, jobId }: { readonly settings: Settings; readonly now: number; readonly jobId?: string | undefined },
): Promise<boolean> {
  const account = accountOf(settings);
  const isList = ({ name, stage }: Dataset) => stage !== "market" && settings.datasets[name]?.on !== false;
  const lists = everyDataset.filter(isList).map(({ name }) => name);
  return (await isBeingRequested(db, { account, datasets: lists, now })) || (await isPlanningAhead(db, account, jobId));
}

/** Work of another account does not end a forecast: what it takes over of shared data makes the figures too high until the next one. */
async function stands(
  db: Parts["warehouse"]["db"],
  {
    account,
    accountId,
    budgets,
  }: { readonly account: string; readonly accountId: string; readonly budgets: readonly CreditBudget[] },
  known: StoredForecast,
  now: number,
): Promise<boolean> {
  const { madeAt } = known;
  if (!knowsBudgets(known, budgets) || dayOf(madeAt) !== dayOf(now) || now - madeAt > standsMs) return false;
  return !(await wasPlannedSince(db, account, madeAt)) && !(await wasAgreedSince(db, accountId, madeAt));
}
