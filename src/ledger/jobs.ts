import { sql } from "kysely";
import { creditClasses } from "../core/slice.ts";
import type { Database } from "../warehouse/database.ts";

/** The task that any worker of the shared queue runs. */
export const sharedTask = "run_slice";

/** The task of a foreground process: nobody else takes its slices, so that its budget holds and its end is known. */
export function ownTask(workerId: string): string {
  return `${sharedTask}:${workerId}`;
}

/** A fault of ours or a lost database, not of the slice, is what makes the queue try again; slices count their own failures. */
const mostAttempts = 10;

/**
 * Adds a job for each slice, or moves the one that waits; classes first, then in the order given. One statement.
 * `runAt` in epoch-ms; at once when null.
 *
 * The queue writes jobs in an order of its own and takes them by priority, then by time: a microsecond apart keeps them in ours.
 */
export async function addJobs(
  db: Database,
  task: string,
  sliceIds: readonly string[],
  runAt: number | null = null,
): Promise<void> {
  if (sliceIds.length === 0) return;
  await sql`
    select from graphile_worker.add_jobs(array(
      select (${task}, json_build_object('sliceId', s.slice_id::text), null,
              coalesce(${runAt === null ? null : new Date(runAt).toISOString()}::timestamptz, now()) + position * interval '1 microsecond', ${mostAttempts}::int, 'slice ' || s.slice_id,
              array_position(${[...creditClasses]}::text[], s.class)::int, null)::graphile_worker.job_spec
      from   unnest(${[...sliceIds]}::bigint[]) with ordinality as wanted (slice_id, position)
      join   ops.slice as s using (slice_id)
      order  by position))`.execute(db);
}
