import { sql } from "kysely";
import type { Scope } from "../core/slice.ts";
import type { Database } from "../warehouse/database.ts";

/** A slice as `ops.slice_status` has it; counts and credits as numbers, days as `YYYY-MM-DD`, instants as Date. */
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
  /** The state, or `superseded` or `stale` where that says more. */
  readonly standing: string;
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

/** All that the ledger knows of one slice. */
export type SliceStory = {
  readonly slice: SliceStatus;
  readonly items: readonly string[];
  readonly requests: readonly RequestLine[];
  /** The first of them; `slice.rows_rejected` counts all. */
  readonly rejects: readonly RejectLine[];
};

/** Reads the story of a slice; null when there is no such slice. */
export async function sliceStory(db: Database, sliceId: string, mostRejects = 20): Promise<SliceStory | null> {
  const slices = await sql<SliceStatus>`
    select slice_id, dataset, operation, scope, item_count::int, first_day, last_day, class, state, standing, attempt, failure_count, planned_request_count,
           planned_credits, request_count::int, booked_credits::int, rows_loaded, rows_rejected, due_at, error_code, error_message, run_id,
           plan_id, created_at, started_at, ended_at
    from   ops.slice_status
    where  slice_id = ${sliceId}`.execute(db);
  const [slice] = slices.rows;
  if (slice === undefined) return null;
  const items = await sql<{ items: string[] }>`
    select b.items from ops.slice as s join ops.batch as b on b.batch_id = s.batch_id where s.slice_id = ${sliceId}`.execute(
    db,
  );
  const requests = await sql<RequestLine>`
    select received_at, attempt, page, status, error_code, cost, remaining, duration_ms, byte_count
    from   ops.request
    where  slice_id = ${sliceId}
    order  by request_id`.execute(db);
  const rejects = await sql<RejectLine>`
    select reason, item from ops.reject where slice_id = ${sliceId} order by reject_id limit ${mostRejects}`.execute(
    db,
  );
  return { slice, items: items.rows[0]?.items ?? [], requests: requests.rows, rejects: rejects.rows };
}
