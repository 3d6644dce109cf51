import { requeueLost } from "../ledger/lost-jobs.ts";
import { isLostConnection } from "../warehouse/database-errors.ts";
import { outageMs } from "./outage.ts";
import type { IngestParts } from "./parts.ts";

/** Looks after jobs that a broken connection left taken and not begun, beside the queue, until everything is to stop; then it resolves. */
export async function watchJobs(parts: IngestParts): Promise<void> {
  const stop = parts.halted;
  const takenForMs = outageMs(parts.retryMs);
  while (!stop.aborted) {
    await parts.clock.sleep(takenForMs, stop).catch(() => undefined);
    if (stop.aborted) return;
    try {
      const found = await requeueLost(parts.db, { task: parts.task, takenForMs, inHands: [...parts.underWay.keys()] });
      if (found > 0) parts.log.warn({ slices: found }, "queue.lost_jobs");
    } catch (error) {
      // the next look finds them; anything else shows up where it matters
      if (!isLostConnection(error)) parts.log.warn({ problem: parts.scrub(String(error)) }, "queue.lost_jobs_unknown");
    }
  }
}
