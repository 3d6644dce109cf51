import type { Stage } from "./ingest-stage.ts";

/** Stores a page for the last open slice of a plan, as an attempt leaves one that ended before its last page. */
export async function landLast(stage: Stage, planId: string): Promise<void> {
  await stage.query(
    `insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at)
     select 0, max(slice_id), 1, 0, min(operation), '{}', 2, now() from ops.slice where plan_id = $1 and state in ('pending', 'deferred')`,
    [planId],
  );
}
