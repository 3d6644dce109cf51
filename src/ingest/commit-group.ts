import { sql } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import type { Slice } from "../core/slice.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { isShared, planningKeyAfter, planningTask, taskOfAccountIn } from "../ledger/shared-queue.ts";
import { endAttempts, type Ending } from "../ledger/slices.ts";
import type { Dimensions } from "../load/dimensions.ts";
import { tryKeepReplaysOut } from "../load/rebuild-lock.ts";
import type { Database } from "../postgres/database.ts";
import { coverAlsoAnswered, loadAlsoAnswered, type AlsoAnsweredParts } from "./also-answered.ts";
import { compareReported } from "./compare-reported.ts";
import type { CrashHook } from "./crash-point.ts";
import { deleteRejects, type SliceLoad, writeSlices } from "./prepare-slice.ts";
import { findByKey } from "../postgres/plan-hints.ts";

/** A slice that is ready to be committed: what it loads and how it ends. */
export type GroupMember = { readonly load: SliceLoad; readonly ending: Ending };

type CommitParts = {
  readonly db: Database;
  readonly dimensions: Dimensions;
  readonly clock: Clock;
  readonly queueId: string;
  readonly crashPoint?: CrashHook | undefined;
  /** Loads the figures of other datasets that an answer reports. */
  readonly alsoAnswered: AlsoAnsweredParts;
};

/** How the commit of a slice ended: if another attempt has taken it over, or a replay rebuilds its dataset, nothing of it was written. */
export type CommitEnd = "committed" | "fenced" | "being_replayed";

/**
 * Commits rows, rejects, drift and outcomes of different slices in one transaction, so that each slice has both its rows and its outcome or
 * neither. The job that plans the next round is part of the transaction. A slice that another attempt has taken over is left out, with its
 * rows, and so is one whose dataset a replay rebuilds: the others of its group do not wait for that. Returns the end of each.
 */
export async function commitGroup(
  { db, dimensions, clock, queueId, crashPoint, alsoAnswered }: CommitParts,
  members: readonly GroupMember[],
): Promise<readonly CommitEnd[]> {
  await coverAlsoAnswered(
    alsoAnswered,
    members.map(({ load }) => load),
  );
  return db.transaction().execute(async (transaction) => {
    await findByKey(transaction);
    const replayed = await tryKeepReplaysOut(transaction, new Set(members.flatMap(writtenDatasets)));
    const free = members.filter((member) => !writtenDatasets(member).some((name) => replayed.has(name)));
    // first, so that the slices are locked: a worker that takes one over either waits or was first
    const ended = await endAttempts(
      transaction,
      free.map(({ load, ending }) => ({ slice: load.slice, ending })),
      clock.now(),
    );
    const mine = free.filter(({ load }) => ended.has(load.slice.sliceId)).map(({ load }) => load);
    for (const _ of mine) await crashPoint?.("in the load");
    await deleteRejects(
      transaction,
      mine.filter(({ slice }) => slice.attempt > 1),
    );
    if (mine.length > 0) await writeSlices(transaction, { dimensions, tailsAt: clock.now() }, mine);
    await compareReported(transaction, alsoAnswered, mine);
    await loadAlsoAnswered(transaction, alsoAnswered, mine);
    await planAfter(
      transaction,
      queueId,
      mine.map(({ slice }) => slice),
    );
    return members.map((member) => {
      if (!free.includes(member)) return "being_replayed";
      return ended.has(member.load.slice.sliceId) ? "committed" : "fenced";
    });
  });
}

/** The datasets whose tables a slice writes. */
function writtenDatasets({ load }: GroupMember): readonly string[] {
  const { name, alsoAnswers } = datasetNamed(load.slice.dataset);
  return alsoAnswers === undefined ? [name] : [name, alsoAnswers.dataset];
}

/**
 * Queues the planner after slices of the shared queue, of a retry, or of a run with `plans_after` that changed the portfolio, since the
 * next round is planned from it. Other foreground syncs plan their own rounds. Called in the transaction that commits the slices, as its
 * last statement: a worker that dies leaves both or neither, and the row of the job is locked only while the commit takes place.
 */
async function planAfter(db: Database, queueId: string, slices: readonly Slice[]): Promise<void> {
  const runs = new Set(
    slices.filter(({ dataset }) => datasetNamed(dataset).stage !== "market").map((one) => one.runId),
  );
  if (runs.size === 0) return;
  await sql`
    select graphile_worker.add_job(round.task, json_build_object('datasets', round.datasets, 'collects', true),
                                   job_key := ${planningKeyAfter(sql`round.task`, sql`round.datasets`)}, max_attempts := 3)
    from   (select distinct ${taskOfAccountIn(planningTask, sql`account`)} as task, case plans_after when '{}' then datasets else plans_after end as datasets
            from   ops.run
            where  run_id = any (${[...runs]}::bigint[])
            and   (kind = 'retry' or plans_after <> '{}' or ${isShared(queueId)}::boolean) order by datasets) as round`.execute(
    db,
  );
}
