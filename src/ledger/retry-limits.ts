import { dayOf } from "../core/day.ts";
import { putOffUntil } from "../core/retry-times.ts";
import { mayHaveBeenCharged } from "../credits/charges.ts";
import type { Database } from "../postgres/database.ts";
import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import { isTried, type DueTry } from "./failed-retries.ts";
import { isOfAccount, isOpen, likelyCredits, onePage } from "./open-slices.ts";
import { priceLeftBeyond } from "./plans.ts";

/**
 * The credits that retries of an account have taken on the day (UTC) of `now`, calls without a reply included, plus the expected cost of
 * open retries.
 */
export async function spentOnLaterTries(db: Database, now: number, account: string): Promise<number> {
  const isMine = isOfAccount(account);
  const { rows } = await sql<{ credits: number }>`
    select (select coalesce(sum(case when ${mayHaveBeenCharged} then ${onePage()} else q.cost end), 0)
            from   ops.slice as s
            join   ops.request as q using (slice_id)
            where  s.retried_at is not null and ${isMine} and q.received_at >= greatest(s.retried_at, ${dayOf(now)}::timestamp at time zone 'UTC'))::float8
         + (select coalesce(sum(${likelyCredits}), 0)
            from   ops.slice as s
            left   join ops.credit_price as c on c.operation = s.operation
            where  s.retried_at is not null and ${isMine} and ${isOpen()})::float8 as credits`.execute(db);
  return rows[0]?.credits ?? 0;
}

/**
 * What retries may spend: `credits` in total, `ofDay` what is left of the limit of the day, and by plan what is left of its price. The limit
 * of the day counts snapshots and, unless it is 0 (`isOff`), refuses none: what they request is lost with the day, and they have a few tries
 * until then.
 */
export type TryLimits = {
  readonly credits: number;
  readonly ofDay: number;
  readonly isOff: boolean;
  readonly plans: ReadonlyMap<string, number>;
};

/** Due tries that their limits pay for, and those that wait for the next day, because only the limit of the day does not. */
export type PaidTries = { readonly tries: readonly DueTry[]; readonly ofNextDay: readonly DueTry[] };

/** The slices that fit the limits, in order; one that is too expensive stays due, and cheaper ones after it may still fit. */
export function affordableTries(due: readonly DueTry[], { credits, ofDay, isOff, plans }: TryLimits): PaidTries {
  let [left, leftOfDay] = [credits, ofDay];
  const leftOfPlans = new Map(plans);
  const ofNextDay: DueTry[] = [];
  const tries = due.filter((one) => {
    const ofPlan = one.planId === null ? Number.POSITIVE_INFINITY : (leftOfPlans.get(one.planId) ?? 0);
    if (one.credits > Math.min(left, ofPlan)) return false;
    if (one.credits > leftOfDay && (isOff || one.class !== "snapshot")) {
      ofNextDay.push(one);
      return false;
    }
    left -= one.credits;
    leftOfDay -= one.credits;
    if (one.planId !== null) leftOfPlans.set(one.planId, ofPlan - one.credits);
    return true;
  });
  return { tries, ofNextDay };
}

/** Puts tries off to the next day (UTC), so that everything that shows when they are due shows that. */
export async function putOffTries(db: Database, tries: readonly DueTry[], now: number): Promise<void> {
  if (tries.length === 0) return;
  const ids = tries.flatMap(({ sliceId, joins }) => [sliceId, ...(joins?.sliceIds ?? [])]);
  await sql`
    update ops.slice set due_at = ${instant(putOffUntil(now))}
    where  slice_id = any (${ids}::bigint[]) and state = 'failed' and due_at <= ${instant(now)}`.execute(db);
}

/** By plan of the due slices: what is left of its price, less the expected cost of its open slices. */
export async function readPlansLeft(db: Database, due: readonly DueTry[]): Promise<ReadonlyMap<string, number>> {
  const left = new Map<string, number>();
  for (const planId of new Set(due.flatMap((one) => one.planId ?? [])))
    left.set(planId, await priceLeftBeyond(db, planId));
  return left;
}

/**
 * Stops retrying failed slices that no limit can pay for: those that cost more than the retries of an account may cost in a day (snapshots
 * have no such limit unless it is 0), and those of plans whose price is spent (for example by calls without a reply) and that have nothing waiting or
 * running. A retry by a person has no such limit.
 */
export async function endUnpaidTries(
  db: Database,
  { account, creditsADay }: { readonly account: string; readonly creditsADay: number },
): Promise<void> {
  const isLimited = creditsADay === 0 ? sql`true` : sql`s.class <> 'snapshot'`;
  await endTriesAbove(db, sql`${isLimited} and ${isOfAccount(account)}`, creditsADay);
  const { rows } = await sql<{ planId: string }>`
    select distinct s.plan_id as "planId" from ops.slice as s
    where  ${isTried} and s.plan_id is not null
    and    not exists (select from ops.slice as o where o.plan_id = s.plan_id and ${isOpen("o")})`.execute(db);
  for (const { planId } of rows) await endTriesAbove(db, sql`s.plan_id = ${planId}`, await priceLeftBeyond(db, planId));
}

/** Stops retrying the failed slices `s` that are expected to cost more than this. */
async function endTriesAbove(db: Database, isMeant: SqlFragment, credits: number): Promise<void> {
  await sql`
    update ops.slice as unpaid set due_at = null
    from   (select s.slice_id, ${likelyCredits} as credits
            from   ops.slice as s
            left   join ops.credit_price as c on c.operation = s.operation
            where  ${isTried} and ${isMeant}) as tried
    where  unpaid.slice_id = tried.slice_id and tried.credits > ${credits}`.execute(db);
}
