/** The slices that this process has claimed, by how far they are: some are on their way to their commit, others wait for it. */
export type ClaimedSlices = {
  /** Notes that a slice is on its way: it is claimed, requested, stored or read. */
  readonly take: (sliceId: string) => void;
  /** Notes that a slice is ready to be committed, with so many rows in memory. */
  readonly hold: (sliceId: string, rows: number) => void;
  /** Notes that a slice has ended, however it did. */
  readonly drop: (sliceId: string) => void;
  readonly ids: () => readonly string[];
  /** How many are on their way. */
  readonly coming: () => number;
  /** Rows of those that are ready. */
  readonly rows: () => number;
  /** Resolves at the next change. */
  readonly changed: () => Promise<void>;
  /** Resolves when the last one has ended the next time. */
  readonly idle: () => Promise<void>;
};

/** An answer without rows takes memory too. */
const leastRows = 100;

/** Counts claimed slices; at first there are none. */
export function createClaimedSlices(): ClaimedSlices {
  /** Rows by slice; null while it is on its way. */
  const slices = new Map<string, number | null>();
  let coming = 0;
  let rows = 0;
  let change = Promise.withResolvers<void>();
  let idle = Promise.withResolvers<void>();

  function note(sliceId: string, next: number | null | undefined): void {
    const before = slices.get(sliceId);
    if (before === null) coming -= 1;
    else rows -= before ?? 0;
    if (next === undefined) slices.delete(sliceId);
    else slices.set(sliceId, next);
    if (next === null) coming += 1;
    else rows += next ?? 0;
    change.resolve();
    change = Promise.withResolvers();
    if (slices.size > 0) return;
    idle.resolve();
    idle = Promise.withResolvers();
  }

  return {
    take: (sliceId) => note(sliceId, null),
    hold: (sliceId, count) => {
      // one that nobody took is committed on its own
      if (slices.has(sliceId)) note(sliceId, Math.max(count, leastRows));
    },
    drop: (sliceId) => note(sliceId, undefined),
    ids: () => [...slices.keys()],
    coming: () => coming,
    rows: () => rows,
    changed: () => change.promise,
    idle: () => idle.promise,
  };
}
