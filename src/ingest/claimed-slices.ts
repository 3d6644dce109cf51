/** The slices that this process has claimed, by how far they are: some are on their way to their commit, others wait for it. */
export type ClaimedSlices = {
  /** Notes that a slice is on its way: it is claimed, requested, stored or read. */
  readonly take: (sliceId: string) => void;
  /**
   * Resolves when the answer of a slice may be read, in the order of calls: once fewer than `mostRows` are in memory. It is counted among
   * them from then on.
   */
  readonly room: (sliceId: string) => Promise<void>;
  /** Notes that a slice is ready to be committed, with so many rows in memory. */
  readonly hold: (sliceId: string, rows: number) => void;
  /** Notes that a slice has ended, however it did. */
  readonly drop: (sliceId: string) => void;
  readonly ids: () => readonly string[];
  /** How many are on their way. */
  readonly coming: () => number;
  /** Rows of those that are read or ready. */
  readonly rows: () => number;
  /** Resolves at the next change. */
  readonly changed: () => Promise<void>;
  /** Resolves when the last one has ended the next time. */
  readonly idle: () => Promise<void>;
};

/** An answer without rows takes memory too, and of one that is read the rows are not known yet. */
const leastRows = 100;
/**
 * From so many rows in memory on no further answer is read: two groups that are written and two that gather. Those that are being read may
 * add to them, each as many as it has.
 */
const mostRows = 30_000;

type Claimed = { readonly isComing: boolean; readonly rows: number };

/** Counts claimed slices; at first there are none. */
export function createClaimedSlices(): ClaimedSlices {
  const slices = new Map<string, Claimed>();
  /** Slices that wait until their answer may be read, and what lets them. */
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
      // one that nobody took is read on its own
      if (slices.has(next.sliceId)) note(next.sliceId, { isComing: true, rows: leastRows });
      next.admit();
    }
  }

  function noteAndAdmit(sliceId: string, next: Claimed | null): void {
    note(sliceId, next);
    admitNext();
  }

  return {
    take: (sliceId) => noteAndAdmit(sliceId, { isComing: true, rows: 0 }),
    room: (sliceId) =>
      new Promise((admit) => {
        waiting.push({ sliceId, admit });
        admitNext();
      }),
    hold: (sliceId, count) => {
      // one that nobody took is committed on its own
      if (slices.has(sliceId)) noteAndAdmit(sliceId, { isComing: false, rows: Math.max(count, leastRows) });
    },
    drop: (sliceId) => noteAndAdmit(sliceId, null),
    ids: () => [...slices.keys()],
    coming: () => coming,
    rows: () => rows,
    changed: () => change.promise,
    idle: () => idle.promise,
  };
}
