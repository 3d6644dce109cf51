import PQueue from "p-queue";
import { fail, mayBeCharged, StorehouseError } from "../core/errors.ts";
import { creditClasses, type Spender } from "../core/slice.ts";
import { whenAborted } from "../core/when-aborted.ts";
import { createCallGate, type CallGate } from "./call-gate.ts";
import { createGranting, type GrantOptions, type PricedWork } from "./granting.ts";
import { isDeclaredDead } from "./declared-dead.ts";
import { settle, type CallReceipt } from "./holds.ts";
import type { RunLimit } from "./run-limit.ts";
import { createSharedHolds } from "./shared-holds.ts";

/** What the queue needs: the shared ledger, how much each class leaves untouched, and the balance check. */
export type CreditQueueOptions = GrantOptions & {
  readonly concurrency: number;
  readonly runLimit: RunLimit;
};

/** One call that needs credits. `cost` is computed when its turn comes: a higher price may have been learned while it waited. */
type Work = Omit<PricedWork, "cost"> & { readonly cost: () => number; readonly signal?: AbortSignal };

/** The result of a call, and the credits that it took: its hold was settled in the statement that stored the answer. */
type Sent<T> = { readonly result: T; readonly charged: number };

/** The credit-aware queue: nothing is sent before it is granted. */
export interface CreditQueue {
  /**
   * Runs `send`, with the number of its hold, once credits and pace allow; `send` settles the hold, unless it throws. Throws a DeferError,
   * with the time of the next try, if credits do not allow it.
   */
  run<T>(work: Work, send: (holdId: string) => Promise<Sent<T>>): Promise<T>;
  /** Runs a decision whether calls may continue: none is sent until it ends. */
  readonly whileHeld: CallGate["whileHeld"];
}

/** The order in which waiting calls run: those of people first. */
const spenders: readonly Spender[] = ["person", ...creditClasses];

/** The receipt of a call without a reply: whether it was charged is unknown. */
const lostReceipt: CallReceipt = { charged: null, remaining: null, resetsAt: null, tooFast: false, lost: true };
/** The receipt of a call that was not charged because it was never sent. */
const unsentReceipt: CallReceipt = { ...lostReceipt, lost: false };

/** If a call starts this much later than granted, its process may have been suspended, and declared dead in that time. */
const lateMs = 1_000;

/** Opens the queue of this process; credits and pace are shared with all others through Postgres. */
export function createCreditQueue(options: CreditQueueOptions): CreditQueue {
  const { clock, runLimit, db, holders, accountId, pace } = options;
  const queue = new PQueue({ concurrency: options.concurrency });
  const grantFor = createGranting(options, createSharedHolds(options));
  const gate = createCallGate();

  async function send<T>(
    { signal, ...work }: PricedWork & Pick<Work, "signal">,
    call: (holdId: string) => Promise<Sent<T>>,
  ): Promise<T> {
    if (!runLimit.take(work.cost)) throw fail("run_limit_spent", { cost: work.cost, left: runLimit.left() });
    let charged = 0;
    try {
      const grant = await grantFor(work);
      let receipt: CallReceipt | null = unsentReceipt;
      try {
        const wait = grant.startsAt - clock.now();
        if (wait > 0) await clock.sleep(wait, signal);
        await gate.pass();
        if (clock.now() - grant.startsAt > lateMs && (await isDeclaredDead(db, holders.workerId)))
          throw fail("lease_expired");
        signal?.throwIfAborted();
        receipt = lostReceipt;
        charged = work.cost;
        const done = await call(grant.holdId);
        receipt = null;
        charged = done.charged;
        return done.result;
      } catch (error) {
        // a call that could not be recorded keeps its hold: once this process counts as dead, the call is recorded from the hold
        if (!(error instanceof StorehouseError)) receipt = receipt === lostReceipt ? null : receipt;
        else if (!mayBeCharged(error)) [receipt, charged] = [unsentReceipt, 0];
        throw error;
      } finally {
        if (receipt !== null)
          await settle(db, { accountId, settlements: [{ holdId: grant.holdId, receipt }], pace }, clock);
      }
    } finally {
      runLimit.settle(work.cost, charged);
    }
  }

  /** An abort ends waiting calls. A call that was sent runs to its end, since its answer is paid for, and keeps its slot until then. */
  async function run<T>(work: Work, call: (holdId: string) => Promise<Sent<T>>): Promise<T> {
    work.signal?.throwIfAborted();
    const waiting = new AbortController();
    const { signal } = work;
    const stay = signal === undefined ? () => undefined : whenAborted(signal, () => waiting.abort(signal.reason));
    const priority = creditClasses.length - spenders.indexOf(work.class);
    try {
      return await queue.add(
        () => {
          stay();
          return send({ ...work, cost: work.cost() }, call);
        },
        { priority, signal: waiting.signal },
      );
    } finally {
      stay();
    }
  }

  return { run, whileHeld: gate.whileHeld };
}
