import type { Clock } from "../core/clock.ts";
import { fail } from "../core/errors.ts";
import { within } from "../health/cached-read.ts";
import type { Database } from "../postgres/database.ts";

/** A value that was read, and when (epoch-ms). `isOld`: the database did not give a newer one in time. */
type SharedValue<T> = { readonly value: T; readonly readAt: number; readonly isOld: boolean };

/** Reads that all viewers share. */
export type SharedReads = {
  /** The value by a key: read now, or a moment ago for somebody else, or an older one where the database is slow. Throws `console_slow` without one. */
  readonly read: <T>(key: string, work: (db: Database) => Promise<T>) => Promise<SharedValue<T>>;
  /** Has every key read anew when it is wanted next: what it was read from has changed. */
  readonly forget: () => void;
};

/** A value counts as new for so long: a live page asks again when the ledger has changed. */
const freshMs = 2_000;
/** Reads of one key take at most this share of a connection's time: a slow read is kept longer. */
const mostShare = 0.1;
/** Keys that are kept; the one that was not used for the longest time goes first. */
const mostKeys = 200;

type Entry = {
  value: { readonly of: unknown; readonly at: number; readonly tookMs: number; readonly isPast?: true } | null;
  reading: Promise<void> | null;
  /** What was known to have changed when the read under way began, as a count. */
  began: number;
  /** The error of the last read, null when it succeeded. */
  error: unknown;
};

/** Makes them over connections that only read. `patienceMs`: how long a page waits before it shows older figures. */
export function createSharedReads({
  db,
  clock,
  patienceMs,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly patienceMs: number;
}): SharedReads {
  const entries = new Map<string, Entry>();
  let changes = 0;

  function entryOf(key: string): Entry {
    const entry = entries.get(key) ?? { value: null, reading: null, began: 0, error: null };
    // a map keeps the order in which keys were set: the first is the one that was not used for the longest time
    entries.delete(key);
    entries.set(key, entry);
    for (const [old, { reading }] of entries) {
      if (entries.size <= mostKeys) break;
      if (reading === null) entries.delete(old);
    }
    return entry;
  }

  async function readInto(entry: Entry, work: (db: Database) => Promise<unknown>): Promise<void> {
    const from = clock.now();
    const began = changes;
    entry.began = began;
    try {
      const of = await work(db);
      // a change while it was read may not be in it
      entry.value = { of, at: clock.now(), tookMs: clock.now() - from, ...(began === changes ? {} : { isPast: true }) };
      entry.error = null;
    } catch (error) {
      entry.error = error;
    } finally {
      entry.reading = null;
    }
  }

  return {
    forget: () => {
      changes += 1;
      for (const entry of entries.values()) if (entry.value !== null) entry.value = { ...entry.value, isPast: true };
    },
    read: async <T>(key: string, work: (db: Database) => Promise<T>) => {
      const entry = entryOf(key);
      const isFresh = ({ at, tookMs, isPast }: NonNullable<Entry["value"]>) =>
        isPast !== true && clock.now() - at < Math.max(freshMs, tookMs / mostShare);
      if (entry.value === null || !isFresh(entry.value)) {
        const before = entry.reading;
        if (before === null) entry.reading = readInto(entry, work);
        else if (entry.began !== changes) entry.reading = before.then(() => readInto(entry, work));
        await within(entry.reading ?? Promise.resolve(), patienceMs);
      }
      const { value, reading, error } = entry;
      if (value === null) throw error ?? fail("console_slow", { seconds: patienceMs / 1000 });
      return { value: value.of as T, readAt: value.at, isOld: reading !== null || error !== null };
    },
  };
}
