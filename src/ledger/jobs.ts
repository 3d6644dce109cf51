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
 * SQL: the turn of a slice within its class, lower first; of `ops.slice as s` and `ops.plan as p`. Newest days first, and oldest first
 * for the slices of a plan that says so. One a day, below 40,000 up to the year 2100.
 */
export const dayTurn = sql`case when coalesce(p.newest_first, true) then date '2100-01-01' - s.window_end else s.window_start - date '2000-01-01' end`;

/**
 * Adds a job for each slice, or moves the one that waits; classes first, then in the order given, or by the day whoever adds them when
 * (`by day`), since what is planned comes in many parts. One statement. `runAt` in epoch-ms; at once when null.
 *
 * The queue writes jobs in an order of its own and takes them by priority, then by time: a microsecond apart keeps them in ours.
 */
export async function addJobs(
  db: Database,
  task: string,
  sliceIds: readonly string[],
  runAt: number | "by day" | null = null,
): Promise<void> {
  if (sliceIds.length === 0) return;
  const startAt =
    typeof runAt === "number"
      ? sql`${new Date(runAt).toISOString()}::timestamptz`
      : runAt === null
        ? sql`now()`
        : // long past, so due at once, and the same whoever queued it when
          sql`timestamptz '2000-01-01 00:00Z' + (${dayTurn}) * interval '1 second'`;
  await sql`
    select from graphile_worker.add_jobs(array(
      select (${task}, json_build_object('sliceId', s.slice_id::text), null,
              ${startAt} + position * interval '1 microsecond', ${mostAttempts}::int, 'slice ' || s.slice_id,
              array_position(${[...creditClasses]}::text[], s.class)::int, null)::graphile_worker.job_spec
      from   unnest(${[...sliceIds]}::bigint[]) with ordinality as wanted (slice_id, position)
      join   ops.slice as s using (slice_id)
      left   join ops.plan as p on p.plan_id = s.plan_id
      order  by position))`.execute(db);
}
