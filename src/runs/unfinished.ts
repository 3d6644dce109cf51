import type { Scope } from "../core/slice.ts";
import { listWords } from "../planner/unread-lists.ts";
import { sql } from "../postgres/sql.ts";
import type { Window } from "../core/window.ts";
import { hasLivingWorker, isAlive } from "../ledger/workers.ts";
import type { Database } from "../postgres/database.ts";
import { readTooDear, type TooDearWait } from "../ledger/budget-waits.ts";
import { hasOpenSlices, isOpen } from "../ledger/open-slices.ts";
import { hasSameScope } from "../ledger/same-scope.ts";

/** What a run reports as not loaded, apart from its own slices. */
export type Unfinished = {
  /**
   * Open slices of processes that have ended, or of the shared queue while no worker lives, that the run did not take over because its
   * limit was too small.
   */
  readonly orphaned: number;
  /** Slices that another living process is about to load. */
  readonly runningElsewhere: number;
  /** Slices that failed in earlier runs and whose cells no newer slice has answered. */
  readonly failedBefore: number;
  /** When the first of those is requested again automatically; null unless each is, left out if that is not known. */
  readonly nextTryAt?: Date | null;
  /**
   * What was unavailable: datasets whose slices in this run were all skipped (unless each partition was unavailable before while others of
   * the dataset were available, or another run of the day has loaded some of the dataset), and single lists of the portfolio (`tracked_keyword ios 1 US`).
   */
  readonly unavailable: readonly string[];
  /** Slices of this run that no reset lets run; left out if that is not known. */
  readonly tooDear?: readonly TooDearWait[];
  /** Those names among `unavailable`, and others, of which this run got an answer that is held; left out if that is not known. */
  readonly held?: readonly string[];
};

type OpenElsewhere = { readonly runId: string; readonly datasets: readonly string[] };

/** SQL: open slices (`s`) of these datasets in other runs of the account of a run, and whether a living process has them (`alive`). */
const openElsewhere = ({ runId, datasets }: OpenElsewhere) => sql`
    from   ops.slice as s
    join   ops.run   as r on r.run_id = s.run_id
    cross  join lateral (select case when s.state = 'running' then ${isAlive(sql`s.worker_id`)}
                                   when r.worker_id is null then ${hasLivingWorker} else ${isAlive(sql`r.worker_id`)} end as alive) as owner
    where  s.dataset = any (${[...datasets]}::text[]) and s.run_id <> ${runId} and ${isOpen()}
    and    r.account = ${accountOfRun(runId)}`;

const accountOfRun = (runId: string) => sql`(select own.account from ops.run as own where own.run_id = ${runId})`;

/** SQL: true for a slice that a living process is about to load. */
const isAtWork = sql<boolean>`s.state in ('pending', 'running') and alive`;

/** True when another living process is about to load slices of these datasets. */
export async function areOthersAtWork(db: Database, of: OpenElsewhere): Promise<boolean> {
  if (!(await hasOpenSlices(db))) return false;
  const { rows } = await sql`select ${openElsewhere(of)} and ${isAtWork} limit 1`.execute(db);
  return rows.length > 0;
}

/** Reads what other runs of the account left of these datasets, within the requested days, and the outcome of this one. */
export async function readUnfinished(
  db: Database,
  of: { readonly runId: string; readonly datasets: readonly string[]; readonly within: Partial<Window> },
): Promise<Unfinished> {
  const open = await sql<Pick<Unfinished, "orphaned" | "runningElsewhere">>`
    select count(*) filter (where ${isOpen()} and not alive)::int as orphaned,
           count(*) filter (where ${isAtWork})::int as "runningElsewhere"
${openElsewhere(of)}`.execute(db);
  const failed = await sql<Pick<Unfinished, "failedBefore" | "nextTryAt">>`
    select count(*)::int as "failedBefore", case when bool_and(f.next_try_at is not null) then min(f.next_try_at) end as "nextTryAt"
    from   ops.failed_slice as f
    where  f.dataset = any (${[...of.datasets]}::text[]) and f.run_id <> ${of.runId}
    and    exists (select from ops.run as o where o.run_id = f.run_id and o.account = ${accountOfRun(of.runId)}) and f.window_end > ${of.within.start ?? "-infinity"}::date
    and    f.window_start < ${of.within.end ?? "infinity"}::date`.execute(db);
  const unavailable = await sql<{ dataset: string }>`
    select s.dataset from ops.slice as s where s.run_id = ${of.runId}
    group  by s.dataset having bool_and(s.state = 'skipped') and bool_or(s.state = 'skipped' and not ${wasUnavailable}) and not ${isLoadedBeside(of.runId)}
    order  by s.dataset`.execute(db);
  const held = await sql<{ dataset: string; scope: Scope; isWhole: boolean }>`
    select s.dataset, s.scope,
           not exists (select from ops.slice as x where x.run_id = s.run_id and x.dataset = s.dataset and x.error_code is distinct from 'answer_held') as "isWhole"
    from   ops.slice as s where s.run_id = ${of.runId} and s.state = 'skipped' and s.error_code = 'answer_held'`.execute(
    db,
  );
  const [left] = open.rows as [(typeof open.rows)[number]];
  const [failures] = failed.rows as [(typeof failed.rows)[number]];
  return {
    ...left,
    ...failures,
    tooDear: await readTooDear(db, of.runId),
    unavailable: unavailable.rows.map((row) => row.dataset),
    held: held.rows.flatMap(({ dataset, scope, isWhole }) => [
      ...(isWhole ? [dataset] : []),
      listWords(dataset, scope),
    ]),
  };
}

/** SQL: true for a slice (`s`) whose partition was unavailable in an earlier run that found others of its dataset available. */
const wasUnavailable = sql<boolean>`exists (
      select from ops.slice as before
      where  ${hasSameScope("before", "s")} and before.state = 'skipped' and before.run_id <> s.run_id
      and    exists (select from ops.slice as beside
                     where  beside.run_id = before.run_id and beside.dataset = s.dataset and beside.state in ('loaded', 'empty')))`;

/** SQL: true if another run of the same account and day has loaded some of the dataset of a slice (`s`). */
const isLoadedBeside = (runId: string) => sql<boolean>`exists (
      select from ops.run   as own
      join   ops.run   as other on other.account = own.account and other.as_of = own.as_of and other.run_id <> own.run_id
      join   ops.slice as beside on beside.run_id = other.run_id
      where  own.run_id = ${runId} and beside.dataset = s.dataset and beside.state in ('loaded', 'empty'))`;
