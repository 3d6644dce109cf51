import { landedAnswer, type LandedAnswer } from "../archive/stored-answer.ts";
import { loadAnswers } from "../ingest/load-answers.ts";
import { operationById } from "../api/operations/all.ts";
import { pageParams } from "../api/paging.ts";
import { questionIn } from "../ingest/account-calls.ts";
import type { BudgetSubject } from "../core/credit-budget.ts";
import { dayOf } from "../core/day.ts";
import { StorehouseError } from "../core/errors.ts";
import { takeSlices } from "../ledger/imported-slices.ts";
import { dailyRun } from "../ledger/runs.ts";
import { startsOf } from "../planner/plan-stream.ts";
import { lockUntilCommit } from "../postgres/advisory-lock.ts";
import { isMissingPartition } from "../postgres/database-errors.ts";
import { giveToSlice, lastAnswerTo, unreadCalls, type StoredAnswer } from "../raw/answers-to.ts";
import { knownCalls, type KnownCall, type KnownCalls } from "./known-calls.ts";
import type { Call, GatewayParts } from "./gateway-parts.ts";
import { loggingDamage } from "./stored-answers.ts";

/** Loads the answers that callers paid for into tables. */
export type TableFeeder = {
  /** What a call is about, for budgets: the dataset that would make it and its app, or the app that it names. */
  readonly subjectOf: (call: Call) => Promise<BudgetSubject>;
  /**
   * Loads the answer to a call, once all of its pages are stored, if a dataset that is on would have made the call. True if it was loaded.
   */
  readonly feed: (call: Call) => Promise<boolean>;
  /** Loads today's answers that a killed gateway left unloaded. */
  readonly feedLeftOver: () => Promise<void>;
};

/** The portfolio is read again after this long. */
const knownForMs = 60_000;

/** Creates the feeder of a session. */
export function createTableFeeder(parts: GatewayParts): TableFeeder {
  const { ingest } = parts;
  let known: { readonly calls: KnownCalls; readonly at: number; readonly today: string } | null = null;

  async function callsKnown(): Promise<KnownCalls> {
    const { clock, db } = ingest;
    const [today, now] = [clock.today(), clock.now()];
    if (known !== null && known.today === today && now - known.at < knownForMs) return known.calls;
    const plannings = await startsOf(db, { datasets: [], bounds: {}, today }, parts.app.config.settings);
    known = { calls: knownCalls(plannings, today), at: now, today };
    return known.calls;
  }

  async function feed(call: Call): Promise<boolean> {
    const found = (await callsKnown())(call);
    if (found === null) return false;
    const stored = await storedPages(parts, found);
    const answer = await wholeAnswer(found, stored);
    if (answer === null || !(await loadInto(parts, found, { answer, stored }))) return false;
    // the portfolio, or a list that is planned from, has changed
    if (found.dataset.stage !== "market") known = null;
    return true;
  }

  return {
    feed,
    subjectOf: async (call) => {
      const found = (await callsKnown())(call);
      const { trackId } = call.params;
      const isNamed = typeof trackId === "string" || typeof trackId === "number";
      if (found === null) return { dataset: "", app: isNamed ? String(trackId) : null };
      return { dataset: found.dataset.name, app: found.slice.scope["app"] ?? null };
    },
    feedLeftOver: async () => {
      for (const { operation, params } of await unreadCalls(ingest.db, startOfDay(parts)))
        await feed({ operation: operationById(operation), params });
    },
  };
}

/** An answer of an earlier day is not about today. */
function startOfDay({ ingest }: GatewayParts): number {
  return Date.parse(dayOf(ingest.clock.now()));
}

/** The stored pages of a slice that belong to no slice yet, from the first up to a missing one. */
async function storedPages(parts: GatewayParts, { dataset, slice }: KnownCall): Promise<readonly StoredAnswer[]> {
  const operation = operationById(slice.operation);
  const pages: StoredAnswer[] = [];
  for (;;) {
    const index = pages.length;
    const params = { ...dataset.request(slice, index), ...pageParams(operation, index) };
    const question = questionIn(parts.ingest.account, operation, params);
    const page = await lastAnswerTo(parts.ingest.db, question, {
      unreadSince: startOfDay(parts),
      onDamaged: loggingDamage(parts),
    });
    // for calls without pages the next call may be the first again
    if (page === null || pages.some(({ answerId }) => answerId === page.answerId)) return pages;
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

async function loadInto(
  { ingest }: GatewayParts,
  { dataset, slice: draft }: KnownCall,
  { answer, stored }: { readonly answer: LandedAnswer; readonly stored: readonly StoredAnswer[] },
): Promise<boolean> {
  const { clock, db } = ingest;
  const pages = stored.slice(0, answer.pages.length);
  const load = () =>
    db.transaction().execute(async (transaction) => {
      // if two processes load the same answer, the second finds it taken
      await lockUntilCommit(transaction, "raw import");
      const runId = await dailyRun(transaction, {
        kind: "gateway",
        account: ingest.account,
        asOf: clock.today(),
        now: clock.now(),
      });
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
    return true;
  } catch (error) {
    if (error instanceof Elsewhere) return false;
    throw error;
  }
}
