import type { Clock } from "../core/clock.ts";
import { dayMs, dayOf, daysBetween, hourMs, startOfDay } from "../core/day.ts";
import { budgetDays, isCovered, type BudgetSubject, type CreditBudget } from "../core/credit-budget.ts";
import { floorCredits, type Floors } from "../core/floors.ts";
import { sumBy } from "../core/sum.ts";
import { instant, sql, type Queryable } from "../postgres/sql.ts";
import { periodStart, readAccount, type AccountState } from "./account.ts";
import { forecastKey, readForecast, type StoredForecast } from "./forecast-days.ts";

/*
 * History can be requested on any later day, and the nights until the reset cannot: so history leaves the credits that these nights are
 * forecast to take, on top of the floor of the newest day. Without it, history that wakes at a reset would spend the allowance before the
 * next night is planned, and a long backfill would spend the allowance of a month in its first days. The same holds for budgets: of each,
 * history leaves what the nights of its day or month are forecast to take of it.
 */

/** A future day: when the run starts that takes most (epoch-ms), and the credits that its runs take. */
export type Night = { readonly startsAt: number; readonly credits: number };

/**
 * The reset is reported in whole seconds after the answer, so the deadline computed from it is off by up to a second plus the time of
 * transfer.
 */
export const resetIsKnownToMs = 60_000;

/** What lets history run that waits for nights: the rest of a sentence. */
export const cheaperNights =
  "raise the allowance or make nights cheaper: fewer datasets, countries or keywords, a longer refresh_days, or a budget (credits.budgets).";

/** The nights of a forecast, in order. */
export const nightsOf = ({ days }: StoredForecast): readonly Night[] =>
  days.map(({ startsAt, planned }) => ({ startsAt, credits: planned }));

/**
 * The nights that start after now and before the reset, within its known accuracy: a run at midnight often starts at the same time. Days
 * after the forecast take the average of the forecast nights before the reset or, if none is left, of all but the first, which is the rest
 * of a day.
 */
export function nightsUntil(nights: readonly Night[], now: number, resetsAt: number): readonly Night[] {
  const until = resetsAt - resetIsKnownToMs;
  const ahead = nights.filter(({ startsAt }) => startsAt > now && startsAt < until);
  const last = nights.at(-1)?.startsAt ?? until;
  const [passed, all] = [
    Math.max(0, Math.floor((now - last) / dayMs)),
    Math.max(0, Math.ceil((until - last) / dayMs) - 1),
  ];
  const alike = ahead.length === 0 ? nights.slice(1) : ahead;
  const mean = Math.round(sumBy(alike, ({ credits }) => credits) / Math.max(1, alike.length));
  return [
    ...ahead,
    ...Array.from({ length: Math.max(0, all - passed) }, (_, at) => ({
      startsAt: last + (passed + at + 1) * dayMs,
      credits: mean,
    })),
  ];
}

/** A forecast that is older than usual still shows the nights of its period: a worker may plan once a month, or have slept for days. */
const oldestDays = 40;

/** The newest forecast that shows what history leaves to the nights; null if there is none of the last days. */
export function readNightsAhead(db: Queryable, accountId: string, now: number): Promise<StoredForecast | null> {
  return readForecast(db, accountId, dayOf(now), oldestDays);
}

/** The credits that history leaves from an instant, which is now or later, until the reset after it. Times in epoch-ms. */
export type KeptForNights = (from: number, resetsAt: number) => number;

/**
 * What history leaves: the floor of the newest day, what the nights take, and what is tried again of earlier ones; 0 while no forecast or no
 * allowance is known. A night that has begun in this period counts for a day until a forecast is made after it: its plan is not queued yet,
 * or its worker is late.
 */
export function keptOfAllowance(
  forecast: StoredForecast | null,
  account: AccountState | null,
  { floors, now, laterTries }: Pick<Keeping, "floors" | "now"> & { readonly laterTries: readonly LaterTry[] },
): KeptForNights {
  const total = account?.total ?? null;
  if (forecast === null || total === null) return () => 0;
  const nights = nightsOf(forecast);
  const since = countedSince(forecast, (periodStart(account) ?? Number.NEGATIVE_INFINITY) - resetIsKnownToMs, now);
  return (from, resetsAt) => {
    const ahead = nightsUntil(nights, from <= now ? since : from, resetsAt);
    const ofNights =
      ahead.length === 0 ? 0 : floorCredits(total, floors.daily) + sumBy(ahead, ({ credits }) => credits);
    return ofNights + (from <= now ? creditsOfTries(laterTries, resetsAt) : 0);
  };
}

/** Since when (epoch-ms) nights that have begun count too: in the period, less than a day ago, and after the forecast was made. */
function countedSince({ madeAt }: StoredForecast, periodStartsAt: number, now: number): number {
  return Math.min(now, Math.max(madeAt, now - dayMs, periodStartsAt));
}

/**
 * The nights until the end of a budget's period with what they take of it; of a budget that the forecast does not know, all that they take.
 * A night that has begun counts as it does for the allowance.
 */
export function nightsOfBudget(
  forecast: StoredForecast,
  budget: Omit<CreditBudget, "credits">,
  now: number,
): readonly Night[] {
  const { start, end } = budgetDays(budget.period, dayOf(now));
  const key = forecastKey(budget);
  const nights = forecast.days.map(({ startsAt, planned, budgets }) => ({
    startsAt,
    credits: budgets[key] ?? planned,
  }));
  // the period is known exactly, and a night may start with it
  const since = countedSince(forecast, startOfDay(start) - 1, now);
  return nightsUntil(nights, since, startOfDay(end) + resetIsKnownToMs);
}

/**
 * What history leaves of a budget, and when (epoch-ms) that may be less: an hour after the next night has started. `wholePeriod`: what the
 * nights take in a whole period at least, if all are like the cheapest of the forecast; 0 if the forecast does not know the budget.
 */
export type KeptOfBudget = { readonly credits: number; readonly lessAt: number; readonly wholePeriod: number };

/**
 * The credits that the nights until the end of a budget's period are forecast to take of it, and tries of failed slices of earlier nights; 0
 * while no forecast is known.
 */
export function keptOfBudget(
  { forecast, laterTries }: Pick<KeptNow, "forecast" | "laterTries">,
  budget: Omit<CreditBudget, "credits">,
  now: number,
): KeptOfBudget {
  if (forecast === null) return { credits: 0, lessAt: now, wholePeriod: 0 };
  const { start, end } = budgetDays(budget.period, dayOf(now));
  const key = forecastKey(budget);
  const ahead = nightsOfBudget(forecast, budget, now);
  const next = ahead.find(({ credits }) => credits > 0)?.startsAt ?? now;
  // the first day of a forecast is the rest of a day
  const whole = forecast.days.slice(1).map(({ budgets }) => budgets[key] ?? 0);
  return {
    credits: sumBy(ahead, ({ credits }) => credits) + creditsOfTries(laterTries, startOfDay(end), budget),
    lessAt: Math.max(now, next) + hourMs,
    wholePeriod: whole.length === 0 ? 0 : Math.min(...whole) * daysBetween(start, end),
  };
}

/** A failed slice of a night that is tried again: when (epoch-ms), and its credits. */
export type LaterTry = BudgetSubject & { readonly dueAt: number; readonly credits: number };

/**
 * Reads what is tried again of the nights of an account: snapshots, and then others, the next ones first, up to the credits that retries may
 * cost in a day, which snapshots count against and are never refused by.
 */
export async function readLaterTries(
  db: Queryable,
  { accountId, now, retriesADay }: Pick<Keeping, "accountId" | "now" | "retriesADay">,
): Promise<readonly LaterTry[]> {
  const { rows } = await sql<LaterTry>`
    select dataset, app, extract(epoch from due_at)::float8 * 1000 as "dueAt", credits
    from   (select s.dataset, s.scope ->> 'app' as app, s.due_at, p.credits, s.class,
                   sum(p.credits) over (order by s.class <> 'snapshot', s.due_at, s.slice_id) as running
            from   ops.slice_log as s
            join   ops.run_log   as r using (run_id)
            left   join ops.credit_price as c on c.operation = s.operation
            cross  join lateral (select coalesce(c.learned * s.planned_requests, s.planned_credits)::float8 as credits) as p
            where  s.state = 'failed' and s.due_at > ${instant(now)} and s.class <> 'history' and s.plan_id is null
            and    r.account = (select account from ops.credit_balance where account_id = ${accountId})) as tries
    where  running <= ${retriesADay} or class = 'snapshot' and ${retriesADay}::bigint > 0`.execute(db);
  return rows;
}

/** What later tries take before an instant (epoch-ms): of a budget, or of the allowance if there is none. */
function creditsOfTries(
  tries: readonly LaterTry[],
  before: number,
  budget: Pick<CreditBudget, "datasets" | "apps"> = { datasets: null, apps: null },
): number {
  return sumBy(
    tries.filter((one) => one.dueAt < before && isCovered(one, budget)),
    ({ credits }) => credits,
  );
}

type Keeping = {
  readonly accountId: string;
  readonly floors: Floors;
  readonly now: number;
  /** Credits that retries of failed slices may cost in a day. */
  readonly retriesADay: number;
};

/**
 * What history leaves until a reset (epoch-ms), 0 while no forecast or no reset is known, and what shows it: the forecast, and failed slices
 * that are tried again.
 */
type KeptNow = {
  readonly credits: number;
  readonly resetsAt: number;
  readonly forecast: StoredForecast | null;
  readonly laterTries: readonly LaterTry[];
};

/** Reads what history leaves of the allowance, with what shows it. */
export async function readKeptForNights(db: Queryable, keeping: Keeping): Promise<KeptNow> {
  const { accountId, now } = keeping;
  const account = await readAccount(db, accountId);
  const forecast = await readNightsAhead(db, accountId, now);
  const laterTries = forecast === null ? [] : await readLaterTries(db, keeping);
  const resetsAt = account?.resetsAt ?? Number.NEGATIVE_INFINITY;
  const credits = resetsAt <= now ? 0 : keptOfAllowance(forecast, account, { ...keeping, laterTries })(now, resetsAt);
  return { credits, resetsAt, forecast, laterTries };
}

/** What the nights until the reset take changes with a forecast, which is made at most a few times an hour. */
const keptForMs = 30_000;

/** Makes a reader of these that queries the database only now and then, for all calls at once. */
export function createNightsKeeper({
  db,
  clock,
  ...keeping
}: Omit<Keeping, "now"> & { readonly db: Queryable; readonly clock: Clock }): () => Promise<KeptNow> {
  const unknown = Number.NEGATIVE_INFINITY;
  let known: KeptNow & { readAt: number } = {
    credits: 0,
    forecast: null,
    laterTries: [],
    resetsAt: unknown,
    readAt: unknown,
  };
  let reading: Promise<void> | null = null;
  const read = async (now: number) => {
    known = { ...(await readKeptForNights(db, { ...keeping, now })), readAt: now };
  };
  // after a reset at each call, until an answer has reported the next one: history could take a night in between
  const isOld = (now: number) =>
    now - known.readAt >= keptForMs || (now >= known.resetsAt && Number.isFinite(known.resetsAt));
  return async () => {
    const now = clock.now();
    // a read that is under way may have begun before that report
    if (isOld(now)) await reading;
    if (isOld(now)) await (reading ??= read(now).finally(() => (reading = null)));
    return known;
  };
}
