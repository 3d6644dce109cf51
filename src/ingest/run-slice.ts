import { dayOf } from "../core/day.ts";
import {
  AbortError,
  DeferError,
  fail,
  FencedError,
  RetryError,
  SkipError,
  StorehouseError,
  unexpected,
} from "../core/errors.ts";
import { nextTryAt } from "../core/later-tries.ts";
import { backoffMs } from "../core/retry.ts";
import type { Slice } from "../core/slice.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { isWholeList } from "../datasets/shared/define-dataset.ts";
import { refusalCodes } from "../ledger/refused-items.ts";
import { dropRefused, endAttempt, failuresOf, type Ending } from "../ledger/slices.ts";
import { isLostConnection, isMissingPartition, isPassing } from "../postgres/database-errors.ts";
import { pagesLandedBy } from "../raw/read-answers.ts";
import { coverAgain } from "../load/load.ts";
import { commitSlice, type Committed } from "./commit-slice.ts";
import { fetchSlice } from "./fetch-slice.ts";
import { searchRefused } from "./search-refused.ts";
import { retryDatabase } from "./retry-database.ts";
import type { IngestParts } from "./ingest-parts.ts";
import type { SliceLoad } from "./prepare-slice.ts";
import { asOfToday } from "./as-of-today.ts";
import { type CallSignals, stopCalls } from "./paid-call.ts";

/** A slice that lacks credits and whose reset is unknown is tried again after this. */
const unknownResetMs = 60 * 60_000;
const longestWaitMs = 10 * 60_000;
/**
 * A refused slice that waits for another one of its scope to find the bad item is woken by that one. Where nothing is found it is tried again
 * after the wait that follows so many failures.
 */
const searchWaits = 5;
/** A commit that met another worker's, or lost a race for a key, succeeds at the next try. */
const commitTries = 4;

/*
 * The story of one slice, step by step, and the crash point after each (see crash-point.ts):
 *
 *   claim        the slice runner claims it; the attempt number fences every later step        slice-runner.ts
 *   reserve      the credit queue holds what each page may cost                                paid-call.ts
 *   send         the client sends the page's request                     "after answer"        paid-call.ts
 *   land         the answer is committed before its body is read         "after landing"       paid-call.ts
 *   unchanged    what is loaded already ends here                        "after commit"        fetch-slice.ts
 *   read         body -> checked value, invalid items, drift, more pages                       read-pages.ts
 *   normalise    value -> rows of each table, with their keys and months                       prepare-slice.ts
 *   load         rows, rejects and drift are written                     "in the load"         commit-group.ts
 *   record       with them, in the same transaction, the slice's state   "after commit"        commit-slice.ts
 *
 * A process that dies before "after landing" pays for one page again; one that dies after it reads the stored page at the next attempt.
 * Slices that run at the same time share statements and transactions (batched-steps.ts). An attempt that fails ends here: back to
 * pending with a wait, deferred to the reset, split in halves, or in a final state.
 */

/**
 * Runs one claimed slice to the end of its attempt. Every end is written to the ledger; it throws only when the database stays
 * unreachable, and then the slice is still claimed by this process.
 */
export async function runSlice(parts: IngestParts, claimed: Slice, signals: CallSignals): Promise<void> {
  let slice: Slice | null = claimed;
  await retryDatabase(parts, async () => {
    // after an outage of the database the slice is still this process's and is claimed again
    slice ??= await claimAgain(parts, claimed);
    if (slice === null) return;
    const held = slice;
    slice = null;
    await attempt(parts, held, signals);
  });
  await parts.at?.("before the end");
}

function claimAgain({ claimedSlices, batched }: IngestParts, { sliceId }: Slice): Promise<Slice | null> {
  claimedSlices.start(sliceId);
  return batched.claim(sliceId);
}

async function attempt(parts: IngestParts, claimed: Slice, signals: CallSignals): Promise<void> {
  const today = parts.clock.today();
  const slice = claimed.asOf < today ? await asOfToday(parts, claimed, today) : claimed;
  const from = parts.clock.now();
  try {
    const dataset = datasetNamed(slice.dataset);
    const fetched = await fetchSlice(parts, dataset, slice, { signals, retryWork: (work) => retryWork(parts, work) });
    const done = await committed(parts, fetched);
    // one a slice: a night has thousands
    parts.log.debug(
      {
        ...fieldsOf(slice),
        state: done.state,
        rows: done.rows,
        rejects: done.rejects,
        duration_ms: parts.clock.now() - from,
      },
      "slice.ended",
    );
  } catch (error) {
    if (isLostConnection(error)) throw error;
    await failAttempt(parts, slice, knownError(parts, error, signals)).catch(async (fault: unknown) => {
      if (isLostConnection(fault)) throw fault;
      // otherwise the slice would be tried for ever, and its run would wait for it
      await end(parts, slice, {
        ...release,
        state: "failed",
        error: storedError(parts, knownError(parts, fault, signals)),
      });
    });
  }
}

/** Commits what is not committed yet. */
async function committed(parts: IngestParts, fetched: Awaited<ReturnType<typeof fetchSlice>>): Promise<Committed> {
  if (!("unchangedRows" in fetched)) return retryWork(parts, () => commitWithMonths(parts, fetched));
  await parts.at?.("after commit");
  return { state: "loaded", rows: fetched.unchangedRows, rejects: 0 };
}

/** Commits a slice; a month that another process dropped since the slice was prepared is made again. */
async function commitWithMonths(parts: IngestParts, load: SliceLoad): Promise<Committed> {
  try {
    return await commitSlice(parts, load);
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    await coverAgain(load.loads, parts.partitions);
    return commitSlice(parts, load);
  }
}

/** Retries work on an answer that is paid for, while the database restarts or is busy with another's rows, so that nothing is requested twice. */
async function retryWork<T>(parts: IngestParts, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await retryDatabase(parts, work);
    } catch (error) {
      if (tries === commitTries || !isPassing(error)) throw error;
    }
  }
}

/** Any error as one of ours. An unforeseen one fails the slice: another request would cost credits and break again. */
function knownError(parts: IngestParts, error: unknown, { unsent }: CallSignals): StorehouseError {
  if (error instanceof StorehouseError) return error;
  if (unsent.aborted) return fail("stopped");
  return unexpected(error, parts.scrub);
}

async function failAttempt(parts: IngestParts, slice: Slice, error: StorehouseError): Promise<void> {
  stopCalls(parts, slice, error);
  // a stop, a wait for credits and an answer without data are no trouble; a refusal of the account is logged once and not by each slice
  const quiet =
    error instanceof FencedError ||
    error instanceof DeferError ||
    error instanceof AbortError ||
    (error instanceof SkipError && error.leaves !== "failed");
  const level = quiet ? "debug" : "warn";
  parts.log[level](
    { ...fieldsOf(slice), code: error.code, problem: parts.scrub(error.message) },
    "slice.attempt_failed",
  );
  if (error instanceof FencedError) {
    if (error.code === "stopped") await end(parts, slice, { ...release, error: null });
    return;
  }
  if (error instanceof AbortError) {
    await end(parts, slice, { ...release, error: storedError(parts, error) });
    return;
  }
  // a call that names no items is not refused because of one of them
  const named = !isWholeList(datasetNamed(slice.dataset), slice);
  if (named && error instanceof SkipError && error.code === "bad_request" && (slice.items?.length ?? 0) > 1) {
    if (await searchRefused(parts.db, slice, parts.clock.now())) return;
    const dueAt = parts.clock.now() + waitAfter(parts.retryMs, searchWaits, Number(slice.sliceId));
    await end(parts, slice, { ...release, error: storedError(parts, error), dueAt });
    return;
  }
  await end(parts, slice, await endingOf(parts, slice, error));
  if (named && error instanceof SkipError && refusalCodes.includes(error.code)) await dropRefused(parts.db, slice);
}

/** The end of an attempt that does not count: the slice is pending again. */
const release = {
  state: "pending",
  error: null,
  dueAt: null,
  counts: false,
  rowsLoaded: 0,
  rowsRejected: 0,
} as const satisfies Ending;

async function endingOf(parts: IngestParts, slice: Slice, error: StorehouseError): Promise<Ending> {
  const ending = { ...release, error: storedError(parts, error) };
  const now = parts.clock.now();
  if (error instanceof DeferError)
    return {
      ...ending,
      state: "deferred",
      dueAt: limits.has(error.code) ? null : (error.until ?? now + unknownResetMs),
    };
  if (error instanceof SkipError && error.leaves !== "failed")
    // a call that names no items says nothing of each of them: they are requested by name
    return { ...ending, state: isWholeList(datasetNamed(slice.dataset), slice) ? "skipped" : error.leaves };
  const failures = (await failuresOf(parts.db, slice)) + 1;
  const later = laterTry(slice, error, { failures, now });
  const failed = { ...ending, state: "failed", counts: true, dueAt: later } as const;
  if (!(error instanceof RetryError)) return failed;
  // of many pages one after the other may fail: only an attempt that landed none counts
  if (await hasLandedPages(parts, slice, error))
    return { ...ending, dueAt: now + waitAfter(parts.retryMs, 1, Number(slice.sliceId)) };
  if (failures >= error.attempts) return failed;
  return { ...ending, dueAt: now + waitAfter(parts.retryMs, failures, Number(slice.sliceId)), counts: true };
}

/** When a slice that failed is requested again, in epoch-ms; null for never. The next day's snapshot is another one, and is planned as such. */
function laterTry(slice: Slice, { code }: StorehouseError, { failures, now }: { failures: number; now: number }) {
  const next = nextTryAt({ code, failures, endedAt: now });
  return next !== null && slice.class === "snapshot" && dayOf(next) > dayOf(now) ? null : next;
}

/** Limits that no reset lifts. */
const limits: ReadonlySet<string> = new Set(["budget_spent", "plan_spent"]);

/** Errors of an answer that was landed before it was read: the next attempt cannot use that page. */
const unusable: ReadonlySet<string> = new Set(["not_json", "not_utf8", "success_false"]);

async function hasLandedPages(parts: IngestParts, slice: Slice, { code }: StorehouseError): Promise<boolean> {
  return (await pagesLandedBy(parts.db, slice)) > (unusable.has(code) ? 1 : 0);
}

/** The wait doubles with each failure; the slice's number varies it, so that slices that failed together are not tried together again. */
function waitAfter(firstMs: number, failures: number, seed: number): number {
  const spread = 0.75 + ((seed * 7919) % 100) / 200;
  return Math.min(longestWaitMs, backoffMs({ firstMs }, failures) * spread);
}

async function end(parts: IngestParts, slice: Slice, ending: Ending): Promise<void> {
  await endAttempt(parts.db, slice, ending, parts.clock.now());
}

function storedError(parts: IngestParts, error: StorehouseError): { code: string; message: string } {
  return { code: error.code, message: parts.scrub(error.message) };
}

function fieldsOf(slice: Slice) {
  return {
    dataset: slice.dataset,
    scope: slice.scope,
    window_start: slice.window.start,
    window_end: slice.window.end,
    slice_id: slice.sliceId,
    attempt: slice.attempt,
  };
}
