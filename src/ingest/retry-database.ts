import { retry } from "../core/retry.ts";
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
  const again = (error: unknown, failures: number) => isLostConnection(error) && failures < tries;
  return retry({ clock, backoff: { firstMs: retryMs }, signal: halted, again }, work);
}
