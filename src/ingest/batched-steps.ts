import { createBatcher } from "../core/batcher.ts";
import type { Clock } from "../core/clock.ts";
import { hourMs } from "../core/day.ts";
import { scopeKey, type Slice } from "../core/slice.ts";
import { learnCosts, type Charge } from "../credits/costs.ts";
import { canShareStatement, settleAfter, type Settlement } from "../credits/holds.ts";
import { isAvoidable } from "../datasets/shared/all.ts";
import { claimAll, type Taker } from "../ledger/queue.ts";
import { type AnsweredAttempt, endUnchanged } from "../ledger/unchanged-answers.ts";
import { isLostConnection } from "../postgres/database-errors.ts";
import type { Database } from "../postgres/database.ts";
import type { Dimensions } from "../load/dimensions.ts";
import { landAll, storing, type Landing } from "../raw/store-answers.ts";
import type { AlsoAnsweredParts } from "./also-answered.ts";
import { type CommitEnd, commitGroup, type GroupMember } from "./commit-group.ts";
import type { CrashHook } from "./crash-point.ts";
import type { ClaimedSlices } from "./claimed-slices.ts";

/**
 * Steps that concurrent slices take together, in one statement or transaction: a round trip costs as much as a hundred rows. Each caller
 * waits for its own part and gets its own result or error.
 */
export type BatchedSteps = {
  /** Starts an attempt; null when the slice is done, not due, or in another queue. */
  readonly claim: (sliceId: string) => Promise<Slice | null>;
  /** Commits a request and its answer, together with the settlement of its hold. */
  readonly land: (call: LandedCall) => Promise<void>;
  /** Records what a call was charged. */
  readonly learn: (charge: Charge, slice: Slice | undefined) => Promise<void>;
  /** Ends a slice if its answer is loaded already. Returns how many rows it has, or null if the answer must be loaded. */
  readonly endUnchanged: (attempt: AnsweredAttempt) => Promise<number | null>;
  /** Commits the rows and the outcome of a slice, unless another attempt has taken it over or a replay rebuilds its dataset. */
  readonly commit: (member: GroupMember) => Promise<CommitEnd>;
};

/** A request as it is committed; `settlement` is null if its hold is settled separately, or if it has none. */
type LandedCall = { readonly landing: Landing; readonly settlement: Settlement | null };

type BatchParts = Taker & {
  readonly db: Database;
  readonly dimensions: Dimensions;
  readonly clock: Clock;
  readonly claimedSlices: ClaimedSlices;
  readonly accountId: string;
  /** Requests per second that the pace of the account may recover to. */
  readonly pace: number;
  readonly crashPoint?: CrashHook | undefined;
  readonly alsoAnswered: AlsoAnsweredParts;
};

/** A statement for a hundred callers is short enough for those that wait for the next one. */
const mostAtOnce = 100;
/** Statements of 5,000 to 10,000 rows load fastest. */
const enoughRows = 5_000;
const mostRows = 10_000;
/**
 * A group that is not full waits for slices that are being fetched; they do not wait for it. It waits as long as this many answers take at
 * the pace of the service, so that one commit serves several. Faster answers fill a group sooner.
 */
const awaitedAnswers = 9;
const longestLingerMs = 3_000;
const shortestLingerMs = 100;
/** A price that has not changed is written again after this long: the ledger shows to the hour when an operation last answered. */
const learnAgainMs = hourMs;
/** An answer without rows takes up a place in its group too. */
const leastWeight = mostRows / mostAtOnce;
/** Two keep Postgres busy while this process prepares the next rows; more would only share the same processors. */
const mostLanes = 2;

/** Opens the batched steps of a process. */
export function createBatchedSteps(parts: BatchParts): BatchedSteps {
  const { db, clock, queueId, workerId } = parts;
  const statement = { most: mostAtOnce, failsAll: isLostConnection };
  return {
    claim: createBatcher({
      ...statement,
      flush: async (sliceIds: readonly string[]) => {
        const claimed = await claimAll(db, sliceIds, { queueId, workerId }, clock.now());
        return sliceIds.map((sliceId) => claimed.get(sliceId) ?? null);
      },
    }),
    land: createBatcher({
      ...statement,
      alike: canLandTogether,
      flush: async (calls: readonly LandedCall[]) => {
        await landCalls(parts, calls);
        return calls.map(() => undefined);
      },
    }),
    learn: learnWhenNew(parts),
    ...commits(parts),
  };
}

function canLandTogether(a: LandedCall, b: LandedCall): boolean {
  if (a.settlement === null || b.settlement === null) return a.settlement === b.settlement;
  // a repeat settles nothing if its first try did, so it has a separate statement
  return a.landing.isRepeat !== true && b.landing.isRepeat !== true && canShareStatement(a.settlement, b.settlement);
}

async function landCalls({ db, accountId, pace, clock }: BatchParts, calls: readonly LandedCall[]): Promise<void> {
  const landings = calls.map(({ landing }) => landing);
  const settlements = calls.flatMap(({ settlement }) => settlement ?? []);
  if (settlements.length === 0) await landAll(db, landings);
  else await settleAfter(await storing(landings), { accountId, settlements, pace }, clock).execute(db);
}

/** Writes a charge until it is the learned price, and then once an hour. */
function learnWhenNew({ db, clock }: BatchParts): BatchedSteps["learn"] {
  const written = new Map<string, { readonly learned: number; readonly at: number }>();
  const write = createBatcher({
    most: mostAtOnce,
    failsAll: isLostConnection,
    flush: async (charges: readonly Charge[]) => {
      const learned = await learnCosts(db, charges, clock);
      for (const [operation, price] of learned) written.set(operation, { learned: price, at: clock.now() });
      return charges.map(() => undefined);
    },
  });
  return async (charge, slice) => {
    const last = written.get(charge.operation.id);
    if (last?.learned !== charge.charged || clock.now() - last.at >= learnAgainMs)
      await write({ ...charge, isAvoidable: isAvoidable(slice) });
  };
}

/**
 * Groups commit in parallel lanes, so that rows are prepared while others are written. Slices of one scope use one lane: two answers with
 * the same rows do not wait for each other's locks, and the later one sees what the earlier one wrote. An unchanged answer has only an
 * outcome to write and needs no transaction.
 */
function commits(parts: BatchParts): Pick<BatchedSteps, "commit" | "endUnchanged"> {
  const { db, clock, claimedSlices } = parts;
  const awaitedMs = (awaitedAnswers / parts.pace) * 1000;
  const group = {
    most: mostRows,
    weigh: ({ load }: Pick<GroupMember, "load">) => Math.max(load.rows, leastWeight),
    failsAll: isLostConnection,
    linger: {
      longestMs: Math.min(longestLingerMs, Math.max(shortestLingerMs, awaitedMs)),
      isEnough: (rows: number) => rows >= enoughRows || claimedSlices.coming() === 0,
    },
  };
  const unchanged = createBatcher({
    ...group,
    weigh: () => leastWeight,
    flush: async (attempts: readonly AnsweredAttempt[]) => {
      const ended = await endUnchanged(db, attempts, clock.now());
      return attempts.map(({ slice }) => ended.get(slice.sliceId) ?? null);
    },
  });
  // while a group waits for answers, Postgres is idle, and two lanes would only halve the groups
  const lanes = Array.from({ length: awaitedMs > shortestLingerMs ? 1 : mostLanes }, () =>
    createBatcher({ ...group, flush: (members: readonly GroupMember[]) => commitGroup(parts, members) }),
  );
  return {
    commit: (member) => {
      const { slice, rows } = member.load;
      claimedSlices.ready(slice.sliceId, rows);
      return (lanes[laneOf(slice, lanes.length)] as (typeof lanes)[number])(member);
    },
    endUnchanged: async (attempt) => {
      claimedSlices.ready(attempt.slice.sliceId, 0);
      const rows = await unchanged(attempt);
      // its answer must be loaded after all
      if (rows === null) claimedSlices.start(attempt.slice.sliceId);
      return rows;
    },
  };
}

function laneOf({ scope }: Slice, count: number): number {
  let sum = 0;
  for (const char of scopeKey(scope)) sum = (sum * 31 + char.charCodeAt(0)) % 1_000_003;
  return sum % count;
}
