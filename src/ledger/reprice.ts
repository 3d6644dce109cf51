import { sql } from "kysely";
import type { Slice } from "../core/slice.ts";
import type { Database } from "../warehouse/database.ts";

/** Changes what a running slice is expected to take, once its answer has told; false when another attempt has taken it over. */
export async function reprice(
  db: Database,
  slice: Pick<Slice, "sliceId" | "attempt">,
  { requests, credits }: Pick<Slice, "requests" | "credits">,
): Promise<boolean> {
  const { rows } = await sql`
    update ops.slice set planned_requests = ${requests}, planned_credits = ${credits}
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt} and state = 'running'
    returning slice_id`.execute(db);
  return rows.length > 0;
}
