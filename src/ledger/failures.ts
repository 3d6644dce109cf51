import { sql } from "../postgres/sql.ts";
import type { Scope } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { retryCredits } from "./reopen.ts";

/** A failed slice whose cells no newer slice has answered. Times are Dates. */
export type Failure = {
  readonly sliceId: string;
  readonly dataset: string;
  /** The account of its run, whose `retry` requests it; empty for that of API_TOKEN. */
  readonly account: string;
  readonly code: string;
  readonly message: string;
  readonly scope: Scope;
  /** The app of its scope, as the dimension names it; null if it is not about one, or the name is unknown. */
  readonly appName: string | null;
  readonly itemCount: number;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly attempts: number;
  /** What a retry is expected to cost. */
  readonly retryCredits: number;
  readonly failedAt: Date | null;
  /** When it is requested again automatically; null if only a person can do that. */
  readonly nextTryAt: Date | null;
};

/** Failures, and how many there are in all. */
export type Failures = { readonly failures: readonly Failure[]; readonly total: number };

/**
 * Failed slices of these datasets, or of all if none is named, of every account: those that need a person first, then by dataset and cause,
 * the newest first.
 */
export async function readFailures(db: Database, datasets: readonly string[], most: number): Promise<Failures> {
  const isNamed = sql`${datasets.length === 0} or f.dataset = any (${[...datasets]}::text[])`;
  const { rows: failures } = await sql<Failure>`
    select f.slice_id as "sliceId", f.dataset, coalesce(r.account, '') as account, coalesce(f.error_code, 'unexpected') as code, coalesce(f.error_message, '') as message, f.scope,
           a.app_name as "appName", s.item_count::int as "itemCount", f.window_start as "firstDay",
           f.window_end - 1 as "lastDay", s.attempt as attempts, ${retryCredits(sql`f.slice_id`)} as "retryCredits", f.ended_at as "failedAt",
           f.next_try_at as "nextTryAt"
    from   ops.failed_slice as f
    join   ops.slice_status as s on s.slice_id = f.slice_id
    left   join ops.run_log as r on r.run_id = f.run_id
    left   join core.dim_app as a on a.store = f.scope ->> 'store' and a.track_id = f.scope ->> 'app'
    where  ${isNamed}
    order  by f.next_try_at is not null, f.dataset, code, f.slice_id desc
    limit  ${most}`.execute(db);
  if (failures.length < most) return { failures, total: failures.length };
  const { rows } = await sql<{
    total: number;
  }>`select count(*)::int as total from ops.failed_slice as f where ${isNamed}`.execute(db);
  return { failures, total: rows[0]?.total ?? failures.length };
}

/** Failed slices of one dataset, error code and app (if their scope has one): how many, and what a retry is expected to cost. */
export type FailureSum = {
  readonly dataset: string;
  readonly code: string;
  /** `ios 12`; null if they are not about an app. */
  readonly app: string | null;
  readonly slices: number;
  readonly credits: number;
};

/** Sums of the failed slices of an account that a retry of the account requests. */
export async function sumFailures(db: Database, account: string): Promise<readonly FailureSum[]> {
  const { rows } = await sql<FailureSum>`
    select f.dataset, coalesce(f.error_code, 'unexpected') as code, (f.scope ->> 'store') || ' ' || (f.scope ->> 'app') as app,
           count(*)::int as slices, sum(${retryCredits(sql`f.slice_id`)})::int as credits
    from   ops.failed_slice as f
    join   ops.run_log as r on r.run_id = f.run_id
    where  r.account = ${account}
    group  by 1, 2, 3`.execute(db);
  return rows;
}
