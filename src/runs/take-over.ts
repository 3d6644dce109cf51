import { remainingCredits } from "../api/operations/account.ts";
import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import { floorCredits, floorOf, type Floors } from "../core/floors.ts";
import { readAccount, type AccountState } from "../credits/account.ts";
import { readKeptForNights } from "../credits/nights-ahead.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { readWaitingElsewhere, takeWaiting, type WaitingElsewhere } from "../ledger/waiting-elsewhere.ts";
import { datasetsOf } from "../planner/plan-stream.ts";
import type { SyncRequest } from "../planner/request.ts";
import { wantedPartitions } from "../planner/wanted-partitions.ts";

/*
 * Facts are fetched once, with the account that planned them first. If its credits have run out and another account needs the same facts,
 * the other account fetches them: waiting slices move to its run, as far as its balance pays for them now.
 */

/** The run that takes slices over: the request that it plans, and the most that it may spend. */
type Taking = {
  readonly runId: string;
  readonly request: SyncRequest;
  readonly settings: Settings;
  readonly mostCredits: number;
};

/** Moves slices that wait for the credits of another account to a run, if its account needs them and can pay for them. Returns how many. */
export async function takeOver(
  { db, accountId, clock, log }: Pick<IngestParts, "db" | "accountId" | "clock" | "log">,
  { runId, request, settings, mostCredits }: Taking,
): Promise<number> {
  const datasets = datasetsOf(request, settings).map(({ name }) => name);
  const waiting = await readWaitingElsewhere(db, {
    account: accountOf(settings),
    datasets,
    balanceCheck: remainingCredits.id,
    now: clock.now(),
  });
  if (waiting.length === 0) return 0;
  const wantedOf = await wantedPartitions(db, { request, settings, of: waiting });
  const own = waiting.filter((slice) => wantedOf(slice) !== null);
  const { floors, retries_a_day: retriesADay } = settings.credits;
  const kept = await readKeptForNights(db, { accountId, floors, retriesADay, now: clock.now() });
  const paid = affordable(own, {
    account: await readAccount(db, accountId),
    floors,
    keptForNights: kept.credits,
    mostCredits,
  });
  const taken =
    paid.length === 0
      ? 0
      : await takeWaiting(
          db,
          runId,
          paid.map(({ sliceId }) => sliceId),
        );
  if (taken > 0) log.info({ run_id: runId, slices: taken }, "runs.taken_over");
  return taken;
}

type Means = {
  readonly account: AccountState | null;
  readonly floors: Floors;
  /** Credits that history leaves for the nights until the reset. */
  readonly keptForNights: number;
  readonly mostCredits: number;
};

/**
 * The slices that balance, floors and limit pay for, in their turn. One that is too expensive is skipped: it waits for its own account, and
 * cheaper ones after it need not. Pure.
 */
function affordable(
  slices: readonly WaitingElsewhere[],
  { account, floors, keptForNights, mostCredits }: Means,
): readonly WaitingElsewhere[] {
  if (account?.remaining == null) return [];
  const free = account.remaining - account.held;
  let taken = 0;
  return slices.filter((slice) => {
    const share = floorCredits(account.total ?? 0, floorOf(floors, slice.class, slice.canWait));
    const floor = slice.class === "history" ? Math.max(share, keptForNights) : share;
    if (taken + slice.credits > Math.min(free - floor, mostCredits)) return false;
    taken += slice.credits;
    return true;
  });
}
