import { beyondPeriodCodes } from "../core/waiting-codes.ts";
import type { Scope } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import { isOpen, likelyCredits } from "./open-slices.ts";
import { isRetryByHand } from "./plan-payers.ts";
import type { Reopened, Reopening } from "./reopen.ts";
import { hasLivingWorker, isAlive } from "./workers.ts";

/** Whose waiting slices are read. */
type WaitingOf = { readonly account: string; readonly datasets: readonly string[] };

/** SQL: open slices (`s`) that are deferred, or that a process left which has ended. */
const waitingSlices = ({ account, datasets }: WaitingOf) => sql`
    from   ops.slice as s
    join   ops.run   as r on r.run_id = s.run_id
    left   join ops.credit_price as c on c.operation = s.operation
    where  s.dataset = any (${[...datasets]}::text[]) and ${isOpen()} and r.account = ${account}
    and    (s.state = 'deferred'
            or not case when s.state = 'running' then ${isAlive(sql`s.worker_id`)}
                        when r.worker_id is null then ${hasLivingWorker} else ${isAlive(sql`r.worker_id`)} end)`;

/**
 * Waiting slices of one partition and plan. `dueAt`: when the first of them may continue; null if none waits for a known time.
 */
export type WaitingSlices = {
  readonly dataset: string;
  readonly scope: Scope;
  readonly planId: string | null;
  readonly slices: number;
  readonly dueAt: Date | null;
};

/** Reads the waiting slices that have a day in a window. */
export async function readWaitingSlices(
  db: Database,
  { within, ...of }: WaitingOf & { readonly within: Partial<Window> },
): Promise<readonly WaitingSlices[]> {
  const { rows } = await sql<WaitingSlices>`
    select s.dataset, s.scope, s.plan_id as "planId", count(*)::int as slices,
           min(s.due_at) filter (where (s.error_code = any (${[...beyondPeriodCodes]}::text[])) is not true) as "dueAt"
    ${waitingSlices(of)}
    and    s.window_end > ${within.start ?? "-infinity"}::date and s.window_start < ${within.end ?? "infinity"}::date
    group  by 1, 2, 3`.execute(db);
  return rows;
}

/** Reads the waiting slices that a person ran again, by dataset and code; `slices`: only those with these numbers. */
export async function readWaitingRetries(
  db: Database,
  { slices, ...of }: WaitingOf & Pick<Reopening, "slices">,
): Promise<readonly Reopened[]> {
  const isNamed = slices === undefined ? sql`` : sql`and s.slice_id = any (${[...slices]}::bigint[])`;
  const { rows } = await sql<Reopened>`
    select s.dataset, 'waiting' as state, coalesce(s.error_code, '') as code, count(*)::int as slices, sum(${likelyCredits})::int as credits
    ${waitingSlices(of)} and ${isRetryByHand} ${isNamed}
    group  by 1, 3
    order  by 1, 3`.execute(db);
  return rows;
}

/** The oldest of some plans that has this request; null if none has. */
export async function planOfRequest(db: Database, plans: readonly string[], request: unknown): Promise<string | null> {
  if (plans.length === 0) return null;
  const { rows } = await sql<{ plan_id: string }>`
    select plan_id from ops.plan
    where  plan_id = any (${[...plans]}::bigint[]) and request = ${JSON.stringify(request)}::jsonb
    order  by plan_id limit 1`.execute(db);
  return rows[0]?.plan_id ?? null;
}
