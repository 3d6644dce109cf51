import { reportedPrefix, type Scope } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { isRetryable, retryCredits } from "./reopen.ts";

/** A row of `ops.slice_status`; counts and credits are numbers, days are `YYYY-MM-DD`, instants are Dates. */
type SliceStatus = {
  readonly slice_id: string;
  readonly dataset: string;
  readonly operation: string;
  readonly scope: Scope;
  readonly item_count: number;
  readonly first_day: string;
  readonly last_day: string;
  readonly class: string;
  readonly state: string;
  /** The state, or `superseded` or `stale` if that says more. */
  readonly effective_state: string;
  readonly attempt: number;
  readonly failure_count: number;
  readonly planned_request_count: number;
  readonly planned_credits: number;
  readonly request_count: number;
  readonly booked_credits: number;
  readonly rows_loaded: number;
  readonly rows_rejected: number;
  readonly due_at: Date | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly run_id: string;
  /** Account of its run; empty for that of API_TOKEN. */
  readonly account: string;
  /** The dataset whose answer reported its cells; null if they were requested. */
  readonly reported_by: string | null;
  readonly is_retryable: boolean;
  /** What a retry is expected to cost. */
  readonly retry_credits: number;
  readonly plan_id: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
};

type RequestLine = {
  readonly received_at: Date;
  readonly attempt: number;
  readonly page: number;
  readonly status: number | null;
  readonly error_code: string | null;
  readonly cost: number;
  readonly remaining: number | null;
  readonly duration_ms: number;
  readonly byte_count: number;
};

type RejectLine = { readonly reason: string; readonly item: unknown };

/** All that the ledger knows about one slice. */
export type SliceDetails = {
  readonly slice: SliceStatus;
  readonly items: readonly string[];
  readonly requests: readonly RequestLine[];
  /** The first of them; `slice.rows_rejected` counts all. */
  readonly rejects: readonly RejectLine[];
};

/** Reads all about a slice; null if there is no such slice. */
export async function sliceDetails(db: Database, sliceId: string, mostRejects = 20): Promise<SliceDetails | null> {
  const slices = await sql<SliceStatus>`
    select slice_id, dataset, operation, scope, item_count::int, first_day, last_day, class, state, effective_state, attempt, failure_count, planned_request_count,
           planned_credits, request_count::int, booked_credits::int, rows_loaded, rows_rejected, due_at, error_code, error_message, run_id,
           plan_id, created_at, started_at, ended_at, ${isRetryable} as is_retryable, ${retryCredits(sql`${sliceId}::bigint`)} as retry_credits,
           (select r.account from ops.run_log as r where r.run_id = s.run_id) as account,
           (select substr(l.fingerprint, ${reportedPrefix.length + 1}::integer) from ops.slice_log as l
            where  l.slice_id = s.slice_id and l.fingerprint like ${`${reportedPrefix}%`}) as reported_by
    from   ops.slice_status as s
    where  slice_id = ${sliceId}`.execute(db);
  const [slice] = slices.rows;
  if (slice === undefined) return null;
  const items = await sql<{ items: string[] }>`
    select items from ops.slice_item where slice_id = ${sliceId}`.execute(db);
  const requests = await sql<RequestLine>`
    select received_at, attempt, page, status, error_code, cost, remaining, duration_ms, byte_count
    from   ops.request_log
    where  slice_id = ${sliceId}
    order  by request_id`.execute(db);
  const rejects = await sql<RejectLine>`
    select reason, item from ops.reject_log where slice_id = ${sliceId} order by reject_id limit ${mostRejects}`.execute(
    db,
  );
  return { slice, items: items.rows[0]?.items ?? [], requests: requests.rows, rejects: rejects.rows };
}
