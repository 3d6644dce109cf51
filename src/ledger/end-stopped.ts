import { errorCodes, type Recovery } from "../core/error-codes.ts";
import { firstTryMs, isTriedLater } from "../core/retry-times.ts";
import { countOf } from "../core/words.ts";
import type { Database } from "../postgres/database.ts";
import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import { cancelledKept, hasLanded, type EndedSlices } from "./cancel-slices.ts";
import { awaitsReplay, isOpen } from "./open-slices.ts";
import { isAlive } from "./workers.ts";

type Entry = { readonly recovery: Recovery; readonly leaves?: "skipped" | "failed" | "empty"; readonly says: string };
const codesOf = (is: (entry: Entry, code: string) => boolean) =>
  Object.entries<Entry>(errorCodes).flatMap(([code, entry]) => (is(entry, code) ? [code] : []));

/** Error codes of slices that were skipped, not failed, before a retry. */
const skipCodes = codesOf(({ leaves }) => leaves === "skipped");

/** Error codes after which another try makes sense: those that may pass, those of a stop, and those of a wait for credits. */
const triedAgain = codesOf(
  ({ recovery, leaves }, code) =>
    leaves !== "skipped" &&
    (isTriedLater(code) || recovery === "abort" || recovery === "fenced" || recovery === "defer"),
);

/** SQL: the changes to a slice `s` when its run was stopped: no worker continues it at once. */
const failedAgain = sql`
  state         = case when s.error_code = any (${skipCodes}::text[]) then 'skipped' else 'failed' end,
  error_code    = coalesce(s.error_code, 'stopped'),
  error_message = coalesce(s.error_message, ${errorCodes.stopped.says})`;

/**
 * Sets the open slices of a stopped retry back to failed, since a living worker would adopt open ones. Slices that were requested again
 * automatically before the retry will be again. Returns how many.
 */
export async function returnToFailed(db: Database, runId: string, now: number): Promise<number> {
  const { rows } = await sql`
    update ops.slice as s set ${failedAgain},
           due_at = case when coalesce(s.error_code, 'stopped') = any (${triedAgain}::text[]) then ${instant(now + firstTryMs)} end
    from   ops.run as r
    where  r.run_id = ${runId} and r.kind = 'retry' and s.run_id = r.run_id and s.state in ('pending', 'deferred')
    and    not ${awaitsReplay}
    returning s.slice_id`.execute(db);
  return rows.length;
}

/**
 * Cancels the open slices of a plan whose run a person stopped: no more of its price is spent, and their cells count as not requested.
 * Slices with stored pages, which are paid for, fail and wait for a retry; those that wait for a replay alone stay. The plan keeps what its cancelled slices were charged, or may have
 * been.
 */
export function cancelRestOfPlan(db: Database, runId: string): Promise<EndedSlices> {
  const rest = sql`s.run_id = ${runId} and r.kind = 'backfill' and s.state in ('pending', 'deferred')`;
  return cancelPart(db, rest, sql`(select plan_id from ops.run where run_id = ${runId})`);
}

/**
 * The same for all slices that a plan has left, in any run, including failed ones that would be requested again automatically. Requests of
 * a living process finish.
 */
export function cancelPlan(db: Database, planId: string): Promise<EndedSlices> {
  const isLeft = sql`(s.state in ('pending', 'deferred') or s.state = 'failed' and s.due_at is not null
                      or s.state = 'running' and (s.worker_id is null or not ${isAlive(sql`s.worker_id`)}))`;
  return cancelPart(db, sql`s.plan_id = ${planId} and ${isLeft}`, sql`${planId}`);
}

/** Whether a plan has open slices, in whichever run: a worker may have adopted them. Read from views. */
export async function isPlanOpen(db: Database, planId: string): Promise<boolean> {
  const { rows } = await sql<{ isOpen: boolean }>`
    select exists (select from ops.slice_log as slice where plan_id = ${planId} and ${isOpen("slice")}) as "isOpen"`.execute(
    db,
  );
  return rows[0]?.isOpen === true;
}

/** Says what became of slices that plans had left, in sentences. `whose`: `of plan 7`. */
export function endedWords(whose: string, { cancelled, failed }: EndedSlices): readonly string[] {
  const sentences: string[] = [];
  if (cancelled > 0)
    sentences.push(
      `${countOf(cancelled, "slice")} ${whose} ${cancelled === 1 ? "is" : "are"} cancelled, and missing again.`,
    );
  if (failed > 0)
    sentences.push(
      `${countOf(failed, "slice")} ${whose} with stored pages ${failed === 1 ? "is" : "are"} failed now: \`storehouse retry\` fetches pages that are missing or could not be read.`,
    );
  return sentences;
}

async function cancelPart(db: Database, isRest: SqlFragment, planId: SqlFragment): Promise<EndedSlices> {
  const { rows } = await sql<EndedSlices>`
    with rest as materialized (
      select s.slice_id, ${hasLanded} as landed
      from   ops.slice as s
      join   ops.run as r using (run_id)
      -- what is stored whole costs nothing more
      where  ${isRest} and not ${awaitsReplay}
      for    update of s skip locked
    ), cancelled as (
      delete from ops.slice as s using rest where s.slice_id = rest.slice_id and not rest.landed
      returning s.slice_id
    ), waiting as (
      update ops.slice as s set ${failedAgain}, due_at = null from rest where s.slice_id = rest.slice_id and rest.landed
      returning s.state
    ), kept as (${cancelledKept(planId)})
    select (select count(*)::int from cancelled) as cancelled, (select count(*)::int from waiting where state = 'failed') as failed`.execute(
    db,
  );
  return rows[0] ?? { cancelled: 0, failed: 0 };
}
