import { setImmediate as nextTurn } from "node:timers/promises";

/** How a batcher works. `I` is what a caller passes in, `O` what it gets back. */
export type BatcherOptions<I, O> = {
  /** Does the work of all members at once, or of none: if it throws, nothing was written. One result per member, in order. */
  readonly flush: (members: readonly I[]) => Promise<readonly O[]>;
  /** The most weight a batch may have; a heavier member has its own batch. */
  readonly most: number;
  /** The weight of a member; 1 if left out. */
  readonly weigh?: (member: I) => number;
  /** Whether a member may share a batch with its first member; if left out, any may. */
  readonly alike?: (first: I, member: I) => boolean;
  /** True for an error that no member caused, such as a lost connection: all members get it. Any other may be one member's fault. */
  readonly failsAll?: (error: unknown) => boolean;
  /** How a batch waits for more members; if left out, it starts at once. */
  readonly linger?: Linger;
};

/** A wait for more members, with a timer as the latest end. */
type Linger = {
  readonly longestMs: number;
  /** True if members of this weight are enough, or no other will come. Called with each member. */
  readonly isEnough: (weight: number) => boolean;
};

type Waiting<I, O> = {
  readonly member: I;
  readonly weight: number;
  readonly resolve: (result: O) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Lets concurrent callers share one round trip. A caller that comes while nothing is under way starts a batch in the next turn, or when
 * there are enough members; later callers join the next batch. If a batch fails, its members are tried one by one: each gets its own result
 * or error, and a bad one does not fail the others.
 */
export function createBatcher<I, O>(options: BatcherOptions<I, O>): (member: I) => Promise<O> {
  const { flush, most, weigh = () => 1, alike = () => true, failsAll = () => false, linger } = options;
  const waiting: Waiting<I, O>[] = [];
  let waitingWeight = 0;
  let busy = false;
  let enough: PromiseWithResolvers<void> | null = null;

  function takeBatch(): readonly Waiting<I, O>[] {
    let weight = 0;
    let count = 0;
    for (const one of waiting) {
      if (count > 0 && (weight + one.weight > most || !alike((waiting[0] as Waiting<I, O>).member, one.member))) break;
      weight += one.weight;
      count += 1;
    }
    waitingWeight -= weight;
    return waiting.splice(0, count);
  }

  async function run(batch: readonly Waiting<I, O>[]): Promise<void> {
    try {
      const results = await flush(batch.map(({ member }) => member));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as O);
    } catch (error) {
      if (batch.length === 1 || failsAll(error)) for (const { reject } of batch) reject(error);
      else for (const one of batch) await run([one]);
    }
  }

  async function gather({ longestMs, isEnough }: Linger): Promise<void> {
    if (isEnough(waitingWeight)) return;
    enough = Promise.withResolvers();
    const timer = setTimeout(enough.resolve, longestMs);
    await enough.promise;
    enough = null;
    clearTimeout(timer);
  }

  async function work(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      // members that arrive in the same turn, such as all with a new answer, belong to the batch
      await nextTurn();
      if (linger !== undefined) await gather(linger);
      await run(takeBatch());
    }
    busy = false;
  }

  return (member) =>
    new Promise<O>((resolve, reject) => {
      const weight = weigh(member);
      waiting.push({ member, weight, resolve, reject });
      waitingWeight += weight;
      if (!busy) void work();
      else if (enough !== null && linger?.isEnough(waitingWeight)) enough.resolve();
    });
}
