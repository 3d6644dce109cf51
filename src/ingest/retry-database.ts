import { isLostConnection } from "../postgres/database-errors.ts";
import type { IngestParts } from "./ingest-parts.ts";

/** With the waits doubling from one second this is half a minute: a Postgres that restarts is back by then. */
const tries = 6;

/** How long work waits for the database, in ms, from the first wait on: longer than that it is never held up by an outage. */
export function outageMs(retryMs: number): number {
  return retryMs * 2 ** tries;
}

/** Does work that may be repeated, again and again while the database is out of reach; throws after half a minute, when told to stop without waiting. */
export async function retryDatabase<T>(
  { clock, retryMs, halted }: Pick<IngestParts, "clock" | "retryMs" | "halted">,
  work: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isLostConnection(error) || failures === tries) throw error;
      await clock.sleep(retryMs * 2 ** (failures - 1), halted).catch(() => undefined);
    }
  }
}
