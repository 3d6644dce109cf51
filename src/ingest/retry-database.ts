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
type RetryParts = Pick<IngestParts, "clock" | "retryMs" | "halted" | "abort" | "stoppedBy" | "stop">;

/**
 * Does repeatable work, again while the database is unreachable, for half a minute. After a stop it does not wait between tries, unless
 * an outage alone was the stop. Where the database is out of room all calls are stopped at once: it may still grant them, and could
 * not store what they bring.
 */
export function retryDatabase<T>(parts: RetryParts, work: () => Promise<T>): Promise<T> {
  return retry(knownOptions(parts).within, work);
}

/** Like `retryDatabase`, for work with such tries within: what these gave up is not tried again, since it would take six times as long. */
export function retryAround<T>(parts: RetryParts, work: () => Promise<T>): Promise<T> {
  return retry(knownOptions(parts).around, work);
}

/** Errors whose work was tried to the end. */
const givenUp = new WeakSet<object>();

type Options = { readonly within: RetryOptions; readonly around: RetryOptions };
/** Each slice does such work several times, and hundreds are under way. */
const known = new WeakMap<RetryParts, Options>();

function knownOptions(parts: RetryParts): Options {
  const options = known.get(parts) ?? optionsOf(parts);
  known.set(parts, options);
  return options;
}

function optionsOf({ clock, retryMs, halted, abort, stoppedBy, stop }: RetryParts): Options {
  const again = (error: unknown, failures: number) => {
    if (isOutOfRoom(error)) abort(databaseOutage(error));
    if (!isLostConnection(error)) return false;
    if (failures >= tries) givenUp.add(error);
    return failures < tries;
  };
  // an answer that is paid for is written after the stop too: often the next connection is a good one
  const sleep = async (ms: number) => {
    const cause = stoppedBy();
    const waits = clock.sleep(ms, cause !== null && isOutage(cause) ? stop : halted);
    await waits.catch(() => undefined);
  };
  const within = { clock: { sleep }, backoff: { firstMs: retryMs }, again };
  const isOver = (error: unknown) => error instanceof Error && givenUp.has(error);
  return { within, around: { ...within, again: (error, failures) => !isOver(error) && again(error, failures) } };
}
