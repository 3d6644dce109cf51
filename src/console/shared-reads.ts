import { createHash } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { fail } from "../core/errors.ts";
import { within } from "../health/cached-read.ts";
import type { Database } from "../postgres/database.ts";

/** A value that was read, and when (epoch-ms). `isOld`: the database did not return a newer one in time. */
type SharedValue<T> = { readonly value: T; readonly readAt: number; readonly isOld: boolean };

/** Reads that all viewers share. */
export type SharedReads = {
  /**
   * The value of a key: read now, or a moment ago for another visitor, or an older one if the database is slow. Throws `console_slow` if
   * there is none.
   */
  readonly read: <T>(key: string, work: (db: Database) => Promise<T>) => Promise<SharedValue<T>>;
  /** Has every key read again when it is next requested and its share of time allows: the source of its value has changed. */
  readonly forget: () => void;
  /** Returns true once if a page got an outdated value, or none, that may be read again now. */
  readonly isDueAgain: () => boolean;
};

/** A value counts as new for this long: a live page reads again when the ledger has changed. */
const freshMs = 2_000;
/** A value that is kept longer than this, because of its share of time, is shown with its age. */
const lateMs = 5_000;
/** Reads of one key take at most this share of a connection's time: a slow read is kept longer, even if it is outdated. */
const mostShare = 0.1;
/** No value is kept longer, however long its read took: the clock was set forward, or the machine slept, during the read. */
const longestMs = 600_000;
/** After a failed read, the next try is at most this much later. */
const longestAfterError = 15_000;
/** The most keys that are kept, and the most texts and numbers in all values; the least recently used are dropped first. */
const mostKeys = 200;
const mostKept = 2_000_000;
/** Reads under way at once, most of which wait for a connection: beyond them a page gets older figures, or none. */
const mostUnderWay = 64;
/** A longer key is kept as its digest: addresses of pages may be long. */
const longestKey = 100;

type Entry = {
  value: { readonly of: unknown; readonly at: number; readonly tookMs: number; readonly isPast?: true } | null;
  /** The number of texts and numbers in the value. */
  size: number;
  reading: Promise<void> | null;
  /** The number of known changes when the read under way was requested. */
  began: number;
  /** The error of the last read, and until when it is kept; null if it succeeded. */
  failed: { readonly error: unknown; readonly until: number } | null;
};

/** Until when a value, or the error instead of one, is not read again. */
function keptUntil({ value, failed }: Entry): number {
  const { at = 0, tookMs = 0, isPast } = value ?? {};
  const valid =
    value === null ? 0 : at + Math.max(isPast === true ? 0 : freshMs, Math.min(tookMs / mostShare, longestMs));
  return Math.max(valid, failed?.until ?? 0);
}

/** True if a value, or the error instead of one, has a time in the future: the clock was set back since. */
function isAhead({ value, failed }: Entry, now: number): boolean {
  return (value?.at ?? 0) > now || (failed?.until ?? 0) > now + longestAfterError;
}

/** What was read, by key. If that is too much, the least recently used entries are dropped, except those in use. */
function createEntries() {
  const entries = new Map<string, Entry>();
  let kept = 0;

  function dropUnused(used: Entry): void {
    for (const [key, entry] of entries) {
      if (entries.size <= mostKeys && kept <= mostKept) break;
      if (entry.reading !== null || entry === used) continue;
      entries.delete(key);
      kept -= entry.size;
    }
  }

  return {
    all: () => entries.values(),
    dropUnused,
    /** The entry of a key, which is now the most recently used. */
    of: (key: string): Entry => {
      const short = key.length <= longestKey ? key : createHash("sha256").update(key).digest("base64url");
      const entry = entries.get(short) ?? { value: null, size: 0, reading: null, began: 0, failed: null };
      // a map keeps the order in which keys were set: the first is the least recently used
      entries.delete(short);
      entries.set(short, entry);
      dropUnused(entry);
      return entry;
    },
    put: (entry: Entry, value: NonNullable<Entry["value"]>): void => {
      kept -= entry.size;
      entry.value = value;
      entry.size = sizeOf(value.of);
      kept += entry.size;
    },
  };
}

/** Creates shared reads over read-only connections. `patienceMs`: how long a page waits before it shows older figures. */
export function createSharedReads({
  db,
  clock,
  patienceMs,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly patienceMs: number;
}): SharedReads {
  const entries = createEntries();
  let changes = 0;
  let underWay = 0;
  let dueAgainAt: number | null = null;

  /** Reads when `before` has ended. */
  function start(entry: Entry, work: (db: Database) => Promise<unknown>, before: Promise<void>): void {
    underWay += 1;
    entry.began = changes;
    const reading = before
      .then(() => readInto(entry, work))
      .finally(() => {
        underWay -= 1;
        if (entry.reading === reading) entry.reading = null;
        entries.dropUnused(entry);
      });
    entry.reading = reading;
  }

  async function readInto(entry: Entry, work: (db: Database) => Promise<unknown>): Promise<void> {
    const from = clock.now();
    const began = changes;
    try {
      const of = await work(db);
      // a change while it was read may not be in it
      const isPast = began === changes ? {} : ({ isPast: true } as const);
      entries.put(entry, { of, at: clock.now(), tookMs: clock.now() - from, ...isPast });
      entry.failed = null;
    } catch (error) {
      const wait = Math.min((clock.now() - from) / mostShare, longestAfterError);
      entry.failed = { error, until: clock.now() + wait };
    }
  }

  /** A page that was shown an outdated value needs it again when its time is over. */
  function noteShown(entry: Entry): void {
    if (entry.value !== null && entry.value.isPast !== true && entry.failed === null) return;
    dueAgainAt = Math.min(keptUntil(entry), dueAgainAt ?? Number.POSITIVE_INFINITY);
  }

  return {
    forget: () => {
      changes += 1;
      for (const entry of entries.all()) if (entry.value !== null) entry.value = { ...entry.value, isPast: true };
    },
    isDueAgain: () => {
      if (dueAgainAt === null || clock.now() < dueAgainAt) return false;
      dueAgainAt = null;
      return true;
    },
    read: async <T>(key: string, work: (db: Database) => Promise<T>) => {
      const entry = entries.of(key);
      const isDue = clock.now() >= keptUntil(entry) || isAhead(entry, clock.now());
      const isUnderWay = entry.reading !== null && entry.began === changes;
      const isTurnedAway = isDue && !isUnderWay && underWay >= mostUnderWay;
      if (isDue && !isUnderWay && !isTurnedAway) start(entry, work, entry.reading ?? Promise.resolve());
      if (isDue && entry.reading !== null) await within(entry.reading, patienceMs);
      noteShown(entry);
      const { value, reading, failed } = entry;
      if (value === null) throw failed?.error ?? fail("console_slow", { seconds: patienceMs / 1000 });
      const isLate = value.isPast === true && clock.now() - value.at > lateMs;
      return {
        value: value.of as T,
        readAt: value.at,
        isOld: isTurnedAway || isLate || reading !== null || failed !== null,
      };
    },
  };
}

/** Anything deeper counts as one: values of pages are lists of flat rows. */
const deepest = 4;

/** About how many texts and numbers a value holds: for a list, the number in its first entry times its length. */
function sizeOf(value: unknown, depth = 0): number {
  if (typeof value === "string") return 1 + Math.floor(value.length / 64);
  if (typeof value !== "object" || value === null || depth === deepest) return 1;
  if (value instanceof Map) return 1 + value.size * sizeOf(value.values().next().value, depth + 1);
  if (Array.isArray(value)) return 1 + value.length * sizeOf(value[0], depth + 1);
  return Object.values(value).reduce<number>((sum, part) => sum + sizeOf(part, depth + 1), 1);
}
