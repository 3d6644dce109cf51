import { sql, type QueryExecutorProvider } from "kysely";
import type { Clock } from "../core/clock.ts";
import type { CreditClass } from "../core/slice.ts";
import { belief } from "./belief.ts";
import { credits, instant, usablePace } from "./ledger-values.ts";

/** Leave to send one call: the hold to settle afterwards, and when the shared pace lets it start (epoch-ms). */
export type Grant = { readonly holdId: string; readonly startsAt: number };

/** What became of a call. `charged` null: a refusal or no answer, nothing is booked. */
export type Receipt = {
  readonly charged: number | null;
  readonly remaining: number | null;
  readonly resetsAt: number | null;
  /** True when the service refused the pace. */
  readonly tooFast: boolean;
  /** True when no answer came: whether it was charged is not known, so the worst is assumed until the service tells. */
  readonly lost: boolean;
};

/** A dead worker's hold lapses this long after the call could start; longer than any call may take. */
const holdMs = 15 * 60_000;
/** A burst of refusals is one refusal: the pace is halved at most this often. */
const slowEveryMs = 1_000;
/** Below this the pace does not fall, so that it can recover. */
const slowestPace = 0.1;

/**
 * Holds `cost` credits, or grants nothing when that would go under `floor` (share of the total that the class leaves untouched),
 * when the balance is not known, or when the period is over. One statement: the account's row serialises all workers.
 */
export async function reserve(
  db: QueryExecutorProvider,
  request: { accountId: string; cost: number; class: CreditClass; floor: number },
  clock: Clock,
): Promise<Grant | null> {
  const now = instant(clock.now());
  const cost = credits(request.cost);
  const { rows } = await sql<{ hold_id: string; starts_at: Date }>`
    with granted as (
      update ops.credit_account as a
      set    held = a.held + ${cost}, in_flight = a.in_flight + 1, overlapped = a.in_flight > 0,
             next_start_at = greatest(a.next_start_at, ${now}) + interval '1 second' / a.pace_per_second
      where  a.account_id = ${request.accountId} and a.remaining is not null and (a.resets_at is null or a.resets_at > ${now})
      -- without a total there is no floor to keep, so that nothing is granted; numeric, because 0.07 * 100 is 7 and not a little more
      and    a.remaining::bigint - a.held - ${cost} >= ceil(a.total * ${request.floor}::numeric)
      returning a.account_id, a.next_start_at - interval '1 second' / a.pace_per_second as starts_at
    ), hold as (
      insert into ops.credit_hold (account_id, class, cost, expires_at)
      select account_id, ${request.class}, ${cost}, starts_at + ${holdMs}::double precision * interval '1 millisecond' from granted
      returning hold_id
    )
    select hold_id, starts_at from granted, hold`.execute(db);
  const row = rows[0];
  return row === undefined ? null : { holdId: row.hold_id, startsAt: row.starts_at.getTime() };
}

/**
 * Ends a hold and books what the call cost. A balance told while calls overlapped is believed only when it is lower.
 * A refused pace halves the shared one; each good call lets it recover by a twentieth, up to `pace`.
 */
export async function settle(
  db: QueryExecutorProvider,
  end: { accountId: string; holdId: string; receipt: Receipt; pace: number },
  clock: Clock,
): Promise<void> {
  const { receipt } = end;
  const now = clock.now();
  // the answer to a hold that lapsed is from long ago: it never counts as alone
  const alone = sql`(gone.count = 1 and a.in_flight = 1 and not a.overlapped)`;
  const booked = receipt.lost ? sql`gone.cost` : credits(receipt.charged ?? 0);
  const { remaining, resetsAt } = belief(receipt, { alone, unheard: sql`a.remaining - ${booked}`, now });
  const slow = sql`(${receipt.tooFast}::boolean and (a.slowed_at is null or a.slowed_at < ${instant(now - slowEveryMs)}))`;
  await sql`
    with ended as (delete from ops.credit_hold where hold_id = ${end.holdId} and account_id = ${end.accountId} returning cost),
         gone  as (select coalesce(sum(cost), 0)::integer as cost, count(*)::integer as count from ended)
    update ops.credit_account as a
    set    held = a.held - gone.cost, in_flight = a.in_flight - gone.count,
           remaining = ${remaining},
           resets_at = ${resetsAt},
           observed_at = case when ${receipt.remaining !== null}::boolean then ${instant(now)} else a.observed_at end,
           slowed_at = case when ${slow} then ${instant(now)} else a.slowed_at end,
           pace_per_second = case
             when ${slow} then least(a.pace_per_second, greatest(${slowestPace}::double precision, a.pace_per_second / 2))
             when ${receipt.charged !== null}::boolean then least(${usablePace(end.pace)}::double precision, a.pace_per_second * 1.05)
             else a.pace_per_second end
    from   gone
    where  a.account_id = ${end.accountId}`.execute(db);
}

/** Lets go of holds that nobody settled in time. */
export async function releaseExpired(db: QueryExecutorProvider, accountId: string, clock: Clock): Promise<void> {
  await sql`
    with expired as (
      -- what another worker is letting go of right now is its business
      select hold_id from ops.credit_hold where account_id = ${accountId} and expires_at <= ${instant(clock.now())} for update skip locked
    ), ended as (delete from ops.credit_hold where hold_id in (select hold_id from expired) returning cost),
       gone  as (select sum(cost)::integer as cost, count(*)::integer as count from ended having count(*) > 0)
    update ops.credit_account as a
    set    held = a.held - gone.cost, in_flight = a.in_flight - gone.count
    from   gone
    where  a.account_id = ${accountId}`.execute(db);
}
