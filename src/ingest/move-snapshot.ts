import type { Day } from "../core/day.ts";
import type { Slice } from "../core/slice.ts";
import { noteMoved } from "../ledger/lost-days.ts";
import { redate } from "../ledger/slices.ts";
import type { IngestParts } from "./ingest-parts.ts";

/**
 * Moves a running snapshot slice that was planned on an earlier day to today: its answer will hold now. Where the time of its own day is
 * over, that day is noted as lost, in the same transaction. Returns the slice as it stands.
 */
export function moveSnapshot(
  { db, clock }: Pick<IngestParts, "db" | "clock">,
  claimed: Slice,
  today: Day,
): Promise<Slice> {
  return db.transaction().execute(async (transaction) => {
    const moved = await redate(transaction, claimed, today);
    const { sliceId, window } = claimed;
    if (moved !== claimed) await noteMoved(transaction, { sliceId, day: window.start, today, now: clock.now() });
    return moved;
  });
}
