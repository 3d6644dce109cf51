import { StorehouseError, unreadableCodes } from "../core/errors.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { loadAnswers } from "../ingest/load-answers.ts";
import type { LoadParts } from "../ingest/prepare-slice.ts";
import { agreeToHeld, type HeldAnswer } from "../ledger/held-answers.ts";
import { landedSlice, type LandedSlice } from "../ledger/landed-slices.ts";
import { keepReplaysOut } from "../load/rebuild-lock.ts";
import { withLocks } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";
import { landedPages } from "../raw/read-answers.ts";
import { isDamage, isIncomplete } from "./damaged-answers.ts";
import { landedAnswer, type LandedAnswer } from "./stored-answer.ts";

/** Applies a held answer from its stored body, in one transaction. Returns why that is not possible, null if it is applied. */
export async function applyHeld(parts: LoadParts, held: HeldAnswer): Promise<string | null> {
  const take = (transaction: Database) => keepReplaysOut(transaction, [held.dataset]);
  return withLocks(parts.db, { take }, async (transaction) => {
    const slice = await landedSlice(transaction, held.sliceId);
    if (slice === null) return "its answer is no longer stored";
    const answer = await answerOf(transaction, slice);
    if (answer instanceof StorehouseError) return answer.problem;
    if (!(await agreeToHeld(transaction, held.sliceId))) return "it is no longer held";
    const { fetched } = answer;
    await loadAnswers(transaction, { ...parts, held: "apply" }, [
      { dataset: datasetNamed(held.dataset), slice, fetched },
    ]);
    return null;
  });
}

/** The stored answer of a slice, or what is wrong with it. */
async function answerOf(db: Database, slice: LandedSlice): Promise<LandedAnswer | StorehouseError> {
  try {
    return await landedAnswer(slice, await landedPages(db, slice.sliceId));
  } catch (error) {
    if (isDamage(error) || isIncomplete(error)) return error;
    if (error instanceof StorehouseError && unreadableCodes.includes(error.code)) return error;
    throw error;
  }
}
