import { retry, type RetryOptions } from "../core/retry.ts";
import { databaseOutage, isLostConnection, isOutage, isOutOfRoom } from "../postgres/database-errors.ts";
import type { IngestParts } from "./ingest-parts.ts";

/** With waits that double from one second this is half a minute: a restarted Postgres is back by then. */
const tries = 6;

/** The longest time for which work waits for the database, in ms. */
export function longestRetryMs(retryMs: number): number {
  return retryMs * 2 ** tries;
}

/** What it takes to wait for the database. */
type RetryParts = Pick<IngestParts, "clock" | "retryMs" | "halted" | "abort" | "stoppedBy">;

/**
 * Does repeatable work, again while the database is unreachable, for half a minute. After a stop it does not wait between tries, unless
 * the outage itself was the stop. Where the database is out of room all calls are stopped at once: it may still grant them, and could
 * not store what they bring.
 */
export function retryDatabase<T>(parts: RetryParts, work: () => Promise<T>): Promise<T> {
  const options = known.get(parts) ?? optionsOf(parts);
  known.set(parts, options);
  return retry(options, work);
}

/** Each slice does such work several times, and hundreds are under way. */
const known = new WeakMap<RetryParts, RetryOptions>();

function optionsOf({ clock, retryMs, halted, abort, stoppedBy }: RetryParts): RetryOptions {
  const again = (error: unknown, failures: number) => {
    if (isOutOfRoom(error)) abort(databaseOutage(error));
    return isLostConnection(error) && failures < tries;
  };
  // an answer that is paid for is written after the stop too: often the next connection is a good one
  const sleep = async (ms: number) => {
    const cause = stoppedBy();
    const waits = cause !== null && isOutage(cause) ? clock.sleep(ms) : clock.sleep(ms, halted);
    await waits.catch(() => undefined);
  };
  return { clock: { sleep }, backoff: { firstMs: retryMs }, again };
}
