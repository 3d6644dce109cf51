import type { Scope } from "../core/slice.ts";
import { sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";

/** Why no request is sent for an account. `dataset` and `operation` are empty if the refusal is not about one. */
export type AccountStop = {
  readonly code: string;
  readonly operation: string;
  readonly dataset: string;
  readonly message: string;
  /** The organisation or app that the refused request was about, if any: the right may be missing for it alone. */
  readonly subject?: string;
  /** When the API refused the account first, as long as it has not been accepted for a while; left out until the stop is recorded. */
  readonly since?: Date;
};

/** The intervals between balance checks of a refused account: the first, and the longest that they grow to by doubling. */
export type CheckIntervals = { readonly firstMs: number; readonly longestMs: number };

/** A stop within this time after one was lifted is the same stop, and its checks stay as rare as they were. */
const sameFor = sql`interval '2 hours'`;

/**
 * Stops the requests of an account, in all its processes. True if the refusal is new: neither known to another process, nor one that a
 * check lifted recently. An account has one series of checks for all its refused operations.
 */
export async function recordStop(
  db: Queryable,
  accountId: string,
  stop: AccountStop,
  intervals: CheckIntervals,
): Promise<boolean> {
  const { rows } = await sql<{ check_count: number }>`
    insert into ops.account_stop as s (account_id, operation, subject, code, dataset, message, first_stopped_at, stopped_at, check_count, next_check_at)
    select ${accountId}, ${stop.operation}, ${stop.subject ?? ""}, ${stop.code}, ${stop.dataset}, ${stop.message}, clock_timestamp(), clock_timestamp(), known.checks,
           coalesce(known.next_check_at, clock_timestamp() + ${interval(sql`known.checks`, intervals)})
    from   (select coalesce(max(check_count), 0) as checks, min(next_check_at) filter (where lifted_at is null) as next_check_at
            from   ops.account_stop
            where  account_id = ${accountId} and (lifted_at is null or lifted_at > clock_timestamp() - ${sameFor})) as known
    on conflict (account_id, operation, subject) do update
    set    code = excluded.code, dataset = excluded.dataset, message = excluded.message, stopped_at = excluded.stopped_at,
           first_stopped_at = case when s.lifted_at <= clock_timestamp() - ${sameFor} then excluded.stopped_at else s.first_stopped_at end,
           lifted_at = null, check_count = excluded.check_count, next_check_at = excluded.next_check_at
    where  s.lifted_at is not null or s.code <> excluded.code
    returning check_count`.execute(db);
  return rows[0]?.check_count === 0;
}

/** SQL: true while the requests of an account are stopped. */
export function isStopped(accountId: string): SqlFragment<boolean> {
  return sql<boolean>`exists (select from ops.account_stop as a where a.account_id = ${accountId} and a.lifted_at is null)`;
}

/** SQL: what a right may be missing for, of a scope: an organisation or an app; '' for neither. */
export function subjectIn(scope: SqlFragment): SqlFragment<string> {
  return sql<string>`coalesce(${scope} ->> 'org_id', ${scope} ->> 'app', '')`;
}

/** The same of the scope of a slice. */
export function subjectOf(scope: Scope): string {
  return scope["org_id"] ?? scope["app"] ?? "";
}

/** SQL: true for a stop `a` that holds, or held until less than a day ago. */
export const isRecentStop = sql<boolean>`(a.lifted_at is null or a.lifted_at > clock_timestamp() - interval '1 day')`;

/** The operations that were refused lately, each with its refused subjects; '' is one if no organisation or app was named. */
export type RefusedLately = ReadonlyMap<string, ReadonlySet<string>>;

/** Reads them. */
export async function readRefusedLately(db: Queryable, account: string): Promise<RefusedLately> {
  const { rows } = await refusedLately(sql`${account}`).execute(db);
  const byOperation = Map.groupBy(rows, ({ operation }) => operation);
  return new Map([...byOperation].map(([operation, own]) => [operation, new Set(own.map(({ subject }) => subject))]));
}

/**
 * SQL: the operations and subjects whose refusal stops the requests of this account (its name), or stopped them until less than a day ago.
 * A token that has been replaced does not count: nothing would lift its stop.
 */
export function refusedLately(account: SqlFragment): SqlFragment<{ operation: string; subject: string }> {
  return sql<{ operation: string; subject: string }>`
    select a.operation, a.subject from ops.account_stop as a
    where  ${isRecentStop} and a.account_id = (select c.account_id from ops.credit_account as c where c.account = ${account} order by c.observed_at desc nulls last limit 1)`;
}

/** The newest stop of an account, null when there is none. `workerId`: a stop from before that process registered does not concern it. */
export async function readStop(
  db: Queryable,
  accountId: string,
  workerId: string | null = null,
): Promise<AccountStop | null> {
  const { rows } = await sql<AccountStop>`
    select s.code, s.operation, s.subject, s.dataset, s.message,
           -- each operation that meets the refusal has its own row: the first of them says since when the account is stopped
           least(s.first_stopped_at, (select min(a.stopped_at) from ops.account_stop as a
                                      where  a.account_id = s.account_id and a.lifted_at is null)) as since
    from   ops.account_stop as s
    where  s.account_id = ${accountId} and s.lifted_at is null
    and    not exists (select from ops.worker as w where w.worker_id = ${workerId}::bigint and w.started_at > s.stopped_at)
    order  by s.stopped_at desc
    limit  1`.execute(db);
  return rows[0] ?? null;
}

/**
 * Claims the next check for this process when it is due; of several waiting processes one gets it. The interval before the next check
 * doubles.
 */
export async function claimBalanceCheck(db: Queryable, accountId: string, intervals: CheckIntervals): Promise<boolean> {
  const { rows } = await sql`
    update ops.account_stop as s
    set    check_count = s.check_count + 1, next_check_at = clock_timestamp() + ${interval(sql`s.check_count + 1`, intervals)}
    where  s.account_id = ${accountId} and s.lifted_at is null and s.next_check_at <= clock_timestamp()
    returning s.account_id`.execute(db);
  return rows.length > 0;
}

/** The operations that stop the account. */
export async function stoppingOperations(db: Queryable, accountId: string): Promise<readonly string[]> {
  const { rows } = await sql<{ operation: string }>`
    select distinct operation from ops.account_stop where account_id = ${accountId} and lifted_at is null`.execute(db);
  return rows.map(({ operation }) => operation);
}

/** Lifts the stop for all processes of the account; with `operation`, only if that one was refused. */
export async function liftStop(db: Queryable, accountId: string, operation: string | null = null): Promise<void> {
  await sql`
    update ops.account_stop set lifted_at = clock_timestamp()
    where  account_id = ${accountId} and lifted_at is null and operation = coalesce(${operation}, operation)`.execute(
    db,
  );
}

/** Lifts the stop if a run that it did not stop has an answer of the refused operation. */
export async function liftAnsweredStop(db: Queryable, accountId: string, runId: string): Promise<void> {
  await sql`
    update ops.account_stop as a set lifted_at = clock_timestamp()
    where  a.account_id = ${accountId} and a.lifted_at is null
    and    exists (select from ops.request as q
                   where  q.run_id = ${runId} and q.operation = a.operation and q.status between 200 and 299)`.execute(
    db,
  );
}

/** SQL: the interval before the next check, after this many. */
function interval(checks: ReturnType<typeof sql>, { firstMs, longestMs }: CheckIntervals): ReturnType<typeof sql> {
  return sql`least(${longestMs}::double precision, ${firstMs}::double precision * 2 ^ least(${checks}, 30)) * interval '1 millisecond'`;
}
