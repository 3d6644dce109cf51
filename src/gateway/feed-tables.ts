import { landedAnswer, type LandedAnswer } from "../archive/stored-answer.ts";
import { loadAnswers } from "../ingest/load-answers.ts";
import { operationById } from "../api/operations/all.ts";
import { cursorOfPage } from "../api/cursor-of-page.ts";
import { pageParams } from "../api/paging.ts";
import { callHashIn } from "../ingest/account-calls.ts";
import { datasets } from "../datasets/shared/all.ts";
import { hasHistory } from "../datasets/shared/define-dataset.ts";
import type { BudgetSubject } from "../core/credit-budget.ts";
import type { Day } from "../core/day.ts";
import { StorehouseError } from "../core/errors.ts";
import { readLaterAnswers, takeSlices } from "../ledger/imported-slices.ts";
import { dailyRun } from "../ledger/runs.ts";
import { startsOf } from "../planner/plan-stream.ts";
import { keepReplaysOut, tryKeepReplaysOut } from "../load/rebuild-lock.ts";
import { lockUntilCommit, withLocks } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";
import { isMissingPartition } from "../postgres/database-errors.ts";
import { giveToSlice, lastAnswerTo, unreadCalls, type StoredAnswer } from "../raw/answers-to.ts";
import { knownCalls, knownForMs, type KnownCall, type KnownCalls } from "./known-calls.ts";
import type { Call, GatewayParts } from "./gateway-parts.ts";
import { loggingDamage } from "./stored-answers.ts";

/** Loads the answers that callers paid for into tables. */
export type TableFeeder = {
  /** What a call is about, for budgets: the dataset that would make it and its app, or the app that it names. */
  readonly subjectOf: (call: Call) => Promise<BudgetSubject>;
  /** The dataset and slice that a call of a day answers; null if no dataset that is on would have made the call. */
  readonly find: (call: Call, day: CallDay) => Promise<KnownCall | null>;
  /**
   * Loads the answer to a call, once all of its pages are stored. Waits for a replay of its dataset until `signal` is aborted, and throws its
   * reason then.
   */
  readonly load: (found: KnownCall, day: CallDay, signal: AbortSignal) => Promise<void>;
  /** The same without waiting; false if a replay rebuilds the dataset. */
  readonly loadUnlessReplayed: (found: KnownCall, day: CallDay) => Promise<boolean>;
  /** Has the portfolio, and what plans are made from, read again. */
  readonly forget: () => void;
  /** The calls of a day whose answers are stored and not loaded. */
  readonly leftOver: (day: CallDay) => Promise<readonly Call[]>;
};

/** The day of a call, which may be over when its answer is loaded: for plans, and its start (epoch-ms). */
export type CallDay = { readonly today: Day; readonly start: number };

/** The operations that datasets read: answers to any other never become rows. */
const readOperations = [...new Set(datasets.flatMap(({ operations }) => operations.map(({ id }) => id)))];

/** Creates the feeder of a session. */
export function createTableFeeder(parts: GatewayParts): TableFeeder {
  const { ingest } = parts;
  let known: { readonly calls: Promise<KnownCalls>; readonly at: number; readonly today: string } | null = null;

  /** Reads the portfolio at most once at a time: calls that come meanwhile wait for the same reading. */
  function callsKnown(today: Day): Promise<KnownCalls> {
    const { clock, db } = ingest;
    const now = clock.now();
    if (known !== null && known.today === today && now - known.at < knownForMs) return known.calls;
    const reading = startsOf(db, { datasets: [], bounds: {}, today }, parts.app.config.settings);
    const own = { calls: reading.then((plannings) => knownCalls(plannings, today)), at: now, today };
    known = own;
    // the next call reads it again
    own.calls.catch(() => {
      if (known === own) known = null;
    });
    return own.calls;
  }

  async function load(found: KnownCall, day: CallDay, locks: Locks): Promise<void> {
    const stored = await storedPages(parts, found, day);
    const answer = await wholeAnswer(found, stored);
    if (answer === null) return;
    await loadInto(parts, found, { answer, stored, locks });
    // the portfolio, or a list that is planned from, has changed
    if (found.dataset.stage !== "market") known = null;
  }

  return {
    find: async (call, { today }) => (await callsKnown(today))(call),
    load: (found, day, signal) => load(found, day, { take: (db) => keepReplaysOut(db, [found.dataset.name]), signal }),
    loadUnlessReplayed: async (found, day) => {
      const take = async (db: Database) => {
        if ((await tryKeepReplaysOut(db, [found.dataset.name])).size > 0) throw new Replayed();
      };
      try {
        await load(found, day, { take });
        return true;
      } catch (error) {
        if (error instanceof Replayed) return false;
        throw error;
      }
    },
    forget: () => {
      known = null;
    },
    subjectOf: async (call) => {
      const found = (await callsKnown(ingest.clock.today()))(call);
      const { trackId } = call.params;
      const isNamed = typeof trackId === "string" || typeof trackId === "number";
      if (found === null) return { dataset: "", app: isNamed ? String(trackId) : null };
      return { dataset: found.dataset.name, app: found.slice.scope["app"] ?? null };
    },
    // an answer of an earlier day is not about this one
    leftOver: async ({ start }) =>
      (await unreadCalls(ingest.db, readOperations, start)).map(({ operation, params }) => ({
        operation: operationById(operation),
        params,
      })),
  };
}

/** Pages that came further apart may be of two states of the answer. */
const pagesWithinMs = 15 * 60_000;

/** The stored pages of a slice that belong to no slice yet, from the first up to a missing one, or one that came much earlier or later. */
async function storedPages(
  parts: GatewayParts,
  { dataset, slice }: KnownCall,
  { start }: CallDay,
): Promise<readonly StoredAnswer[]> {
  const operation = operationById(slice.operation);
  const pages: StoredAnswer[] = [];
  for (;;) {
    const index = pages.length;
    const before = pages.map(({ body }) => body);
    const params = { ...dataset.request(slice, index), ...pageParams(operation, cursorOfPage(operation, before)) };
    const callHash = callHashIn(parts.ingest.account, { operation, params }, start);
    const page = await lastAnswerTo(parts.ingest.db, callHash, {
      unreadOf: start,
      onDamaged: loggingDamage(parts),
    });
    // for calls without pages the next call may be the first again
    if (page === null || pages.some(({ answerId }) => answerId === page.answerId)) return pages;
    if (Math.abs(page.fetchedAt - (pages.at(-1)?.fetchedAt ?? page.fetchedAt)) > pagesWithinMs) return pages;
    pages.push(page);
  }
}

/** The answer made of the pages; null while one is missing, or if one cannot be read. */
async function wholeAnswer({ slice }: KnownCall, stored: readonly StoredAnswer[]): Promise<LandedAnswer | null> {
  try {
    return await landedAnswer({ ...slice, requests: 1 }, new Map(stored.entries()));
  } catch (error) {
    if (error instanceof StorehouseError) return null;
    throw error;
  }
}

/** Rolls a transaction back: another process was first. */
class Elsewhere extends Error {}
/** Rolls a transaction back: a replay rebuilds the dataset. */
class Replayed extends Error {}

/** How a load keeps replays of its dataset out. */
type Locks = Parameters<typeof withLocks>[1];

/** Loads an answer; does nothing if another process loads it, or is about to. */
async function loadInto(
  { ingest }: GatewayParts,
  { dataset, slice: draft }: KnownCall,
  {
    answer,
    stored,
    locks,
  }: { readonly answer: LandedAnswer; readonly stored: readonly StoredAnswer[]; readonly locks: Locks },
): Promise<void> {
  const { clock, db } = ingest;
  const pages = stored.slice(0, answer.pages.length);
  const take = async (transaction: Database) => {
    await locks.take(transaction);
    // if two processes load the same answer, the second finds it taken
    await lockUntilCommit(transaction, "raw import");
  };
  const load = () =>
    withLocks(db, { ...locks, take }, async (transaction) => {
      const runId = await dailyRun(transaction, {
        kind: "gateway",
        account: ingest.account,
        asOf: draft.asOf,
        now: clock.now(),
      });
      const [later = []] = await readLaterAnswers(transaction, [
        { draft, receivedAt: Math.max(...pages.map(({ fetchedAt }) => fetchedAt)), hasHistory: hasHistory(dataset) },
      ]);
      // the newest slice about a day decides about it
      if (later.length > 0) throw new Elsewhere();
      const priced = { ...draft, requests: pages.length, credits: pages.length * operationById(draft.operation).cost };
      const [slice] = await takeSlices(transaction, runId, [priced], { now: clock.now() });
      // null: a plan is about to fetch the same
      if (slice == null) throw new Elsewhere();
      const given = await giveToSlice(
        transaction,
        slice,
        pages.map(({ answerId }) => answerId),
      );
      if (given !== pages.length) throw new Elsewhere();
      await loadAnswers(transaction, ingest, [{ dataset, slice, fetched: answer.fetched }]);
    });
  try {
    await load().catch((error: unknown) => {
      if (!isMissingPartition(error)) throw error;
      // another process has dropped a month since; its partition is created again
      ingest.partitions.forget();
      return load();
    });
  } catch (error) {
    if (!(error instanceof Elsewhere)) throw error;
  }
}
