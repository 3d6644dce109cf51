import { sql } from "kysely";
import { fail } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import type { Database } from "../warehouse/database.ts";
import { batchesOf } from "./batches.ts";

/**
 * Takes items of which an answer said nothing out of its slice, so that no coverage is claimed for them, and notes them as a skipped
 * slice of their own, which costs nothing: the plan asks for them another way and does not come back to this one. A slice of which
 * nothing is left is skipped itself. To be called in the transaction that ends the slice.
 */
export async function setAside(db: Database, slice: Slice, silent: readonly string[]): Promise<void> {
  const rest = (slice.items ?? []).filter((item) => !silent.includes(item));
  const { code, message } = fail("not_tracked", { operation: slice.operation });
  if (rest.length === 0) {
    await sql`
      update ops.slice set state = 'skipped', error_code = ${code}, error_message = ${message}
      where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt}`.execute(db);
    return;
  }
  const [kept, apart] = await batchesOf(db, [rest, silent]);
  await sql`
    insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                           planned_credits, run_id, worker_id, attempt, error_code, error_message, created_at, started_at, ended_at)
    select dataset, operation, scope, ${apart}, window_start, window_end, as_of, fingerprint, class, 'skipped', planned_requests,
           0, run_id, worker_id, attempt, ${code}, ${message}, created_at, started_at, ended_at
    from   ops.slice
    where  slice_id = ${slice.sliceId}`.execute(db);
  await sql`update ops.slice set batch_id = ${kept} where slice_id = ${slice.sliceId}`.execute(db);
}
