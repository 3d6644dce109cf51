import { sql } from "kysely";
import type { Database } from "../warehouse/database.ts";
import { addJobs } from "./jobs.ts";

/** Which jobs to look at: those of a task that were taken so long ago, save those of slices that this process has in hands. */
export type LostJobs = { readonly task: string; readonly takenForMs: number; readonly inHands: readonly string[] };

/**
 * Queues slices again whose job was taken and never begun. When a connection breaks between the queue's statement and its reply the job
 * is locked, for hours, and nobody knows that he has it. Returns how many; a job too many is harmless, since a slice is claimed once.
 */
export async function requeueLost(db: Database, { task, takenForMs, inHands }: LostJobs): Promise<number> {
  const { rows } = await sql<{ slice_id: string }>`
    select s.slice_id
    from   graphile_worker._private_jobs as j
    join   graphile_worker._private_tasks as t on t.id = j.task_id
    join   ops.slice as s on j.key = 'slice ' || s.slice_id
    where  t.identifier = ${task} and j.locked_at < now() - ${takenForMs}::double precision * interval '1 millisecond'
    and    s.state = 'pending' and not s.slice_id = any (${[...inHands]}::bigint[])
    order  by s.slice_id`.execute(db);
  await addJobs(
    db,
    task,
    rows.map((row) => row.slice_id),
  );
  return rows.length;
}
