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
/** Pages are read again so often where nothing happens: time alone makes data late, and what a page says of ages grows old. */
const stillMs = 600_000;
/** A stream ends after that and the browser opens another one. */
const longestMs = hourMs;
/** More listeners at once are turned away, of all visitors and of one. */
const mostListeners = 200;
const mostOfOne = 10;

/** The event that a page listens to. */
const ledgerChanged = "event: ledger\ndata: 1\n\n";

/** Who listens: since which change of the ledger, for whom it counts, and whether they may still. */
type Listener = { readonly since: number; readonly countedFor: string; readonly isAllowed: () => boolean };

type Listening = Listener & { readonly openedAt: number; saidAt: number };

/** Streams that report to pages that the ledger has changed. */
export interface LiveStreams extends AsyncDisposable {
  /** How many changes were seen so far: what a page was shown at. */
  readonly seen: () => number;
  /**
   * Adds a stream until it closes or its listener may not any longer, and reports at once what was seen since its page was shown; false
   * where there are too many.
   */
  readonly add: (stream: Writable, listener: Listener) => boolean;
  /** True where this visitor can have no further one. */
  readonly isFull: (countedFor: string) => boolean;
}

/** What they are made of. */
type StreamParts = {
  readonly db: Database;
  readonly clock: Clock;
  readonly runs: BackgroundRuns;
  /** Called when the ledger has changed, before the listeners hear of it. */
  readonly changed: () => void;
  /** True once where a page was shown what is past and may have it anew. */
  readonly isDueAgain: () => boolean;
  /** The database is slow once it has not answered for so long. */
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
  /** What was read of the ledger last: null where it could not be read, undefined before the first time. */
  let last: string | null | undefined;

  function say(text: string): void {
    for (const [stream, state] of streams) {
      state.saidAt = clock.now();
      stream.write(text);
    }
  }

  async function poll(): Promise<void> {
    while (streams.size > 0 && !ended.signal.aborted) {
      // once where the database does not answer: pages that are read again then say how old their figures are
      const now = await readState();
      // the first time too: what a page shows may have been read before a change that nobody listened to
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

/**
 * Reads the state of the ledger; null where the database does not give it in time. A read that takes longer goes on, and no other one
 * begins.
 */
function stateReader({ db, runs, patienceMs }: StreamParts): () => Promise<string | null> {
  let reading: Promise<string> | null = null;
  return () => {
    reading ??= fingerprint(db, runs).finally(() => (reading = null));
    return within(reading, patienceMs);
  };
}

/** A text that differs when something has happened in the ledger, or to what the console runs. */
async function fingerprint(db: Database, runs: BackgroundRuns): Promise<string> {
  const latest = runs.latest();
  const own = `${latest?.startedAt} ${latest?.isStopping} ${latest?.ended?.at} ${JSON.stringify(latest?.progress)}`;
  return `${await readLedgerState(db)} ${own}`;
}
