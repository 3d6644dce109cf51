import { fail, StorehouseError, unexpected } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import {
  databaseInterrupted,
  isInterrupted,
  isLostConnection,
  isMissingPartition,
} from "../postgres/database-errors.ts";
import { coverAgain } from "../load/load.ts";
import { commitSlice, type Committed } from "./commit-slice.ts";
import { failAttempt, failForGood, fieldsOf } from "./fail-attempt.ts";
import { fetchSlice } from "./fetch-slice.ts";
import { retryAround, retryDatabase } from "./retry-database.ts";
import type { IngestParts } from "./ingest-parts.ts";
import type { SliceLoad } from "./prepare-slice.ts";
import { asOfToday } from "./as-of-today.ts";
import type { CallSignals } from "./paid-call.ts";

/*
 * The steps of one slice, and the crash point after each (see crash-point.ts):
 *
 *   claim        the slice runner claims it; the attempt number fences every later step        slice-runner.ts
 *   reserve      the credit queue holds what each page may cost                                paid-call.ts
 *   send         the client sends the page's request                     "after answer"        paid-call.ts
 *   land         the answer is committed before its body is read         "after landing"       paid-call.ts
 *   unchanged    what is loaded already ends here                        "after commit"        fetch-slice.ts
 *   read         body -> checked value, invalid items, drift, more pages                       read-pages.ts
 *   normalise    value -> checked rows of each table                                           answer-rows.ts
 *   prepare      the keys and months that the rows need are made                               prepare-slice.ts
 *   record       the slice's state, first, because it locks the slice    "in the load"         commit-group.ts (endAttempts)
 *   load         rows, rejects and drift, in the same transaction        "after commit"        prepare-slice.ts (writeSlices)
 *
 * A process that dies before "after landing" pays for one page again; one that dies after it reads the stored page at the next attempt.
 * Slices that run at the same time share statements and transactions (batched-steps.ts). fail-attempt.ts decides how a failed attempt ends:
 * back to pending with a wait, deferred to the reset, split in halves, or in a final state.
 */

/**
 * Runs one claimed slice to the end of its attempt. Every end is written to the ledger; it throws only if the database stays unreachable;
 * then this process still holds the claim.
 */
export async function runSlice(parts: IngestParts, claimed: Slice, signals: CallSignals): Promise<void> {
  let slice: Slice | null = claimed;
  await retryAround(parts, async () => {
    // after an outage of the database the slice still belongs to this process, which claims it again
    slice ??= await claimAgain(parts, claimed);
    if (slice === null) return;
    const held = slice;
    slice = null;
    await attempt(parts, held, signals);
  });
  await parts.crashPoint?.("before the end");
}

function claimAgain({ claimedSlices, batched }: IngestParts, { sliceId }: Slice): Promise<Slice | null> {
  claimedSlices.start(sliceId);
  return batched.claim(sliceId);
}

async function attempt(parts: IngestParts, claimed: Slice, signals: CallSignals): Promise<void> {
  const from = parts.clock.now();
  let slice = claimed;
  try {
    const today = parts.clock.today();
    if (claimed.asOf < today) slice = await retryDatabase(parts, () => asOfToday(parts, claimed, today));
    const dataset = datasetNamed(slice.dataset);
    const fetched = await fetchSlice(parts, dataset, slice, signals);
    parts.breaker.succeeded(slice.operation);
    const done = await committed(parts, fetched);
    // one event per slice: a night has thousands
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
    const fails = () => failAttempt(parts, slice, knownError(parts, error, signals));
    // an interrupted statement is rolled back; without this its whole attempt would be repeated, and its call paid again
    const again = (fault: unknown) => {
      if (!isInterrupted(fault)) throw fault;
      return retryDatabase(parts, fails);
    };
    await fails()
      .catch(again)
      .catch(async (fault: unknown) => {
        if (isLostConnection(fault) || isInterrupted(fault)) throw fault;
        // otherwise the slice would be tried forever, and its run would wait for it
        await failForGood(parts, slice, knownError(parts, fault, signals));
      });
  }
}

/** Commits what is not committed yet. */
async function committed(parts: IngestParts, fetched: Awaited<ReturnType<typeof fetchSlice>>): Promise<Committed> {
  if (!("unchangedRows" in fetched)) return retryDatabase(parts, () => commitWithMonths(parts, fetched));
  await parts.crashPoint?.("after commit");
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

/**
 * Converts any error to a StorehouseError. An unexpected one fails the slice: another request would cost credits and fail again. After an
 * interruption the next attempt reads the stored answer.
 */
function knownError(parts: IngestParts, error: unknown, { unsent }: CallSignals): StorehouseError {
  if (error instanceof StorehouseError) return error;
  if (unsent.aborted) return fail("stopped");
  if (isInterrupted(error)) return databaseInterrupted(error);
  return unexpected(error, parts.scrub);
}
