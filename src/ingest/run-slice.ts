import { AbortError, DeferError, fail, FencedError, RetryError, SkipError, StorehouseError } from "../core/errors.ts";
import { backoffMs } from "../core/retry.ts";
import type { Slice } from "../core/slice.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { isWholeList } from "../datasets/shared/define-dataset.ts";
import { dropRefused, endAttempt, failuresOf, redate, splitSlice, type Ending } from "../ledger/slices.ts";
import { isLostConnection, isMissingPartition, isPassing } from "../postgres/database-errors.ts";
import { pagesLandedBy } from "../raw/read-answers.ts";
import { coverAgain } from "../load/load.ts";
import { commitSlice, type Committed } from "./commit-slice.ts";
import { fetchSlice } from "./fetch-slice.ts";
import { retryDatabase } from "./retry-database.ts";
import type { IngestParts } from "./ingest-parts.ts";
import type { SliceLoad } from "./prepare-slice.ts";
import { stopCalls } from "./paid-call.ts";

/** A refusal for want of credits that names no reset is looked at again after this. */
const unknownResetMs = 60 * 60_000;
const longestWaitMs = 10 * 60_000;
/** A commit that met another worker's, or lost a race for a key, is right the next time. */
const commitTries = 4;
/**
 * The whole story of one claimed slice: reserve, fetch, land, normalise, load, record. Every end is written to the ledger; it throws
 * only when the ledger stays out of reach, and then the slice is still claimed by this process.
 */
export async function runSlice(parts: IngestParts, claimed: Slice, signal: AbortSignal): Promise<void> {
  let slice: Slice | null = claimed;
  await retryDatabase(parts, async () => {
    // what an outage left open is this process's own and can be claimed again
    slice ??= await parts.batched.claim(claimed.sliceId);
    if (slice === null) return;
    const held = slice;
    slice = null;
    await attempt(parts, held, signal);
  });
  await parts.at?.("before the end");
}

async function attempt(parts: IngestParts, claimed: Slice, signal: AbortSignal): Promise<void> {
  const today = parts.clock.today();
  const late = claimed.class === "snapshot" && claimed.asOf < today;
  const slice = late ? await redate(parts.db, claimed, today) : claimed;
  const from = parts.clock.now();
  try {
    const dataset = datasetNamed(slice.dataset);
    const load = await fetchSlice(parts, dataset, slice, { signal, patiently: (work) => patiently(parts, work) });
    const done = await patiently(parts, () => commitAnyhow(parts, load));
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
    await endBadly(parts, slice, known(parts, error, signal)).catch(async (fault: unknown) => {
      if (isLostConnection(fault)) throw fault;
      // what is broken for good would be tried again for ever, and the run would wait for it
      await end(parts, slice, { ...giveBack, state: "failed", error: told(parts, known(parts, fault, signal)) });
    });
  }
}

/** Commits a slice, also where another process dropped a month since this one last looked whether it is there. */
async function commitAnyhow(parts: IngestParts, load: SliceLoad): Promise<Committed> {
  try {
    return await commitSlice(parts, load);
  } catch (error) {
    if (!isMissingPartition(error)) throw error;
    await coverAgain(load.loads, parts.partitions);
    return commitSlice(parts, load);
  }
}

/** The answer is in hand and paid for: a database that comes back soon, or was busy with another's rows, gets it without asking again. */
async function patiently<T>(parts: IngestParts, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await retryDatabase(parts, work);
    } catch (error) {
      if (tries === commitTries || !isPassing(error)) throw error;
    }
  }
}

/** Any error as one of ours. What nobody foresaw fails the slice: asking again would cost credits and break again. */
function known(parts: IngestParts, error: unknown, signal: AbortSignal): StorehouseError {
  if (error instanceof StorehouseError) return error;
  if (signal.aborted || parts.halted.aborted) return fail("stopped");
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return fail("unexpected", { problem: parts.scrub(text).slice(0, 300) }, error);
}

async function endBadly(parts: IngestParts, slice: Slice, error: StorehouseError): Promise<void> {
  stopCalls(parts, slice, error);
  // to be told to stop, to wait for credits, or that there is nothing, is no trouble; a refusal of all is told once and not by each
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
    if (error.code === "stopped") await end(parts, slice, { ...giveBack, error: null });
    return;
  }
  if (error instanceof AbortError) {
    await end(parts, slice, { ...giveBack, error: told(parts, error) });
    return;
  }
  // a call that names no items is refused for none of them
  const named = !isWholeList(datasetNamed(slice.dataset), slice);
  if (named && error instanceof SkipError && error.code === "bad_request" && (slice.items?.length ?? 0) > 1) {
    await parts.db.transaction().execute((transaction) => splitSlice(transaction, slice, parts.clock.now()));
    return;
  }
  await end(parts, slice, await endingOf(parts, slice, error));
  if (named && error instanceof SkipError && refusals.has(error.code)) await dropRefused(parts.db, slice);
}

/** Errors that are about what was asked for, whenever it is asked. */
const refusals: ReadonlySet<string> = new Set(["bad_request", "not_encodable"]);

const giveBack = {
  state: "pending",
  error: null,
  dueAt: null,
  counts: false,
  rowsLoaded: 0,
  rowsRejected: 0,
} as const satisfies Ending;

async function endingOf(parts: IngestParts, slice: Slice, error: StorehouseError): Promise<Ending> {
  const ending = { ...giveBack, error: told(parts, error) };
  const now = parts.clock.now();
  if (error instanceof DeferError)
    return {
      ...ending,
      state: "deferred",
      dueAt: error.code === "budget_spent" ? null : (error.until ?? now + unknownResetMs),
    };
  if (error instanceof SkipError) return { ...ending, state: error.leaves };
  if (!(error instanceof RetryError)) return { ...ending, state: "failed" };
  const failures = (await failuresOf(parts.db, slice)) + 1;
  // of many pages one after the other may break: only an attempt that brought none counts
  if (await broughtPages(parts, slice, error))
    return { ...ending, dueAt: now + waitAfter(parts.retryMs, 1, Number(slice.sliceId)) };
  if (failures >= error.attempts) return { ...ending, state: "failed", counts: true };
  return { ...ending, dueAt: now + waitAfter(parts.retryMs, failures, Number(slice.sliceId)), counts: true };
}

/** Errors of an answer that was landed before it was read: it is no page that the next attempt can use. */
const spoilt: ReadonlySet<string> = new Set(["not_json", "success_false"]);

async function broughtPages(parts: IngestParts, slice: Slice, { code }: StorehouseError): Promise<boolean> {
  return (await pagesLandedBy(parts.db, slice)) > (spoilt.has(code) ? 1 : 0);
}

/** Doubles with each failure; spread by the slice's number, so that slices that failed together do not come back together. */
function waitAfter(firstMs: number, failures: number, seed: number): number {
  const spread = 0.75 + ((seed * 7919) % 100) / 200;
  return Math.min(longestWaitMs, backoffMs({ firstMs }, failures) * spread);
}

async function end(parts: IngestParts, slice: Slice, ending: Ending): Promise<void> {
  await endAttempt(parts.db, slice, ending, parts.clock.now());
}

function told(parts: IngestParts, error: StorehouseError): { code: string; message: string } {
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
