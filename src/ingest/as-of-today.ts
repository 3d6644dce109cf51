import type { Day } from "../core/day.ts";
import type { Slice } from "../core/slice.ts";
import { noteMoved, queueToday } from "../ledger/lost-days.ts";
import { noteRequested, redate } from "../ledger/slices.ts";
import { hasOwnAnswer, hasUsablePage } from "./fetch-slice.ts";
import type { IngestParts } from "./ingest-parts.ts";

type Parts = Pick<IngestParts, "db" | "clock">;

/**
 * A running slice that was planned on an earlier day, as it stands where it is requested today: what it is answered is as of today. One with
 * a stored page that is read again keeps its day.
 */
export async function asOfToday(parts: Parts, claimed: Slice, today: Day): Promise<Slice> {
  if (claimed.class === "snapshot") return moveSnapshot(parts, claimed, today);
  return (await hasUsablePage(parts.db, claimed)) ? claimed : noteRequested(parts.db, claimed, today);
}

/**
 * Moves a running snapshot slice that was planned on an earlier day to today: its answer will hold now. Where the time of its own day, or of
 * one since, is over, that day is noted as lost, in the same transaction. One whose answer is stored since its own day stays there, since
 * that is paid for, and the snapshot of today is queued beside it. Returns the slice as it stands.
 */
async function moveSnapshot({ db, clock }: Parts, claimed: Slice, today: Day): Promise<Slice> {
  const isStored = await hasOwnAnswer(db, claimed);
  return db.transaction().execute(async (transaction) => {
    const { sliceId, window } = claimed;
    const at = { today, now: clock.now() };
    const moved = isStored ? claimed : await redate(transaction, claimed, today);
    if (isStored) await queueToday(transaction, claimed, at);
    if (isStored || moved !== claimed) await noteMoved(transaction, { sliceId, day: window.start, ...at, isStored });
    return moved;
  });
}
