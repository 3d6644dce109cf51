import { retry } from "../core/retry.ts";
import { isLostConnection } from "../postgres/database-errors.ts";
import type { IngestParts } from "./ingest-parts.ts";

/** With waits that double from one second this is half a minute: a restarted Postgres is back by then. */
const tries = 6;

/** The longest time for which work waits for the database, in ms. */
export function longestRetryMs(retryMs: number): number {
  return retryMs * 2 ** tries;
}

/** Does repeatable work, again while the database is unreachable, for half a minute; after the stop it does not wait between tries. */
export async function retryDatabase<T>(
  { clock, retryMs, halted }: Pick<IngestParts, "clock" | "retryMs" | "halted">,
  work: () => Promise<T>,
): Promise<T> {
  const again = (error: unknown, failures: number) => isLostConnection(error) && failures < tries;
  return retry({ clock, backoff: { firstMs: retryMs }, signal: halted, again }, work);
}
