import type { Day } from "../core/day.ts";
import type { SliceDraft } from "../core/slice.ts";
import { joined } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { digestOf } from "./batches.ts";
import { hasLanded } from "./cancel-slices.ts";
import { isLeft } from "./adopt-slices.ts";
import { queueOf } from "./runs.ts";
import { hasSameScope } from "./same-scope.ts";
import { isAlive } from "./workers.ts";

/** A waiting slice that is next to the draft at a position, or overlaps it. */
type Waiting = {
  readonly position: number;
  readonly sliceId: string;
  readonly start: Day;
  readonly end: Day;
  readonly since: Date;
};

/**
 * Extends drafts by the days of slices that wait in the queue of their run, or that it may adopt, for the same list and scope, if one call
 * can fetch both: each night without credits leaves a slice, and each would be paid for separately. These slices are deleted, unless
 * another process is claiming them. To be called in the transaction that queues the drafts. Only slices of the same class that would cost
 * at least as much are joined, so that no floor or limit lets through what it would have refused. Slices of a plan or a retry, slices that
 * have failed before, and slices with stored pages stay.
 */
export async function joinWaiting(
  transaction: Database,
  runId: string,
  drafts: readonly SliceDraft[],
): Promise<readonly SliceDraft[]> {
  if (drafts.every(({ longest }) => longest === undefined)) return drafts;
  const { wider, taken } = joinedTo(drafts, await readWaiting(transaction, drafts, { runId }));
  await sql`delete from ops.slice where slice_id = any (${taken}::bigint[])`.execute(transaction);
  return wider;
}

/** The slices that `joinWaiting` would delete in the next run of an account; deletes and locks nothing. */
export async function wouldJoin(
  db: Database,
  account: string,
  drafts: readonly SliceDraft[],
): Promise<readonly string[]> {
  if (drafts.every(({ longest }) => longest === undefined)) return [];
  return joinedTo(drafts, await readWaiting(db, drafts, { account })).taken;
}

/** Drafts with the days of the slices that they join, and the numbers of these. */
function joinedTo(drafts: readonly SliceDraft[], waiting: readonly Waiting[]) {
  const wider = [...drafts];
  const taken = new Set<string>();
  for (const slice of waiting) {
    const draft = wider[slice.position];
    if (draft === undefined || taken.has(slice.sliceId)) continue;
    const window = joined(draft.window, slice, draft.longest ?? 0);
    if (window === null) continue;
    wider[slice.position] = {
      ...draft,
      window,
      waitsSince: Math.min(draft.waitsSince ?? Number.POSITIVE_INFINITY, slice.since.getTime()),
    };
    taken.add(slice.sliceId);
  }
  return { wider, taken: [...taken] };
}

/**
 * Slices that drafts may join, the newest days first: for a run, locked until the transaction ends; or for an account, those that its next
 * run finds.
 */
async function readWaiting(
  db: Database,
  drafts: readonly SliceDraft[],
  by: { readonly runId: string } | { readonly account: string },
): Promise<readonly Waiting[]> {
  const isFound =
    "runId" in by
      ? sql`(s.queue_id = ${queueOf(by.runId)} or ${isLeft(by.runId)})`
      : sql`(r.account = ${by.account} and (r.worker_id is null or not ${isAlive(sql`r.worker_id`)}))`;
  const wanted = drafts.flatMap((draft, position) => {
    const { longest, items, window } = draft;
    return longest === undefined
      ? []
      : [{ ...draft, ...window, position, digest: digestOf(items ?? []), items: undefined }];
  });
  const { rows } = await sql<Waiting>`
    select w.position, s.slice_id as "sliceId", s.window_start as start, s.window_end as end, s.created_at as since
    from   jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
           as w (position integer, dataset text, operation text, scope jsonb, digest text, start date, "end" date, class text, credits integer)
    join   ops.slice as s on ${hasSameScope("s", "w")}
    left   join ops.batch as b on b.batch_id = s.batch_id
    join   ops.run as r on r.run_id = s.run_id and r.kind in ('schedule', 'sync')
    where  s.state in ('pending', 'deferred') and s.operation = w.operation and coalesce(b.digest, ${digestOf([])}) = w.digest
    and    s.window_start <= w.end and s.window_end >= w.start and s.class = w.class and s.planned_credits >= w.credits
    and    ${isFound}
    and    s.plan_id is null and s.tail_of is null and s.failures = 0 and s.broken_off_count = 0 and not ${hasLanded}
    order  by s.window_end desc, s.slice_id, w.position
    ${"runId" in by ? sql`for update of s skip locked` : sql``}`.execute(db);
  return rows;
}
