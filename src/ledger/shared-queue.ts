import { sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";

/*
 * A worker with nothing to run sleeps until a slice that it knows of is due. Slices that another process queues are announced on a channel.
 * If a worker misses an announcement, for instance while it replaces a broken connection, it finds the slices at its next check.
 */

/** The queue that any worker of the account of API_TOKEN takes slices from. */
export const sharedQueue = "0";

/**
 * True for a queue that workers share: the queues of accounts other than that of API_TOKEN are below zero, those of foreground processes
 * above.
 */
export function isShared(queueId: string): boolean {
  return Number(queueId) <= 0;
}

/** The queue that the workers of an account share. Makes it if the account is new. */
export async function sharedQueueOf(db: Queryable, account: string): Promise<string> {
  if (account === "") return sharedQueue;
  for (;;) {
    const { rows } = await sql<{ queue_id: string }>`
      with made as (
        insert into ops.account (account)
        select ${account} where not exists (select from ops.account where account = ${account})
        on conflict do nothing
        returning queue_id
      )
      select queue_id from ops.account where account = ${account} union all select queue_id from made`.execute(db);
    // no row if another process made it at the same moment
    if (rows[0] !== undefined) return rows[0].queue_id;
  }
}

/** The task of the job queue that plans. */
export const planningTask = "plan_due";

/** The name under which jobs of a task wait for a worker of an account. */
export function taskOfAccount(task: string, account: string): string {
  return account === "" ? task : `${task}:${account}`;
}

/** SQL: the same name, for an account in SQL. */
export function taskOfAccountIn(task: string, account: SqlFragment): SqlFragment<string> {
  return sql`(${task} || case ${account} when '' then '' else ':' || ${account} end)`;
}

/** SQL: the key of the job that plans further, after slices of these datasets of a task's account. */
export function planningKeyAfter(task: SqlFragment, datasets: SqlFragment): SqlFragment<string> {
  return sql`(${task} || ' after ' || md5(${datasets}::text))`;
}

/** True if a job that plans further waits for a worker of an account or is run by one, except the job `ownId` of the caller. */
export async function isPlanningAhead(db: Queryable, account: string, ownId?: string): Promise<boolean> {
  const { rows } = await sql`
    select from graphile_worker.jobs
    where  (locked_at is not null or attempts < max_attempts) and id <> ${ownId ?? "0"}::bigint
    and    starts_with(key, ${`${taskOfAccount(planningTask, account)} after `}) limit 1`.execute(db);
  return rows.length > 0;
}

/** The channel on which slices of the shared queue are announced. */
export const queuedChannel = "storehouse_queued";

/** Wakes the workers once the transaction commits. */
export async function announceQueued(db: Queryable): Promise<void> {
  await sql`select pg_catalog.pg_notify(${queuedChannel}, '')`.execute(db);
}
