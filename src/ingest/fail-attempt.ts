import { addDays, dayOf, hourMs, startOfDay } from "../core/day.ts";
import {
  AbortError,
  DeferError,
  FencedError,
  RetryError,
  SkipError,
  type StorehouseError,
  unreadableCodes,
} from "../core/errors.ts";
import { nextTryAt } from "../core/retry-times.ts";
import { backoffMs } from "../core/retry.ts";
import type { Slice } from "../core/slice.ts";
import { limitSpentCodes } from "../core/waiting-codes.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { isWholeList } from "../datasets/shared/define-dataset.ts";
import { releaseStopped } from "../ledger/amend-slices.ts";
import { mayBeBack } from "../ledger/may-be-back.ts";
import { refusalCodes } from "../ledger/refused-items.ts";
import { dropRefused, endAttempt, failuresOf, type Ending } from "../ledger/slices.ts";
import { pagesLandedBy } from "../raw/read-answers.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { stopCalls } from "./paid-call.ts";
import { searchRefused } from "./search-refused.ts";

/** A slice that lacks credits and whose reset is unknown is tried again after this. */
const unknownResetMs = hourMs;
const longestWaitMs = 10 * 60_000;
/**
 * A refused slice that waits for another one of its scope to find the bad item is woken by that one. If no bad item is found, it is tried
 * again after the wait that follows this many failures.
 */
const searchWaits = 5;

/** Ends a failed attempt: the error decides what becomes of its slice. */
export async function failAttempt(parts: IngestParts, slice: Slice, error: StorehouseError): Promise<void> {
  stopCalls(parts, slice, error);
  const mayPass = error instanceof SkipError && (await mayBeBack(parts.db, slice, error.code));
  // a stop, a wait for credits and an answer without data are not failures; a refusal of the account is logged once, not for each slice
  const quiet =
    error instanceof FencedError ||
    error instanceof DeferError ||
    error instanceof AbortError ||
    (error instanceof SkipError && error.leaves !== "failed" && !mayPass);
  const level = quiet ? "debug" : "warn";
  parts.log[level](
    { ...fieldsOf(slice), code: error.code, problem: parts.scrub(error.message) },
    "slice.attempt_failed",
  );
  if (error instanceof FencedError) {
    if (error.code === "stopped") await releaseStopped(parts.db, slice, parts.clock.now());
    return;
  }
  if (error instanceof AbortError) {
    await end(parts, slice, { ...release, error: storedError(parts, error) });
    return;
  }
  // a call that names no items is not refused because of one of them
  const mayContainBadItem = !mayPass && !isWholeList(datasetNamed(slice.dataset), slice);
  if (
    mayContainBadItem &&
    error instanceof SkipError &&
    error.code === "bad_request" &&
    (slice.items?.length ?? 0) > 1
  ) {
    if (await searchRefused(parts.db, slice, parts.clock.now())) return;
    const dueAt = parts.clock.now() + waitAfter(parts.retryMs, searchWaits, Number(slice.sliceId));
    await end(parts, slice, { ...release, error: storedError(parts, error), dueAt });
    return;
  }
  await end(parts, slice, await endingOf(parts, slice, { error, mayPass }));
  if (mayContainBadItem && error instanceof SkipError && refusalCodes.includes(error.code))
    await dropRefused(parts.db, slice);
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

async function endingOf(
  parts: IngestParts,
  slice: Slice,
  { error, mayPass }: { readonly error: StorehouseError; readonly mayPass: boolean },
): Promise<Ending> {
  const ending = { ...release, error: storedError(parts, error) };
  const now = parts.clock.now();
  // its answer is stored, so the wait costs nothing; pending, since a foreground run waits for pending slices only
  if (error.code === "being_replayed")
    return { ...ending, dueAt: now + waitAfter(parts.retryMs, slice.attempt, Number(slice.sliceId)) };
  if (error instanceof DeferError)
    return {
      ...ending,
      state: "deferred",
      dueAt: limitSpentCodes.includes(error.code) ? null : (error.until ?? now + unknownResetMs),
    };
  if (error instanceof SkipError && error.leaves !== "failed" && !mayPass)
    // a call that names no items says nothing about each of them: they are requested by name
    return { ...ending, state: isWholeList(datasetNamed(slice.dataset), slice) ? "skipped" : error.leaves };
  const { failures: before, laterTries } = await failuresOf(parts.db, slice);
  const failures = before + 1;
  parts.breaker.failed(slice.operation, error);
  const isOnce = laterTries > 0 || parts.breaker.isOpen(slice.operation);
  const atOnce = error instanceof RetryError ? (isOnce ? 1 : error.attempts) : undefined;
  const failed = { ...ending, state: "failed", counts: true, dueAt: laterTry(slice, error, laterTries, now) } as const;
  if (atOnce === undefined) return failed;
  // in a long answer each attempt may fail at a later page: only an attempt that landed no page counts
  if (await hasLandedPages(parts, slice, error))
    return { ...ending, dueAt: now + waitAfter(parts.retryMs, 1, Number(slice.sliceId)) };
  if (failures >= atOnce) return failed;
  return { ...ending, dueAt: now + waitAfter(parts.retryMs, failures, Number(slice.sliceId)), counts: true };
}

/**
 * When a slice that failed is requested again, in epoch-ms; null for never. A snapshot is on its own day: that of the next day is a different
 * slice, and is planned as one.
 */
function laterTry(slice: Slice, { code }: StorehouseError, laterTries: number, now: number): number | null {
  const before = slice.class === "snapshot" ? startOfDay(addDays(dayOf(now), 1)) : undefined;
  return nextTryAt({ code, laterTries, endedAt: now, before });
}

/** True if the attempt landed a page that the next one can use: not the one that was landed and could not be read. */
async function hasLandedPages(parts: IngestParts, slice: Slice, { code }: StorehouseError): Promise<boolean> {
  return (await pagesLandedBy(parts.db, slice)) > (unreadableCodes.includes(code) ? 1 : 0);
}

/** The wait doubles with each failure; the slice's number varies it, so that slices that failed together are not tried together again. */
function waitAfter(firstMs: number, failures: number, seed: number): number {
  const spread = 0.75 + ((seed * 7919) % 100) / 200;
  return backoffMs({ firstMs, longestMs: longestWaitMs }, failures) * spread;
}

async function end(parts: IngestParts, slice: Slice, ending: Ending): Promise<void> {
  await endAttempt(parts.db, slice, ending, parts.clock.now());
}

function storedError(parts: IngestParts, error: StorehouseError): { code: string; message: string } {
  return { code: error.code, message: parts.scrub(error.message) };
}

/** Ends an attempt as finally failed. */
export async function failForGood(parts: IngestParts, slice: Slice, error: StorehouseError): Promise<void> {
  await end(parts, slice, { ...release, state: "failed", error: storedError(parts, error) });
}

/** The fields of a slice in log events. */
export function fieldsOf(slice: Slice) {
  return {
    dataset: slice.dataset,
    scope: slice.scope,
    window_start: slice.window.start,
    window_end: slice.window.end,
    slice_id: slice.sliceId,
    attempt: slice.attempt,
  };
}
