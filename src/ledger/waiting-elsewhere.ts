import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import { accountRefusalCodes } from "../core/errors.ts";
import type { CreditClass, Scope } from "../core/slice.ts";
import { lacksRight, readMissingRights } from "../credits/missing-rights.ts";
import type { Database } from "../postgres/database.ts";
import { canWait } from "./lost-days.ts";
import { isOnlyOfRequest } from "./failed-retries.ts";
import { likelyCredits, waitsForCredits } from "./open-slices.ts";
import { addPlanned, queueOf } from "./runs.ts";
import { turnAfterRefusals, turnWithoutRefusals } from "./queue-turn.ts";
import { isAlive, isGivenUp } from "./workers.ts";

/** A slice that waits for another account: its partition, its items if a call names any, and what it is likely to cost. */
export type WaitingElsewhere = {
  readonly sliceId: string;
  readonly dataset: string;
  readonly scope: Scope;
  readonly items: readonly string[] | null;
  readonly class: CreditClass;
  /** True for a snapshot that can still be requested tomorrow. */
  readonly canWait: boolean;
  readonly credits: number;
};

/**
 * Slices of these datasets, in their turn, that another account cannot request: they wait for its credits or for a right that it lacks, or
 * for an account that the API refuses or that no process works with any more (of these also failed ones whose next try is due). It leaves
 * out slices that this account has no right to either: two such accounts would pass them to and fro. It also leaves out those of a living
 * foreground process (one that is refused ends at once), and of plans, whose price a person agreed to for that account. If the warehouse has
 * only one account, nothing is searched. `balanceCheck`: the operation of balance checks.
 */
export async function readWaitingElsewhere(
  db: Database,
  {
    account,
    datasets,
    balanceCheck,
    now,
  }: {
    readonly account: string;
    readonly datasets: readonly string[];
    readonly balanceCheck: string;
    readonly now: number;
  },
): Promise<readonly WaitingElsewhere[]> {
  const rights = await readMissingRights(db, balanceCheck);
  if (rights.refused.has(account)) return [];
  const idle = [...(await leftAccounts(db)), ...rights.refused];
  // usually there is none, and the other accounts have many open slices
  const orIdle =
    idle.length === 0
      ? sql``
      : sql`or r.account = any (${idle}::text[])
            and (s.state in ('pending', 'deferred') or s.state = 'failed' and ${mayBeTried(now)})`;
  const [orRefused, andAllowed] =
    rights.operations.length === 0
      ? [sql``, sql``]
      : [
          sql`or s.state = 'pending' and ${lacksRight(rights, sql`r.account`)}`,
          sql`and not ${lacksRight(rights, sql`${account}`)}`,
        ];
  const { rows } = await sql<WaitingElsewhere>`
    select s.slice_id as "sliceId", s.dataset, s.scope, b.items, s.class, ${canWait(now)} as "canWait", ${likelyCredits}::float8 as credits
    from   ops.slice as s
    join   ops.run   as r on r.run_id = s.run_id
    left   join ops.batch as b on b.batch_id = s.batch_id
    left   join ops.credit_price as c on c.operation = s.operation
    where  exists (select from ops.account) and r.account <> ${account}
    and    (${waitsForCredits(now)} ${orIdle} ${orRefused})
    ${andAllowed}
    and    s.plan_id is null and (r.worker_id is null or not ${isAlive(sql`r.worker_id`)}) and s.dataset = any (${[...datasets]}::text[])
    order  by ${turnWithoutRefusals}, s.slice_id`.execute(db);
  return rows;
}

/** A failed slice whose next try was not made for this long is too old, and its days may no longer be requested. */
const triedWithinDays = 30;

/** SQL: true for a failed slice `s` whose next try is due, for days that can be requested later. Its days count as requested for all accounts. */
function mayBeTried(now: number): SqlFragment<boolean> {
  return sql<boolean>`s.class <> 'snapshot' and s.due_at between ${instant(now)} - make_interval(days => ${triedWithinDays}) and ${instant(now)}
            and s.slice_id in (select f.slice_id from ops.failed_slice as f) and ${isOnlyOfRequest}`;
}

/** Accounts that may have been given up: nobody else runs their slices. */
async function leftAccounts(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ account: string }>`
    select a.account
    from   (select account from ops.account union all select '') as a
    where  ${isGivenUp(sql`a.account`)}`.execute(db);
  return rows.map(({ account }) => account);
}

/**
 * Moves waiting slices to a run and its queue, where their turn follows from what is refused to its account. Returns how many were still
 * waiting.
 */
export async function takeWaiting(db: Database, runId: string, sliceIds: readonly string[]): Promise<number> {
  const account = sql`(select account from ops.run where run_id = ${runId})`;
  // a refusal says nothing about the account that has the slice now
  const isRefusal = sql`coalesce(s.error_code = any (${[...accountRefusalCodes]}::text[]), false)`;
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ slice_id: string }>`
      update ops.slice as s
      set    run_id = ${runId}, queue_id = ${queueOf(runId)}, state = 'pending', due_at = null,
             turn = ${turnAfterRefusals(account)},
             error_code = case when not ${isRefusal} then s.error_code end,
             error_message = case when not ${isRefusal} then s.error_message end
      where  slice_id = any (${[...sliceIds]}::bigint[]) and state in ('pending', 'deferred', 'failed')
      returning slice_id`.execute(transaction);
    const taken = rows.map((row) => row.slice_id);
    await addPlanned(transaction, runId, taken);
    return taken.length;
  });
}
