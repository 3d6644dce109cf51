import type { Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import { sql, type SqlFragment } from "../postgres/sql.ts";
import { hasOpenSlices, isOpen, likelyCredits } from "./open-slices.ts";
import { isRetryByHand } from "./plan-payers.ts";
import { isUnrefused, turnAfterRefusals } from "./queue-turn.ts";
import { addPlanned, queueOf, readPlansAfter } from "./runs.ts";
import { isAlive } from "./workers.ts";

/** True if a dead foreground process of an account left unfinished slices. */
export async function hasOrphans(db: Database, account: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ops.run as r
                   where  r.worker_id is not null and r.account = ${account} and exists (select from ops.slice as s where s.run_id = r.run_id and ${isOpen()})
                   -- declared dead: then slices over its limit or price are cancelled already
                   and    exists (select from ops.worker as w where w.worker_id = r.worker_id and w.stopped_at is not null)) as found`.execute(
    db,
  );
  return rows[0]?.found === true;
}

/** What workers plan once the lists among these slices are loaded. */
export function readPlansAfterOrphans(db: Database, account: string, today: Day): Promise<readonly string[]> {
  // also of those that were not found dead yet: a run adopts their slices too
  const isOrphan = sql`${isOpen()} and s.run_id in (
    select r.run_id from ops.run as r where r.worker_id is not null and not ${isAlive(sql`r.worker_id`)} and r.account = ${account})`;
  return readPlansAfter(db, isOrphan, today);
}

/**
 * Which orphaned slices a run adopts: of these datasets, or of one plan, for at most `mostCredits` at learned prices (pages that have landed
 * cost nothing).
 */
export type Adoption = {
  readonly runId: string;
  readonly datasets: readonly string[];
  readonly planId?: string;
  readonly mostCredits: number;
  readonly onlySnapshots?: boolean;
  /** Only those that a person ran again. */
  readonly onlyRetries?: boolean;
  /** Leaves slices of operations that were refused lately where they are. */
  readonly withoutRefused?: boolean;
};

/** Slices per fetch of the cursor. */
const adoptedAtOnce = 5_000;

/**
 * Moves orphaned slices of the run's account into the run and its queue: open ones of dead processes, and those of the shared queue that no
 * worker runs now. In the order of the queue, for at most `mostCredits`. If two processes adopt the same slice, the first one keeps it.
 */
export async function adoptOrphanedSlices(db: Database, run: Adoption): Promise<number> {
  if (!(await hasOpenSlices(db))) return 0;
  const account = sql`(select account from ops.run where run_id = ${run.runId})`;
  return db.transaction().execute(async (transaction) => {
    // the lock makes Postgres check the conditions again: a slice that another process has just taken is left to it
    await sql`
      declare adopted no scroll cursor for
      with free as materialized (
        select run_id from ops.run as r where ${isLeft(run.runId)} and (${isRetryByHand} or not ${run.onlyRetries ?? false}::boolean)
      ), open as (
        select s.slice_id, s.turn, ${likelyCredits} as credits
        from   ops.slice as s
        join   free using (run_id)
        left   join ops.credit_price as c on c.operation = s.operation
        where  s.dataset = any (${[...run.datasets]}::text[]) and ${isOpen()}
        and    (${run.planId ?? null}::bigint is null or s.plan_id = ${run.planId ?? null}::bigint)
        and    (s.class = 'snapshot' or not ${run.onlySnapshots ?? false}::boolean)
        ${run.withoutRefused === true ? sql`and ${isUnrefused(account)}` : sql``}
        and    (s.state <> 'running' or s.worker_id is null or not ${isAlive(sql`s.worker_id`)})
        for    update of s
      )
      select slice_id, sum(credits) over (order by turn, slice_id) as running
      from   open
      order  by turn, slice_id`.execute(transaction);
    let taken = 0;
    for (;;) {
      const { rows } = await sql<{ slice_id: string; running: string }>`
        fetch ${sql.raw(String(adoptedAtOnce))} from adopted`.execute(transaction);
      const ids = rows.filter((row) => Number(row.running) <= run.mostCredits).map((row) => row.slice_id);
      if (ids.length > 0) {
        await sql`
          update ops.slice as s set run_id = ${run.runId}, queue_id = ${queueOf(run.runId)}, state = 'pending', due_at = null,
                 turn = ${turnAfterRefusals(account)}
          where  slice_id = any (${ids}::bigint[])`.execute(transaction);
        await addPlanned(transaction, run.runId, ids);
      }
      taken += ids.length;
      if (ids.length < adoptedAtOnce) break;
    }
    await sql`close adopted`.execute(transaction);
    return taken;
  });
}

/** SQL: true for a run `r` whose slices another run of its account may adopt: no process runs it, or it is of the shared queue. */
export function isLeft(by: string): SqlFragment {
  return sql`(r.run_id <> ${by} and (r.worker_id is null or not ${isAlive(sql`r.worker_id`)})
              and coalesce(r.worker_id, r.shared_queue_id) <> ${queueOf(by)} and r.account = (select account from ops.run where run_id = ${by}))`;
}
