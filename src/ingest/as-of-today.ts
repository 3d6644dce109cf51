import type { Day } from "../core/day.ts";
import type { Slice } from "../core/slice.ts";
import { noteMoved, queueToday } from "../ledger/lost-days.ts";
import { noteRequested, redate } from "../ledger/slices.ts";
import { hasOwnAnswer, hasUsablePage } from "./fetch-slice.ts";
import type { IngestParts } from "./ingest-parts.ts";

type Parts = Pick<IngestParts, "db" | "clock">;

/**
 * Dates a running slice that was planned on an earlier day to today, since its answer will be as of today. A slice with a stored page that
 * is read again keeps its day. Returns the slice as it is then.
 */
export async function asOfToday(parts: Parts, claimed: Slice, today: Day): Promise<Slice> {
  if (claimed.class === "snapshot") return moveSnapshot(parts, claimed, today);
  return (await hasUsablePage(parts.db, claimed)) ? claimed : noteRequested(parts.db, claimed, today);
}

/**
 * Moves a running snapshot slice that was planned on an earlier day to today: its answer will be about today. If its own round, or one
 * since, has ended, that round is noted as lost in the same transaction. A slice whose answer was requested on its own day keeps that day,
 * since the answer is paid for, and the snapshot of today is queued as well. Returns the slice as it is then.
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
