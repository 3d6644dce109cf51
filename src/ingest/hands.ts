import { setImmediate as nextTurn } from "node:timers/promises";
import { fail, type StorehouseError } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import { isLostConnection, isPassing } from "../warehouse/database-errors.ts";
import { createNextSlices, lookEvery } from "./next-slices.ts";
import type { IngestParts } from "./parts.ts";
import { runSlice } from "./run-slice.ts";

/** Hands that run slices side by side. */
export type Hands = {
  /** Looks for work at once. */
  readonly wake: () => void;
  /** Resolves when nothing runs any more; to be called once everything was told to stop. What is under way after `patienceMs` is cut. */
  readonly stop: () => Promise<void>;
};

/** Slices are taken together once so large a share of the hands is free: a statement for each alone would cost as much as its rows. */
const freeShare = 4;

/**
 * Runs slices of this process's queue, `count` at a time at most, in their turn, until everything is to stop. Slices are claimed by the
 * chunk and none ahead of being run, so that a stop leaves little to give back. When the database stays away it stops everything itself.
 */
export function startHands(
  parts: IngestParts,
  { count, patienceMs }: { readonly count: number; readonly patienceMs: number },
): Hands {
  const { clock, halted } = parts;
  const cut = new AbortController();
  const inHands = new Map<string, Promise<void>>();
  const queue = createNextSlices(parts, () => [...inHands.keys()]);
  let awake = Promise.withResolvers<void>();
  let ended = Promise.withResolvers<void>();
  const wake = () => awake.resolve();
  halted.addEventListener("abort", wake, { once: true });

  function take(slice: Slice): void {
    const work = runSlice(parts, slice, cut.signal)
      .catch(letGo)
      .finally(() => {
        inHands.delete(slice.sliceId);
        ended.resolve();
      });
    inHands.set(slice.sliceId, work);
  }

  /** The end of a slice could not be written. What a lost database explains is given back; anything else would happen for ever. */
  function letGo(error: unknown): void {
    if (isLostConnection(error) || isPassing(error)) queue.lost();
    else parts.abort(broken(error));
  }

  function broken(error: unknown): StorehouseError {
    return fail("unexpected", { problem: parts.scrub(String(error)).slice(0, 300) }, error);
  }

  async function someEnd(most: number): Promise<void> {
    while (inHands.size > most) {
      ended = Promise.withResolvers();
      await ended.promise;
    }
  }

  async function idle(): Promise<void> {
    const waking = new AbortController();
    void awake.promise.then(() => waking.abort());
    await clock.sleep(lookEvery(parts.retryMs), waking.signal).catch(() => undefined);
    // a clock that does not wait would keep everything else from its turn
    await nextTurn();
  }

  async function feed(): Promise<void> {
    while (!halted.aborted) {
      const free = count - inHands.size;
      awake = Promise.withResolvers();
      const slices = await queue.claim(free);
      for (const slice of slices) take(slice);
      if (slices.length < free) await idle();
      else await someEnd(count - Math.ceil(count / freeShare));
    }
  }

  const feeding = feed().catch((error: unknown) =>
    parts.abort(isLostConnection(error) ? unreachable(error) : broken(error)),
  );
  return {
    wake,
    stop: async () => {
      const patience = AbortSignal.timeout(patienceMs);
      patience.addEventListener("abort", () => cut.abort(), { once: true });
      await feeding;
      await Promise.allSettled(inHands.values());
    },
  };
}

function unreachable(error: unknown): StorehouseError {
  return fail("database_unreachable", { problem: "the connection broke while slices were claimed" }, error);
}
