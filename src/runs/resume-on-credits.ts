import type { Settings } from "../config/settings.ts";
import { AbortError, StorehouseError } from "../core/errors.ts";
import { hasReset, readAccount } from "../credits/account.ts";
import { readKeptForNights } from "../credits/nights-ahead.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { isAnyWaitingForCredits, resumeAffordable } from "../ledger/queue.ts";

type Parts = Pick<IngestParts, "db" | "clock" | "log" | "accountId" | "queueId" | "refreshBalance" | "abort">;

/** A balance that has not been reported for this long is checked: others spend from the account, and its allowance may have changed. */
const staleAfterMs = 30 * 60_000;

/**
 * If slices wait for the reset of credits, or no balance was reported for a while, checks the balance. True if slices wait and the balance
 * is known: if the check fails, they stay deferred.
 */
export async function checkBalanceIfDue(parts: Parts): Promise<boolean> {
  const { db, clock, accountId, queueId } = parts;
  const isAnyWaiting = await isAnyWaitingForCredits(db, clock.now(), queueId);
  const reportedAt = (await readAccount(db, accountId))?.observedAt ?? 0;
  if (!isAnyWaiting && clock.now() - reportedAt < staleAfterMs) return false;
  return (await checkBalance(parts)) && isAnyWaiting;
}

/** False if the check failed; the process stops its requests if the API refuses the account. */
async function checkBalance(parts: Parts): Promise<boolean> {
  try {
    await parts.refreshBalance();
    return true;
  } catch (error) {
    if (!(error instanceof StorehouseError)) throw error;
    if (error instanceof AbortError) parts.abort(error);
    return false;
  }
}

/** Resumes the slices that the balance pays for: credits may have been bought, and a night may have left some to history. */
export async function resumeOnCredits(
  { db, clock, log, accountId, queueId }: Parts,
  settings: Settings,
  which: { readonly onlySnapshots?: boolean },
): Promise<void> {
  const now = clock.now();
  const { floors, retries_a_day: retriesADay } = settings.credits;
  const { credits: keptForNights } = await readKeptForNights(db, { accountId, floors, retriesADay, now });
  const woken = await resumeAffordable(db, { accountId, floors, keptForNights, queueId, ...which }, now);
  if (woken > 0) log.info({ slices: woken }, "credits.resumed");
}

/** While the reset is overdue, or none is announced, one of the workers checks the balance again after this. */
const overdueCheckMs = 60_000;

/**
 * Makes the function that resumes slices once the balance has risen since its last call: the reset came later or earlier than announced, or
 * credits were bought. The first call since slices wait knows no earlier balance, and resumes what there is room for. Between announced
 * resets it reads only what the service reported to others.
 */
export function createResumeOnReset(parts: Parts, settings: Settings): () => Promise<void> {
  const { db, clock, accountId, queueId } = parts;
  let before: number | null = null;
  return async () => {
    const now = clock.now();
    if (!(await isAnyWaitingForCredits(db, now, queueId))) {
      before = null;
      return;
    }
    const known = await readAccount(db, accountId);
    const isOverdue = known !== null && (known.resetsAt === null || hasReset(known, now));
    const isChecked = isOverdue && now - (known.observedAt ?? 0) >= overdueCheckMs && (await checkBalance(parts));
    const left = (isChecked ? await readAccount(db, accountId) : known)?.remaining ?? null;
    if (left !== null && (before === null || left > before)) await resumeOnCredits(parts, settings, {});
    // only now: a call that failed is repeated
    before = left;
  };
}
