import { daysBetween, type Day } from "../core/day.ts";
import { creditClasses, type SliceDraft } from "../core/slice.ts";
import { subjectOf, type RefusedLately } from "../credits/account-stop.ts";
import { firstStoreOpened } from "../core/store.ts";
import { classesApart, refusedApart } from "../ledger/queue-turn.ts";
import type { PlanChunk } from "./plan-stream.ts";

/** What a limit of credits leaves out of a plan, and `cut`, which removes it from the whole plan, or from one part after the other. */
export type LimitCut = {
  readonly cut: (plan: AsyncIterable<PlanChunk>) => AsyncIterable<PlanChunk>;
  readonly leftOut: { readonly slices: number; readonly credits: number };
};

/**
 * Slices of a `refused` operation come after all others, and last those of a refused organisation or app, as in the queue: otherwise the
 * limit would pay for slices that are not answered.
 */
type Limit = {
  readonly mostCredits: number;
  readonly newestFirst: boolean;
  readonly refused?: RefusedLately;
  /** Adds to a part of the plan what its turns depend on and the plan lacks. */
  readonly completed?: (chunk: PlanChunk) => Promise<PlanChunk>;
};

type TurnOf = (slice: SliceDraft) => number;

/**
 * Goes through a plan and finds the part that a limit pays for: slices by class and day until it is full; one that no longer fits is
 * skipped, and cheaper ones after it may fit. Only sums by day are kept until the plan is gone through again to be cut: slices
 * that are new then are left out. `naiveCredits` of a chunk stay those of the whole chunk. Without a limit nothing is
 * cut.
 */
export async function limitCut(
  plan: () => AsyncIterable<PlanChunk>,
  { mostCredits, newestFirst, refused = new Map(), completed = (chunk) => Promise.resolve(chunk) }: Limit,
): Promise<LimitCut> {
  const turnOf: TurnOf = (slice) => turnIn(slice, newestFirst) + refusedRank(slice, refused) * refusedApart;
  if (mostCredits === Number.POSITIVE_INFINITY) return { cut: (all) => all, leftOut: { slices: 0, credits: 0 } };
  const counts = new Map<number, Map<number, number>>();
  for await (const chunk of plan()) {
    for (const slice of (await completed(chunk)).slices) {
      const turn = turnOf(slice);
      const prices = counts.get(turn) ?? new Map<number, number>();
      counts.set(turn, prices.set(slice.credits, (prices.get(slice.credits) ?? 0) + 1));
    }
  }
  const { quotas, leftOut } = fill(counts, mostCredits);
  return { cut: (all) => paidOf(all, quotas, { turnOf, completed }), leftOut };
}

type Quotas = ReadonlyMap<number, Map<number, number>>;

/** How many slices of each turn and price the limit pays for; the cheap ones of a turn first, since more of them fit. */
function fill(counts: Quotas, mostCredits: number) {
  const quotas = new Map<number, Map<number, number>>();
  const leftOut = { slices: 0, credits: 0 };
  let left = mostCredits;
  for (const [turn, prices] of [...counts].sort(([a], [b]) => a - b)) {
    const quota = new Map<number, number>();
    for (const [price, count] of [...prices].sort(([a], [b]) => a - b)) {
      const taken = price === 0 ? count : Math.min(count, Math.floor(left / price));
      quota.set(price, taken);
      left -= taken * price;
      leftOut.slices += count - taken;
      leftOut.credits += (count - taken) * price;
    }
    quotas.set(turn, quota);
  }
  return { quotas, leftOut };
}

async function* paidOf(
  plan: AsyncIterable<PlanChunk>,
  quotas: Quotas,
  { turnOf, completed }: { readonly turnOf: TurnOf; readonly completed: NonNullable<Limit["completed"]> },
): AsyncGenerator<PlanChunk> {
  for await (const planned of plan) {
    const chunk = await completed(planned);
    const slices = chunk.slices.filter((slice) => {
      const quota = quotas.get(turnOf(slice));
      const left = quota?.get(slice.credits) ?? 0;
      if (left > 0) quota?.set(slice.credits, left - 1);
      return left > 0;
    });
    if (slices.length > 0) yield { ...chunk, slices };
  }
}

/**
 * The same order as in the queue (queue-turn.ts), lower first: class, then day; for snapshots the last day on which they can be requested,
 * then the one requested longest ago. Otherwise the same snapshots would be left out each night.
 */
function turnIn({ class: name, window, lastDay, lastRequested }: SliceDraft, newestFirst: boolean): number {
  const day = (of: Day) => daysBetween(firstStoreOpened, of);
  const waits = lastRequested === undefined ? 0 : day(lastRequested) / classesApart;
  const within =
    name === "snapshot" ? day(lastDay ?? window.start) + waits : newestFirst ? -day(window.end) : day(window.start);
  return creditClasses.indexOf(name) * classesApart + within;
}

/** A plan without the slices of operations that were refused lately. */
export async function* withoutRefused(
  plan: AsyncIterable<PlanChunk>,
  refused: RefusedLately,
): AsyncGenerator<PlanChunk> {
  for await (const chunk of plan) {
    const slices = chunk.slices.filter((slice) => refusedRank(slice, refused) === 0);
    if (slices.length === 0) continue;
    yield { ...chunk, slices, naiveCredits: (chunk.naiveCredits * slices.length) / chunk.slices.length };
  }
}

/** 1 for a slice of a refused operation, 2 if its own organisation or app was refused, 0 for others. */
function refusedRank({ operation, scope }: SliceDraft, refused: RefusedLately): number {
  const subjects = refused.get(operation);
  return subjects === undefined ? 0 : subjects.has(subjectOf(scope)) ? 2 : 1;
}
