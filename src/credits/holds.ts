import { sql, type Queryable } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import type { Spender } from "../core/slice.ts";
import { belief } from "./believed-balance.ts";
import { credits, instant, usablePace } from "./sql-values.ts";

/** Leave to send one call: the hold to settle afterwards, and when the shared pace lets it start (epoch-ms). */
export type Grant = { readonly holdId: string; readonly startsAt: number };

/** What became of a call. `charged` null: a refusal or no answer, nothing is booked. */
export type Receipt = {
  readonly charged: number | null;
  readonly remaining: number | null;
  readonly resetsAt: number | null;
  /** True when the service refused the pace. */
  readonly tooFast: boolean;
  /** Epoch-ms before which the service wants no further call; left out where it named no time. */
  readonly notBefore?: number | null;
  /** True when no answer came: whether it was charged is not known, so the worst is assumed until the service tells. */
  readonly lost: boolean;
};

/** A hold that nobody ends lapses this long after the call could start; longer than any call may take. */
const holdMs = 15 * 60_000;
/** A burst of refusals is one refusal: the pace is halved at most this often. */
const slowEveryMs = 1_000;
/** A service that names a later time is asked again after this all the same: it may have meant something else. */
const longestPauseMs = 5 * 60_000;
/** Below this the pace does not fall, so that it can recover. */
const slowestPace = 0.1;

/**
 * What calls want that are alike. `floor` is the share of the total that their class leaves untouched; `workerId` the process that
 * holds, null when it is in no ledger.
 */
export type Wish = {
  readonly accountId: string;
  readonly workerId: string | null;
  readonly cost: number;
  readonly class: Spender;
  readonly floor: number;
  /** Slice that the call is for; null or left out where it is for none. */
  readonly sliceId?: string | null;
};

/** Leave for one call; null when it is not granted. See reserveMany. */
export async function reserve(db: Queryable, wish: Wish, clock: Clock): Promise<Grant | null> {
  return (await reserveMany(db, [wish], clock))[0] ?? null;
}

/**
 * Holds `cost` credits for each of several calls that are alike but for their slices, or for the first of them, as many as fit without going under the floor; for none while the balance is
 * not known, or when the period is over. One statement: the account's row serialises all workers.
 */
export async function reserveMany(db: Queryable, wishes: readonly Wish[], clock: Clock): Promise<readonly Grant[]> {
  const [wish] = wishes;
  if (wish === undefined) return [];
  const count = wishes.length;
  const now = instant(clock.now());
  const cost = credits(wish.cost);
  // without a total there is no floor to keep, so that nothing is granted; numeric, because 0.07 * 100 is 7 and not a little more
  const free = sql`(a.remaining::bigint - a.held - ceil(a.total * ${wish.floor}::numeric))`;
  const { rows } = await sql<{ hold_id: string; starts_at: Date }>`
    with account as materialized (
      select a.account_id, greatest(a.next_start_at, ${now}) as starts_at, interval '1 second' / a.pace_per_second as gap,
             case when ${free} < ${cost} then 0 when ${cost} <= 0 then ${count} else least(${count}, floor(${free} / greatest(${cost}, 1))) end::integer as fits
      from   ops.credit_account as a
      where  a.account_id = ${wish.accountId} and a.remaining is not null and a.total is not null and (a.resets_at is null or a.resets_at > ${now})
      -- a process that was taken for dead may wake up and not know
      and    not exists (select from ops.worker as w where w.worker_id = ${wish.workerId}::bigint and w.stopped_at is not null)
      for    update
    ), granted as (
      update ops.credit_account as a
      set    held = a.held + account.fits * ${cost}, in_flight = a.in_flight + account.fits,
             overlapped = a.in_flight > 0 or account.fits > 1, next_start_at = account.starts_at + account.fits * account.gap
      from   account
      where  a.account_id = account.account_id and account.fits > 0
      returning account.*
    )
    insert into ops.credit_hold (account_id, worker_id, class, cost, expires_at, slice_id)
    select account_id, ${wish.workerId}::bigint, ${wish.class}, ${cost}, starts_at + (place - 1) * gap + ${holdFor},
           (${wishes.map(({ sliceId }) => sliceId ?? null)}::bigint[])[place]
    from   granted, generate_series(1, fits) as place
    order  by place
    returning hold_id, expires_at - ${holdFor} as starts_at`.execute(db);
  return rows.map((row) => ({ holdId: row.hold_id, startsAt: row.starts_at.getTime() }));
}

/** SQL: how long after the call could start its hold lapses. */
export const holdFor = sql`${holdMs}::double precision * interval '1 millisecond'`;

/** A hold and what became of its call. */
export type End = { readonly holdId: string; readonly receipt: Receipt };

/** Deadlines waver by a second; nearer ones are of the same period. */
const sameDeadlineMs = 2_000;

/** True for two good calls that tell of the same period: one statement may book both, as if one after the other. */
export function areAlike({ receipt: a }: End, { receipt: b }: End): boolean {
  return isPlain(a) && isPlain(b) && Math.abs((a.resetsAt ?? 0) - (b.resetsAt ?? 0)) < sameDeadlineMs;
}

/** True for a good call whose answer told balance and deadline. */
function isPlain({ charged, remaining, resetsAt, tooFast, lost }: Receipt): boolean {
  return charged !== null && remaining !== null && resetsAt !== null && !tooFast && !lost;
}

/** Several receipts that are alike as one: all that was charged, and the lowest balance. */
function summed(ends: readonly End[]): Receipt {
  const [first, ...rest] = ends.map(({ receipt }) => receipt);
  if (first === undefined) throw new Error("there is nothing to settle");
  return rest.reduce(
    (sum, one) => ({
      ...sum,
      charged: (sum.charged ?? 0) + (one.charged ?? 0),
      remaining: Math.min(sum.remaining ?? 0, one.remaining ?? 0),
    }),
    first,
  );
}

/**
 * Ends holds and books what their calls cost; several only when they are alike. A balance told while calls overlapped is believed only
 * when it is lower. A refused pace halves the shared one; each good call lets it recover by a twentieth, up to `pace`.
 */
export async function settle(
  db: Queryable,
  end: { readonly accountId: string; readonly ends: readonly End[]; readonly pace: number },
  clock: Clock,
): Promise<void> {
  const receipt = summed(end.ends);
  const now = clock.now();
  // of several none was alone, and the answer to a hold that lapsed is from long ago
  const alone = sql`(${end.ends.length === 1}::boolean and gone.count = 1 and a.in_flight = 1 and not a.overlapped)`;
  const booked = receipt.lost ? sql`gone.cost` : credits(receipt.charged ?? 0);
  const { remaining, resetsAt } = belief(receipt, { alone, unheard: sql`a.remaining - ${booked}`, now });
  const pause = Math.min(receipt.notBefore ?? 0, now + longestPauseMs);
  const slow = sql`(${receipt.tooFast}::boolean and (a.slowed_at is null or a.slowed_at < ${instant(now - slowEveryMs)}))`;
  await sql`
    with ended as (delete from ops.credit_hold where hold_id = any (${end.ends.map(({ holdId }) => holdId)}::bigint[])
                   and account_id = ${end.accountId} returning cost),
         gone  as (select coalesce(sum(cost), 0)::integer as cost, count(*)::integer as count from ended)
    update ops.credit_account as a
    set    held = a.held - gone.cost, in_flight = a.in_flight - gone.count,
           remaining = ${remaining},
           resets_at = ${resetsAt},
           observed_at = case when ${receipt.remaining !== null}::boolean then ${instant(now)} else a.observed_at end,
           next_start_at = case when ${pause > now}::boolean then greatest(a.next_start_at, ${instant(pause)}) else a.next_start_at end,
           slowed_at = case when ${slow} then ${instant(now)} else a.slowed_at end,
           pace_per_second = case
             when ${slow} then least(a.pace_per_second, greatest(${slowestPace}::double precision, a.pace_per_second / 2))
             when ${receipt.charged !== null}::boolean then least(${usablePace(end.pace)}::double precision, a.pace_per_second * 1.05 ^ ${end.ends.length}::double precision)
             else a.pace_per_second end
    from   gone
    where  a.account_id = ${end.accountId}`.execute(db);
}

/** Lets go of holds that nobody settled in time. */
export async function releaseExpired(db: Queryable, accountId: string, clock: Clock): Promise<void> {
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
