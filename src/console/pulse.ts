import type { Writable } from "node:stream";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../postgres/database.ts";
import type { BackgroundRuns } from "./background-runs.ts";
import { readLedgerState } from "./ledger-state.ts";

/*
 * A live page listens to /live and reads itself again when the ledger has changed. One statement serves all listeners, and runs only while
 * there are some.
 */

/** How often the ledger is looked at while somebody listens. */
const everyMs = 2_000;
/** A comment keeps proxies from closing a stream that has nothing to say. */
const quietMs = 15_000;
/** A stream ends after that and the browser opens another one: by then a session may be over. */
const longestMs = 3_600_000;
/** More listeners at once are turned away. */
const mostListeners = 200;

/** The event that a page listens to. */
const ledgerChanged = "event: ledger\ndata: 1\n\n";

/** Tells listeners that the ledger has changed. */
export interface Pulse extends AsyncDisposable {
  /** How many changes were seen so far: what a page was shown at. */
  readonly seen: () => number;
  /** Adds a stream until it closes, and tells it at once of what was seen since its page was shown; false where there are too many. */
  readonly add: (stream: Writable, since: number) => boolean;
  readonly isFull: () => boolean;
}

/** Makes the pulse of a console; nothing is read before the first listener. */
export function createPulse({
  db,
  clock,
  runs,
  changed,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly runs: BackgroundRuns;
  /** Called when the ledger has changed, before the listeners hear of it. */
  readonly changed: () => void;
}): Pulse {
  const streams = new Map<Writable, { readonly since: number; saidAt: number }>();
  const ended = new AbortController();
  let beating: Promise<void> | null = null;
  let seen = 0;

  function say(text: string): void {
    for (const [stream, state] of streams) {
      state.saidAt = clock.now();
      stream.write(text);
    }
  }

  async function beat(): Promise<void> {
    let last: string | null = null;
    while (streams.size > 0 && !ended.signal.aborted) {
      // a database that does not answer has not changed as far as anybody knows
      const now = await fingerprint(db, runs).catch(() => last);
      // the first time too: what a page shows may have been read before a change that nobody listened to
      if (now !== last) {
        seen += 1;
        changed();
        say(ledgerChanged);
      }
      last = now;
      for (const [stream, { since, saidAt }] of streams) {
        if (clock.now() - since > longestMs) stream.end();
        else if (clock.now() - saidAt > quietMs) stream.write(": here\n\n");
      }
      await clock.sleep(everyMs, ended.signal).catch(() => undefined);
    }
  }

  function start(): void {
    beating ??= beat().finally(() => {
      beating = null;
      if (streams.size > 0 && !ended.signal.aborted) start();
    });
  }

  return {
    isFull: () => streams.size >= mostListeners,
    seen: () => seen,
    add: (stream, since) => {
      if (streams.size >= mostListeners || ended.signal.aborted) return false;
      streams.set(stream, { since: clock.now(), saidAt: clock.now() });
      stream.once("close", () => streams.delete(stream));
      if (since !== seen) stream.write(ledgerChanged);
      start();
      return true;
    },
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      for (const stream of streams.keys()) stream.end();
      await beating;
    },
  };
}

/** A text that differs when something has happened in the ledger, or to what the console runs. */
async function fingerprint(db: Database, runs: BackgroundRuns): Promise<string> {
  const latest = runs.latest();
  const own = `${latest?.startedAt} ${latest?.isStopping} ${latest?.ended?.at} ${JSON.stringify(latest?.progress)}`;
  return `${await readLedgerState(db)} ${own}`;
}
