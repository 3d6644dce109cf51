/** Who waits for a slot: one of a lower rank goes first, and of the same rank the one that came first. Aborting `signal` ends the wait. */
type Waiting = { readonly rank: number; readonly signal?: AbortSignal | undefined };

/** Runs so many calls side by side, and no more. */
export interface CallSlots {
  /** Runs a call once a slot is free for it; throws the signal's reason where it was aborted before. */
  run<T>(waiting: Waiting, call: () => Promise<T>): Promise<T>;
}

/** Opens `count` slots for calls of `ranks` ranks, from 0. */
export function createCallSlots(count: number, ranks: number): CallSlots {
  const lines = Array.from({ length: ranks }, (): (() => void)[] => []);
  let free = count;

  function turn({ rank, signal }: Waiting): Promise<void> {
    return new Promise((resolve, reject) => {
      const line = lines[rank] as (typeof lines)[number];
      const begin = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        line.splice(line.indexOf(begin), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      line.push(begin);
    });
  }

  /** A slot that becomes free is the next one's at once: nobody who comes meanwhile takes it. */
  function giveOn(): void {
    const next = lines.find((line) => line.length > 0)?.shift();
    if (next === undefined) free += 1;
    else next();
  }

  async function run<T>(waiting: Waiting, call: () => Promise<T>): Promise<T> {
    waiting.signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else await turn(waiting);
    try {
      return await call();
    } finally {
      giveOn();
    }
  }

  return { run };
}
