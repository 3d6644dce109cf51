import { sql, type Queryable } from "../postgres/sql.ts";

/*
 * A worker with nothing to run sleeps until a slice that it knows of is due. What another process queues meanwhile is announced on a channel;
 * where that is missed, as while a broken connection is replaced, the worker finds it at its next check.
 */

/** The queue that any worker takes slices from. */
export const sharedQueue = "0";

/** The channel on which slices of the shared queue are announced. */
export const queuedChannel = "storehouse_queued";

/** Wakes the workers once the transaction commits. */
export async function announceQueued(db: Queryable): Promise<void> {
  await sql`select pg_catalog.pg_notify(${queuedChannel}, '')`.execute(db);
}
