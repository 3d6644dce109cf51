import type { Day } from "../core/day.ts";
import type { Slice } from "../core/slice.ts";
import { noteMoved, queueToday } from "../ledger/lost-days.ts";
import { redate } from "../ledger/slices.ts";
import { hasOwnAnswer } from "./fetch-slice.ts";
import type { IngestParts } from "./ingest-parts.ts";

/**
 * Moves a running snapshot slice that was planned on an earlier day to today: its answer will hold now. Where the time of its own day, or of
 * one since, is over, that day is noted as lost, in the same transaction. One whose answer is stored since its own day stays there, since that is paid for,
 * and the snapshot of today is queued beside it. Returns the slice as it stands.
 */
export async function moveSnapshot(
  { db, clock }: Pick<IngestParts, "db" | "clock">,
  claimed: Slice,
  today: Day,
): Promise<Slice> {
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
