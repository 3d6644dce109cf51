import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import { openStates, type CreditClass, type Scope } from "../core/slice.ts";
import { dayOf, type Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import { creditWaitCodes } from "../core/waiting-codes.ts";
import type { Database } from "../postgres/database.ts";

const literals = sql.join(openStates.map((state) => sql.lit(state)));

/** SQL: true for a slice, under this alias, that waits or runs. It uses literals, as the partial indexes do. */
export function isOpen(slice = "s"): ReturnType<typeof sql<boolean>> {
  return sql<boolean>`${sql.ref(`${slice}.state`)} in (${literals})`;
}

/**
 * True if any slice waits or runs. In the order of the partial index, so that its first entry is enough in a ledger of any size: Postgres
 * takes longer to plan what is done about slices that other processes have open.
 */
export async function hasOpenSlices(db: Database): Promise<boolean> {
  const { rows } = await sql`select from ops.slice as s where ${isOpen()} order by s.dataset limit 1`.execute(db);
  return rows.length > 0;
}

/** True if a slice of an account's history waits or runs. */
export async function hasOpenHistory(db: Database, account: string): Promise<boolean> {
  const { rows } = await sql`
    select from ops.slice as s where ${isOpen()} and s.class = 'history' and ${isOfAccount(account)} limit 1`.execute(
    db,
  );
  return rows.length > 0;
}

/** A try that is overdue by more than this is one that nobody makes: its dataset is off, or nobody has agreed to it. */
const latestTryMs = 5 * 60_000;
/** Failed slices are tried again after minutes at first, then after hours and days. */
const quickTries = 3;

/**
 * True if workers request slices of these datasets for an account now or soon, other than history: slices wait, run, or have failed and have
 * one of their first tries on the day of `now` (epoch-ms).
 */
export async function isBeingRequested(
  db: Database,
  { account, datasets, now }: { readonly account: string; readonly datasets: readonly string[]; readonly now: number },
): Promise<boolean> {
  const isTriedSoon = sql`s.state = 'failed' and s.later_tries < ${quickTries} and s.due_at > ${instant(now - latestTryMs)}
                          and s.due_at < (${dayOf(now)}::date + 1)::timestamp at time zone 'UTC'`;
  const { rows } = await sql`
    select from ops.slice as s
    where  (s.state in ('pending', 'running') and s.queue_id <= 0 or ${isTriedSoon})
    and    s.class <> 'history' and s.dataset = any (${[...datasets]}::text[]) and ${isOfAccount(account)}
    limit  1`.execute(db);
  return rows.length > 0;
}

const creditWaitList = sql.join(creditWaitCodes.map((code) => sql.lit(code)));

/** SQL: true for a slice (`ops.slice as s`) that is deferred until its account's credits reset, later than `now` (epoch-ms). */
export function waitsForCredits(now: number): SqlFragment<boolean> {
  return sql`(s.state = 'deferred' and s.error_code in (${creditWaitList}) and s.due_at > ${instant(now)})`;
}

/** SQL: what one page of a slice, under this alias, costs at the price of its plan. */
export function onePage(slice = "s"): ReturnType<typeof sql<number>> {
  const [credits, requests] = [sql.ref(`${slice}.planned_credits`), sql.ref(`${slice}.planned_requests`)];
  return sql<number>`ceil(${credits}::numeric / greatest(${requests}, 1))`;
}

/** SQL: true if the answer of an open slice (`ops.slice as s`) is stored whole, and is loaded once a replay of its dataset has ended. */
export const awaitsReplay = sql<boolean>`(s.state = 'pending' and s.error_code is not distinct from 'being_replayed')`;

/**
 * SQL: pages of an open slice (`ops.slice as s`) that an earlier attempt landed and that need not be requested again. The answer to a
 * snapshot is valid only for its own moment, unless it waits for a replay alone.
 */
const pagesLanded = sql`
  case when ${awaitsReplay} or s.attempt > 0 and s.class <> 'snapshot'
       then (select count(distinct a.page) from raw.answer as a
             where  a.slice_id = s.slice_id and a.attempt >= s.read_from_attempt and not a.is_unreadable) else 0 end`;

/** SQL: requests that an open slice (`ops.slice as s`) is still expected to take. */
export const requestsLeft = sql`greatest(s.planned_requests - (${pagesLanded}), 0)`;

/** SQL: credits that an open slice (`ops.slice as s`) is still expected to cost, at the price of its plan. */
const creditsLeft = sql`ceil(s.planned_credits * ${requestsLeft}::numeric / greatest(s.planned_requests, 1))`;

/** SQL: these planned credits or, if that is more, this many requests at the learned price of the operation (`c.learned`). */
export function atLearnedPrice(credits: SqlFragment, requests: SqlFragment): SqlFragment {
  return sql`greatest(${credits}, ${requests} * coalesce(c.learned, 0))`;
}

/** SQL: credits that an open slice is still expected to cost, at that price; needs `ops.credit_price as c` for its operation. */
export const likelyCredits = atLearnedPrice(creditsLeft, requestsLeft);

/** Open slices of one dataset and class, and the requests and credits that they are still expected to take. */
export type OpenWork = {
  readonly dataset: string;
  readonly class: CreditClass;
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
};

/** Open work of one app ('' if it is not about one), and the day (UTC) on which it may run; null for now. `isOfPlan`: of a backfill. */
export type OpenAppWork = OpenWork & { readonly app: string; readonly dueOn: Day | null; readonly isOfPlan: boolean };

/** Which open slices are read: those of a plan, or those of datasets that the next sync of an account adopts. */
type OpenWorkOf =
  | { readonly planId: string }
  | {
      readonly datasets: readonly string[];
      readonly account: string;
      /** Numbers of slices that are left out. */
      readonly without?: readonly string[];
    };

/** Open slices by app and day, as budgets count them: each at the price of its plan or, if that is higher, at the learned price. */
export async function openWork(db: Database, of: OpenWorkOf): Promise<readonly OpenAppWork[]> {
  const only =
    "planId" in of
      ? sql<boolean>`s.plan_id = ${of.planId}::bigint`
      : sql<boolean>`(s.dataset = any (${[...of.datasets]}::text[]) and ${isOfAccount(of.account)}
                      and s.slice_id <> all (${[...(of.without ?? [])]}::bigint[]))`;
  const { rows } = await sql<OpenAppWork>`
    select s.dataset, s.class, coalesce(s.scope ->> 'app', '') as app, (s.due_at at time zone 'UTC')::date as "dueOn", s.plan_id is not null as "isOfPlan",
           -- landed pages are paid for
           count(*)::int as slices, sum(${requestsLeft})::int as requests, sum(${likelyCredits})::int as credits
    from   ops.slice as s
    left   join ops.credit_price as c on c.operation = s.operation
    where  ${isOpen()} and ${only}
    group  by 1, 2, 3, 4, 5
    order  by 1, 2, 3, 4, 5`.execute(db);
  return rows;
}

/** Slices that wait or run for other accounts, for one partition and list of items (null if a call names none). */
export type OpenElsewhere = {
  readonly dataset: string;
  readonly scope: Scope;
  readonly items: readonly string[] | null;
  readonly slices: number;
};

/** Reads the slices of these datasets that wait or run for accounts other than this one, and have a day in a window. */
export async function readOpenElsewhere(
  db: Database,
  {
    datasets,
    account,
    within,
  }: { readonly datasets: readonly string[]; readonly account: string; readonly within: Partial<Window> },
): Promise<readonly OpenElsewhere[]> {
  const { rows } = await sql<OpenElsewhere>`
    select o.dataset, o.scope, b.items, o.slices
    from   (select s.dataset, s.scope, s.batch_id, count(*)::int as slices
            from   ops.slice as s
            where  ${isOpen()} and s.dataset = any (${[...datasets]}::text[]) and not ${isOfAccount(account)}
            and    s.window_end > ${within.start ?? "-infinity"}::date and s.window_start < ${within.end ?? "infinity"}::date
            group  by s.dataset, s.scope, s.batch_id) as o
    left   join ops.batch as b on b.batch_id = o.batch_id
    order  by o.dataset`.execute(db);
  return rows;
}

/** SQL: true for a slice, under this alias, of a run of this account. It also works for the reader role. */
export function isOfAccount(account: string, slice = "s"): ReturnType<typeof sql<boolean>> {
  return sql<boolean>`exists (select from ops.run_log as r where r.run_id = ${sql.ref(`${slice}.run_id`)} and r.account = ${account})`;
}

/**
 * How many failed slices of an account no newer slice has answered, so that they wait for `storehouse retry`, except those with these
 * numbers.
 */
export async function failedCount(
  db: Database,
  datasets: readonly string[],
  account: string,
  without: readonly string[] = [],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ops.failed_slice as s
    where  dataset = any (${[...datasets]}::text[]) and ${isOfAccount(account)} and slice_id <> all (${[...without]}::bigint[])`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}
