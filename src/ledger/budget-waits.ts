import type { ErrorCode } from "../core/error-codes.ts";
import { beyondPeriodCodes, budgetWaitCodes } from "../core/waiting-codes.ts";
import { instant, sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import { isOfAccount } from "./open-slices.ts";
import { announceQueued } from "./shared-queue.ts";

/**
 * Slices of one dataset and app that wait for a budget; `app` is null if they are not about one. `isTooExpensive`: one of their calls takes
 * more than the budget has in a whole period. `isForNights`: they leave credits of it to nights. `cheapest`: the credits of a call of them, at
 * the price of their plan or the learned one, if that is higher.
 */
export type BudgetWait = {
  readonly dataset: string;
  readonly app: string | null;
  readonly slices: number;
  readonly isTooExpensive: boolean;
  readonly isForNights: boolean;
  readonly cheapest: number;
};

/** The slices that wait for budgets until after an instant (epoch-ms): of one account or queue, if it is named. */
export async function readBudgetWaits(
  db: Database,
  now: number,
  { account, queueId }: { readonly account?: string; readonly queueId?: string } = {},
): Promise<readonly BudgetWait[]> {
  const { rows } = await sql<BudgetWait>`
    select s.dataset, s.scope ->> 'app' as app, count(*)::int as slices, s.error_code = 'budget_too_small' as "isTooExpensive",
           s.error_code = 'budget_kept' as "isForNights", min(greatest(s.planned_credits / greatest(s.planned_requests, 1)::float8, c.learned)) as cheapest
    from   ops.slice_log as s
    left   join ops.credit_price as c on c.operation = s.operation
    where  ${waits(now)} and ${account === undefined ? sql`true` : isOfAccount(account)}
    and    ${queueId === undefined ? sql`true` : sql`s.slice_id in (select slice_id from ops.slice where queue_id = ${queueId}::bigint and state = 'deferred')`}
    group  by 1, 2, 4, 5
    order  by 1, 2, 4, 5`.execute(db);
  return rows;
}

/**
 * Slices of one dataset that wait although no reset lets them run, because one of their calls takes more than a whole period has, with the
 * text of their error.
 */
export type TooDearWait = {
  readonly dataset: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly slices: number;
};

/** Reads those of one run, or of all if left out. */
export async function readTooDear(db: Database, runId?: string): Promise<readonly TooDearWait[]> {
  const { rows } = await sql<TooDearWait>`
    select s.dataset, s.error_code as code, s.error_message as message, count(*)::int as slices
    from   ops.slice_log as s
    where  s.state = 'deferred' and s.error_code in (${sql.join(beyondPeriodCodes.map((code) => sql.lit(code)))})
    and    ${runId === undefined ? sql`true` : sql`s.run_id = ${runId}::bigint`}
    group  by 1, 2, 3
    order  by 1, 2, 3`.execute(db);
  return rows;
}

/**
 * Makes slices of a shared queue pending again that wait for a budget and that none refuses any more: the limit was raised, the budget was
 * removed, or nights took less of it. Returns how many.
 */
export async function resumeWithinBudgets(
  db: Database,
  isRefused: (wait: BudgetWait) => boolean,
  now: number,
  queueId: string,
): Promise<number> {
  const free = (await readBudgetWaits(db, now, { queueId })).filter((wait) => !isRefused(wait));
  if (free.length === 0) return 0;
  const { rows } = await sql`
    update ops.slice as s set state = 'pending', due_at = null
    where  s.queue_id = ${queueId}::bigint and ${waits(now)}
    and    (s.dataset, coalesce(s.scope ->> 'app', ''), s.error_code = 'budget_kept') in (
      select * from unnest(${free.map(({ dataset }) => dataset)}::text[], ${free.map(({ app }) => app ?? "")}::text[],
                           ${free.map(({ isForNights }) => isForNights)}::boolean[]))
    returning s.slice_id`.execute(db);
  if (rows.length > 0) await announceQueued(db);
  return rows.length;
}

/** SQL: the error codes of slices that wait for a budget. */
export const budgetWaitList = sql.join(budgetWaitCodes.map((code) => sql.lit(code)));

/** SQL: slices `s` that wait for a budget. */
function waits(now: number) {
  return sql`s.state = 'deferred' and s.error_code in (${budgetWaitList}) and s.due_at > ${instant(now)}`;
}
