import { retry, type RetryOptions } from "../core/retry.ts";
import { databaseOutage, isLostConnection, isOutage, isOutOfRoom, isPassing } from "../postgres/database-errors.ts";
import type { IngestParts } from "./ingest-parts.ts";

/** With waits that double from one second these take half a minute: a restarted Postgres is back by then. */
const tries = 6;

/** The longest time for which work waits for the database, in ms. */
export function longestRetryMs(retryMs: number): number {
  return retryMs * 2 ** tries;
}

/** What waiting for the database needs. */
export type RetryParts = Pick<IngestParts, "clock" | "retryMs" | "halted" | "abort" | "stoppedBy" | "stop">;

/**
 * Does repeatable work, and retries it for half a minute while the database is unreachable, interrupts it or lets it lose a race for a key:
 * nothing is requested twice because of that. After a stop it does not wait between tries, unless only an outage caused the stop. If the
 * database is out of space, all calls stop at once: it might still grant them, but could not store their answers.
 */
export function retryDatabase<T>(parts: RetryParts, work: () => Promise<T>): Promise<T> {
  return retry(optionsOf(parts), work);
}

/**
 * Like `retryDatabase`, for work that contains such retries: work that these gave up is not retried, since that would take six times as
 * long.
 */
export function retryAround<T>(parts: RetryParts, work: () => Promise<T>): Promise<T> {
  const options = optionsOf(parts);
  const isOver = (error: unknown) => error instanceof Error && givenUp.has(error);
  return retry({ ...options, again: (error, ...how) => !isOver(error) && options.again(error, ...how) }, work);
}

/** Errors of work whose retries are used up. */
const givenUp = new WeakSet<object>();

function optionsOf({ clock, retryMs, halted, abort, stoppedBy, stop }: RetryParts): RetryOptions {
  const again = (error: unknown, failures: number) => {
    if (isOutOfRoom(error)) abort(databaseOutage(error));
    if (!(isLostConnection(error) || isPassing(error))) return false;
    if (failures >= tries) givenUp.add(error);
    return failures < tries;
  };
  // a paid answer is written after a stop too: often the next connection works
  const sleep = async (ms: number) => {
    const cause = stoppedBy();
    const waits = clock.sleep(ms, cause !== null && isOutage(cause) ? stop : halted);
    await waits.catch(() => undefined);
  };
  return { clock: { sleep }, backoff: { firstMs: retryMs }, again };
}
