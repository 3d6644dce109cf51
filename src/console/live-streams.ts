import type { Writable } from "node:stream";
import type { Clock } from "../core/clock.ts";
import { hourMs } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import type { BackgroundRuns } from "./background-runs.ts";
import { within } from "../health/cached-read.ts";
import { readLedgerState } from "./ledger-state.ts";

/*
 * A live page listens to /live and reads itself again when the ledger has changed. One statement serves all listeners, and runs only while
 * there are some.
 */

/** How often the ledger is checked for changes while a page listens. */
const everyMs = 2_000;
/** A comment keeps proxies from closing a stream that has nothing to say. */
const quietMs = 15_000;
/** How often pages are read again while nothing happens: as time passes, data becomes late, and the ages on a page become outdated. */
const stillMs = 600_000;
/** A stream ends after that and the browser opens another one. */
const longestMs = hourMs;
/** More listeners at once are refused, in total and per visitor. */
const mostListeners = 200;
const mostOfOne = 10;

/** The event that a page listens to. */
const ledgerChanged = "event: ledger\ndata: 1\n\n";

/** A listener: the last change that it has seen, whose limit it counts against, and whether it may still listen. */
type Listener = { readonly since: number; readonly countedFor: string; readonly isAllowed: () => boolean };

type Listening = Listener & { readonly openedAt: number; saidAt: number };

/** Streams that report changes of the ledger to pages. */
export interface LiveStreams extends AsyncDisposable {
  /** The number of changes seen so far; a page keeps the one at which it was shown. */
  readonly seen: () => number;
  /**
   * Adds a stream until it closes or its listener may no longer listen, and reports at once a change since its page was shown; false if
   * there are too many.
   */
  readonly add: (stream: Writable, listener: Listener) => boolean;
  /** True if this visitor can have no further stream. */
  readonly isFull: (countedFor: string) => boolean;
}

/** What they are made of. */
type StreamParts = {
  readonly db: Database;
  readonly clock: Clock;
  readonly runs: BackgroundRuns;
  /** Called when the ledger has changed, before listeners are notified. */
  readonly changed: () => void;
  /** Returns true once if a page was shown outdated values that may be read again now. */
  readonly isDueAgain: () => boolean;
  /** The database counts as slow after this long without a reply. */
  readonly patienceMs: number;
};

/** Makes the streams of a console; nothing is read before the first listener. */
export function createLiveStreams(parts: StreamParts): LiveStreams {
  const { clock } = parts;
  const readState = stateReader(parts);
  const streams = new Map<Writable, Listening>();
  const ended = new AbortController();
  let polling: Promise<void> | null = null;
  let seen = 0;
  let changedAt = clock.now();
  /** The last state of the ledger: null if it could not be read, undefined before the first read. */
  let last: string | null | undefined;

  function say(text: string): void {
    for (const [stream, state] of streams) {
      state.saidAt = clock.now();
      stream.write(text);
    }
  }

  async function poll(): Promise<void> {
    while (streams.size > 0 && !ended.signal.aborted) {
      // once if the database does not answer: pages that are then read again show how old their figures are
      const now = await readState();
      // the first time too: a page may have been read before a change for which there was no listener
      if (now !== last || Math.abs(clock.now() - changedAt) >= stillMs) {
        seen += 1;
        changedAt = clock.now();
        parts.changed();
        say(ledgerChanged);
      } else if (parts.isDueAgain()) say(ledgerChanged);
      last = now;
      for (const [stream, state] of streams) keepOpen(stream, state, clock.now());
      await clock.sleep(everyMs, ended.signal).catch(() => undefined);
    }
  }

  function start(): void {
    polling ??= poll().finally(() => {
      polling = null;
      if (streams.size > 0 && !ended.signal.aborted) start();
    });
  }

  function isFull(countedFor: string): boolean {
    const own = [...streams.values()].filter((one) => one.countedFor === countedFor);
    return streams.size >= mostListeners || own.length >= mostOfOne;
  }

  return {
    isFull,
    seen: () => seen,
    add: (stream, listener) => {
      if (isFull(listener.countedFor) || ended.signal.aborted) return false;
      streams.set(stream, { ...listener, openedAt: clock.now(), saidAt: clock.now() });
      stream.once("close", () => streams.delete(stream));
      if (listener.since !== seen) stream.write(ledgerChanged);
      start();
      return true;
    },
    [Symbol.asyncDispose]: async () => {
      ended.abort();
      for (const stream of streams.keys()) stream.end();
      await polling;
    },
  };
}

function keepOpen(stream: Writable, state: Listening, now: number): void {
  // a session may be over before its stream is
  if (now - state.openedAt > longestMs || !state.isAllowed()) stream.end();
  else if (now - state.saidAt > quietMs) {
    state.saidAt = now;
    stream.write(": here\n\n");
  }
}

/** Reads the state of the ledger; null if the database does not return it in time. A slower read continues, and no other one begins. */
function stateReader({ db, runs, patienceMs }: StreamParts): () => Promise<string | null> {
  let reading: Promise<string> | null = null;
  return () => {
    reading ??= fingerprint(db, runs).finally(() => (reading = null));
    return within(reading, patienceMs);
  };
}

/** A text that differs when something has happened in the ledger, or in a run of the console. */
async function fingerprint(db: Database, runs: BackgroundRuns): Promise<string> {
  const latest = runs.latest();
  const own = `${latest?.startedAt} ${latest?.isStopping} ${latest?.ended?.at} ${JSON.stringify(latest?.progress)}`;
  return `${await readLedgerState(db)} ${own}`;
}
