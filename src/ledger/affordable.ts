import { sql } from "kysely";
import { creditClasses, type CreditClass } from "../core/slice.ts";
import type { Database } from "../warehouse/database.ts";
import { sharedQueue } from "./queue.ts";
import { likelyCredits } from "./pages-left.ts";

/** SQL: slices of the shared queue that wait for the reset of their credits. */
const waiting = sql`s.queue_id = ${sharedQueue}::bigint and s.state = 'deferred' and s.error_code = 'credits_exhausted' and s.due_at > `;

/** True when slices that workers share wait for credits of a later time than `now` (epoch-ms). */
export async function isAnyPutOff(db: Database, now: number): Promise<boolean> {
  const { rows } = await sql`select from ops.slice as s where ${waiting} ${at(now)} limit 1`.execute(db);
  return rows.length > 0;
}

/** For whom credits are looked at: the account, and the share of its total that each class leaves untouched. */
export type Purse = {
  readonly accountId: string;
  readonly floors: Readonly<Record<CreditClass, number>>;
};

/**
 * Lets slices that wait for credits be tried again as far as the balance that is known pays for them now, in their turn; the others
 * stay where they are. Returns how many.
 */
export async function wakeAffordable(db: Database, { accountId, floors }: Purse, now: number): Promise<number> {
  const floor = sql.join(
    creditClasses.map((name) => sql`when ${name} then ${floors[name]}::numeric`),
    sql` `,
  );
  const { rows } = await sql`
    with put_off as (
      select s.slice_id, s.class, sum(${likelyCredits}) over (order by s.turn, s.slice_id) as running
      from   ops.slice as s
      left   join ops.credit_cost as c on c.operation = s.operation
      where  ${waiting} ${at(now)}
    ), paid as (
      select p.slice_id from put_off as p
      join   ops.credit_account as a on a.account_id = ${accountId}
      where  p.running <= a.remaining::bigint - a.held - ceil(a.total * case p.class ${floor} end)
    )
    update ops.slice as s set state = 'pending', due_at = null
    from   paid
    where  s.slice_id = paid.slice_id and s.state = 'deferred'
    returning s.slice_id`.execute(db);
  return rows.length;
}

function at(instant: number): ReturnType<typeof sql> {
  return sql`${new Date(instant).toISOString()}::timestamptz`;
}
