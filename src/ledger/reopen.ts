import { sql, type SqlFragment } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import { unreadableCodes } from "../core/errors.ts";
import type { PartitionGroup } from "../core/partition-group.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { addPlanned, queueOf } from "./runs.ts";
import { atLearnedPrice, isOpen } from "./open-slices.ts";
import { isInGroups } from "./in-groups.ts";
import { hasSameList } from "./same-scope.ts";

/**
 * Which slices are run again: those of these datasets that meet every condition. `states`: failed ones if left out. `since`: they ended on
 * this day (UTC) or later. `groups`: partitions, with null for what a scope does not have. `about`: they have a day in this window.
 */
export type Reopening = {
  readonly datasets: readonly string[];
  readonly states?: readonly ("failed" | "skipped")[];
  readonly codes?: readonly string[];
  readonly since?: Day;
  readonly app?: { readonly store: string; readonly trackId: string };
  readonly groups?: readonly PartitionGroup[];
  readonly about?: Window;
  readonly slices?: readonly string[];
  /** The account that requested them; any if left out. */
  readonly account?: string;
};

/**
 * Slices that would be run again, by dataset and code; `credits` at their planned price or, if that is higher, the learned one, without
 * stored pages.
 */
export type Reopened = {
  readonly dataset: string;
  readonly state: string;
  readonly code: string;
  readonly slices: number;
  readonly credits: number;
};

/**
 * Makes slices pending in a run, in a transaction of the caller, and returns how many; slices that have been requested again are left out.
 * If a slice failed because its stored answer could not be read, that answer is not used again.
 */
export async function reopen(
  transaction: Database,
  { runId, ...which }: Reopening & { readonly runId: string },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    update ops.slice as s
    set    state = 'pending', failures = 0, later_tries = 0, broken_off_count = 0, broken_off_alone_count = 0, due_at = null, retried_at = null,
           run_id = ${runId}, queue_id = ${queueOf(runId)},
           read_from_attempt = case when s.state = 'failed' and s.error_code = any (${unreadableCodes}::text[]) then s.attempt + 1 else s.read_from_attempt end
    from   ${toReopen(which)} as found
    where  s.slice_id = found.slice_id and s.state = found.state
    returning s.slice_id as id`.execute(transaction);
  await addPlanned(
    transaction,
    runId,
    rows.map(({ id }) => id),
  );
  return rows.length;
}

/** SQL: the pages of `s` that an attempt after `reopen` reads from storage instead of requesting them. */
const storedPages = sql`
  case when s.state = 'failed' and s.class <> 'snapshot' and (s.error_code = any (${unreadableCodes}::text[])) is not true
       then ops.stored_pages(s.slice_id) else 0 end`;

const requestsAgain = sql`greatest(s.planned_requests - ${storedPages}, 0)`;

/** SQL: what a slice (`ops.slice_log as s`) costs after `reopen`, as far as its pages are known; needs `ops.credit_price as c`. */
const creditsAgain = atLearnedPrice(
  sql`ceil(s.planned_credits * ${requestsAgain}::numeric / greatest(s.planned_requests, 1))`,
  requestsAgain,
);

/** SQL: the same for the slice with this number. */
export function retryCredits(sliceId: SqlFragment): SqlFragment<number> {
  return sql<number>`(select ${creditsAgain}::int from ops.slice_log as s left join ops.credit_price as c on c.operation = s.operation
                      where s.slice_id = ${sliceId})`;
}

/**
 * SQL, on `ops.slice_status as s`: true for a failed slice that `reopen` finds and whose cells no newer slice has answered or
 * will request.
 */
export const isRetryable = sql<boolean>`case when s.state <> 'failed' then false when s.effective_state <> 'failed' then false
                else exists (select from ops.failed_slice as x
                             where  x.slice_id = s.slice_id
                             and    not exists (select from ops.slice_log as n
                                                where  ${hasSameList("n", "x")} and n.slice_id > x.slice_id and n.state = 'failed'
                                                and    n.window_start = x.window_start and n.window_end = x.window_end)) end`;

/** Returns what `reopen` would make pending; writes nothing. */
export async function reopenable(db: Database, which: Reopening): Promise<readonly Reopened[]> {
  const { rows } = await sql<Reopened>`
    select s.dataset, s.state, coalesce(s.error_code, '') as code, count(*)::int as slices, sum(${creditsAgain})::int as credits
    from   ops.slice_log as s
    join   ${toReopen(which)} as found on found.slice_id = s.slice_id
    left   join ops.credit_price as c on c.operation = s.operation
    group  by s.dataset, s.state, s.error_code
    order  by s.dataset, s.state, s.error_code`.execute(db);
  return rows;
}

/** Those of some numbers that no slice has. */
export async function unknownSlices(db: Database, slices: readonly string[]): Promise<readonly string[]> {
  if (slices.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select n.id from unnest(${[...slices]}::bigint[]) as n (id)
    where  not exists (select from ops.slice as s where s.slice_id = n.id)`.execute(db);
  return rows.map(({ id }) => id);
}

/**
 * SQL: the slices to reopen: the newest one about its cells, if it meets the conditions and no open slice requests the same. Snapshots of
 * one partition count as the same cells on every day, since an answer is always about now. Days that retention does not keep, items
 * that an answer left out, and slices whose answer is held are not reopened.
 */
function toReopen({
  datasets,
  states = ["failed"],
  codes,
  since,
  app,
  groups,
  about,
  slices,
  account,
}: Reopening): SqlFragment {
  const codeFits = codes === undefined ? sql`` : sql`and error_code = any (${[...codes]}::text[])`;
  const dayFits = since === undefined ? sql`` : sql`and (ended_at at time zone 'UTC')::date >= ${since}::date`;
  const appFits =
    app === undefined ? sql`` : sql`and scope ->> 'store' = ${app.store} and scope ->> 'app' = ${app.trackId}`;
  const groupFits = groups === undefined ? sql`` : sql`and ${isInGroups(groups, "slice")}`;
  const isAbout =
    about === undefined ? sql`true` : sql`window_start < ${about.end}::date and window_end > ${about.start}::date`;
  const isNamed = slices === undefined ? sql`` : sql`and slice_id = any (${[...slices]}::bigint[])`;
  const accountFits =
    account === undefined ? sql`` : sql`and run_id in (select run_id from ops.run_log where account = ${account})`;
  return sql`(
    select slice_id, state
    from   (select slice_id, run_id, dataset, scope, window_start, window_end, state, error_code, ended_at, max(slice_id) over cell as newest,
                   bool_or(${isOpen("slice")}) over cell as is_open
            from   ops.slice_log as slice
            where  dataset = any (${[...datasets]}::text[]) and (${isAbout} or class = 'snapshot') ${appFits} ${groupFits}
            window cell as (partition by dataset, scope, batch_id, class = 'snapshot', case when class <> 'snapshot' then window_start end,
                            case when class <> 'snapshot' then window_end end)) as slices
    where  state = any (${[...states]}::text[]) and ${isAbout} and slice_id = newest and not is_open
    and    (error_code in ('not_kept', 'not_tracked', 'answer_held')) is not true ${codeFits} ${dayFits} ${isNamed} ${accountFits}
    and    (state <> 'failed' or slice_id in (select slice_id from ops.failed_slice)))`;
}
