/**
 * The slices that this process has claimed. One is *coming* while it is requested, stored or read, and *ready* while its rows wait for their
 * commit:
 *
 *   start -> (its answer is stored) -> readable -> ready -> end
 */
export type ClaimedSlices = {
  /** Notes that a slice is coming. */
  readonly start: (sliceId: string) => void;
  /**
   * Resolves when the answer of a slice may be read: once fewer than `mostRows` rows are in memory, in the order of calls. From then on its
   * rows count too.
   */
  readonly readable: (sliceId: string) => Promise<void>;
  /** Notes that a slice is ready, with this many rows in memory. */
  readonly ready: (sliceId: string, rows: number) => void;
  /** Notes that a slice has ended, with any outcome. */
  readonly end: (sliceId: string) => void;
  readonly ids: () => readonly string[];
  /** How many slices are coming. */
  readonly coming: () => number;
  /** Rows in memory: of slices that are being read, and of those that are ready. */
  readonly rows: () => number;
  /** Resolves at the next change. */
  readonly changed: () => Promise<void>;
  /** Resolves when no slice is left. */
  readonly idle: () => Promise<void>;
};

/** An answer without rows takes memory too, and while an answer is read its rows are not known yet. */
const leastRows = 100;
/**
 * With this many rows in memory no further answer is read: two groups that are written and two that gather. Answers that are being read may
 * still add their rows.
 */
const mostRows = 30_000;

type Claimed = { readonly isComing: boolean; readonly rows: number };

/** Makes the count of claimed slices; at first there are none. */
export function createClaimedSlices(): ClaimedSlices {
  const slices = new Map<string, Claimed>();
  /** Slices that wait until their answer may be read, and the function that admits each. */
  const waiting: { readonly sliceId: string; readonly admit: () => void }[] = [];
  let coming = 0;
  let rows = 0;
  let change = Promise.withResolvers<void>();
  let idle = Promise.withResolvers<void>();

  function note(sliceId: string, next: Claimed | null): void {
    const before = slices.get(sliceId);
    coming += Number(next?.isComing ?? false) - Number(before?.isComing ?? false);
    rows += (next?.rows ?? 0) - (before?.rows ?? 0);
    if (next === null) slices.delete(sliceId);
    else slices.set(sliceId, next);
    change.resolve();
    change = Promise.withResolvers();
    if (slices.size > 0) return;
    idle.resolve();
    idle = Promise.withResolvers();
  }

  function admitNext(): void {
    while (rows < mostRows) {
      const next = waiting.shift();
      if (next === undefined) return;
      // a slice that was not started, as in a test, is read on its own
      if (slices.has(next.sliceId)) note(next.sliceId, { isComing: true, rows: leastRows });
      next.admit();
    }
  }

  function noteAndAdmit(sliceId: string, next: Claimed | null): void {
    note(sliceId, next);
    admitNext();
  }

  return {
    start: (sliceId) => noteAndAdmit(sliceId, { isComing: true, rows: 0 }),
    readable: (sliceId) =>
      new Promise((admit) => {
        waiting.push({ sliceId, admit });
        admitNext();
      }),
    ready: (sliceId, count) => {
      // a slice that was not started, as in a test, is committed on its own
      if (slices.has(sliceId)) noteAndAdmit(sliceId, { isComing: false, rows: Math.max(count, leastRows) });
    },
    end: (sliceId) => noteAndAdmit(sliceId, null),
    ids: () => [...slices.keys()],
    coming: () => coming,
    rows: () => rows,
    changed: () => change.promise,
    idle: () => idle.promise,
  };
}
