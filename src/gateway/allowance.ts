import { operations } from "../api/operations/all.ts";
import { instant, sql } from "../postgres/sql.ts";
import { addDays, dayOf, dayMs, startOfDay } from "../core/day.ts";
import { floorCredits } from "../core/floors.ts";
import { readAccount } from "../credits/account.ts";
import { chargedCredits, mayHaveBeenCharged } from "../credits/charges.ts";
import { callPrice } from "../credits/costs.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import type { Caller, GatewayParts } from "./gateway-parts.ts";
import { sumBy } from "../core/sum.ts";

/** What a caller may spend: credits, and the end of the limiting period in epoch-ms. */
export type Allowance = {
  readonly total: number;
  readonly remaining: number;
  readonly resetsAt: number;
  readonly periodHours: number;
};

/** A balance that was reported earlier than this is checked before it is passed on. */
const staleAfterMs = 10 * 60_000;

/** Checks of the balance that are under way: callers that need it at the same time share one. */
const checks = new WeakMap<IngestParts, Promise<void>>();

/** Checks the balance. If the service does not respond, the known balance still applies. */
function check(ingest: IngestParts): Promise<void> {
  const own =
    checks.get(ingest) ??
    ingest
      .refreshBalance()
      .catch(() => undefined)
      .finally(() => checks.delete(ingest));
  checks.set(ingest, own);
  return own;
}

/**
 * The allowance as one caller sees it: the smaller of what the account has above its floor and what is left of the caller's day, with the
 * reset of that limit. A balance that was reported long ago is checked. `waits`: whether to wait for that; otherwise what is left of the day
 * may be some seconds old too.
 */
export async function allowanceOf(
  parts: GatewayParts,
  caller: Caller,
  { waits }: { readonly waits: boolean },
): Promise<Allowance> {
  const { ingest, app } = parts;
  const now = ingest.clock.now();
  const known = await readAccount(ingest.db, ingest.accountId);
  const isCurrent = known?.resetsAt != null && known.resetsAt > now && now - (known.observedAt ?? 0) < staleAfterMs;
  const checked = isCurrent ? null : check(ingest);
  if (waits) await checked;
  const account = isCurrent || !waits ? known : await readAccount(ingest.db, ingest.accountId);
  const total = account?.total ?? 0;
  const floor = floorCredits(total, caller.floor ?? app.config.settings.credits.floors[caller.class]);
  const shared = Math.max(0, (account?.remaining ?? 0) - (account?.held ?? 0) - floor);
  const resetsAt = account?.resetsAt ?? now + dayMs;
  const own = waits ? await leftOfDay(parts, caller) : await recentlyLeft(parts, caller);
  if (own === null || own >= shared)
    return { total, remaining: shared, resetsAt, periodHours: account?.periodHours ?? 24 };
  return { total: caller.credits_a_day ?? 0, remaining: own, resetsAt: nextDay(now), periodHours: 24 };
}

/**
 * Credits that a caller may still spend today, in all accounts, since its key is of the warehouse; null if it has no limit. A call without
 * a reply may have been charged and counts at its price.
 */
export async function leftOfDay({ ingest }: GatewayParts, caller: Caller): Promise<number | null> {
  if (caller.credits_a_day === undefined) return null;
  const { rows } = await sql<{ operation: string; charged: number; unsure: number }>`
    select q.operation, ${chargedCredits} as charged, count(*) filter (where ${mayHaveBeenCharged})::float8 as unsure
    from   ops.request as q
    where  q.caller = ${caller.name} and q.received_at >= ${instant(startOfDay(dayOf(ingest.clock.now())))}
    group  by q.operation`.execute(ingest.db);
  const priceOf = (id: string) =>
    callPrice({ id, cost: operations.find((one) => one.id === id)?.cost ?? 0 }, ingest.learned);
  const taken = sumBy(rows, ({ operation, charged, unsure }) => charged + unsure * priceOf(operation));
  return Math.max(0, caller.credits_a_day - taken);
}

/** A caller with many stored answers does not have its requests of the day summed up for each of them. */
const recentMs = 5_000;

/** What was left of callers' days when that was last read, by name. */
const lastRead = new WeakMap<IngestParts, Map<string, { readonly left: number | null; readonly at: number }>>();

async function recentlyLeft(parts: GatewayParts, caller: Caller): Promise<number | null> {
  const { ingest } = parts;
  const now = ingest.clock.now();
  const reads = lastRead.get(ingest) ?? new Map<string, { left: number | null; at: number }>();
  lastRead.set(ingest, reads);
  const known = reads.get(caller.name);
  if (known !== undefined && Math.abs(now - known.at) < recentMs && dayOf(now) === dayOf(known.at)) return known.left;
  const left = await leftOfDay(parts, caller);
  reads.set(caller.name, { left, at: now });
  return left;
}

/** Has what is left of a caller's day summed up again, since a call of it has ended. */
export function noteSpent({ ingest }: GatewayParts, caller: Caller): void {
  lastRead.get(ingest)?.delete(caller.name);
}

/** The end of the day (UTC), in epoch-ms. */
export function nextDay(now: number): number {
  return startOfDay(addDays(dayOf(now), 1));
}

/** The headers with the cost of a caller's call and what is left; null for what is not known. */
export function creditHeadersOf(
  left: Pick<Allowance, "remaining" | "resetsAt"> | null,
  { cost, now }: { readonly cost: number | null; readonly now: number },
): Readonly<Record<string, string>> {
  return {
    ...(cost === null ? {} : { "X-Credit-Cost": String(cost) }),
    ...(left === null
      ? {}
      : {
          "X-Credit-Remaining": String(left.remaining),
          "X-Credit-Reset": String(Math.max(1, Math.ceil((left.resetsAt - now) / 1000))),
        }),
  };
}
