import { addDays } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { loadAnswers } from "../ingest/load-answers.ts";
import type { LoadParts } from "../ingest/prepare-slice.ts";
import { agreeToHeld, type HeldAnswer } from "../ledger/held-answers.ts";
import { landedSlices, type LandedSlice } from "../ledger/landed-slices.ts";
import { keepReplaysOut } from "../load/rebuild-lock.ts";
import { withLocks } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";
import { landedPages } from "../raw/read-answers.ts";
import { landedAnswer } from "./stored-answer.ts";

/** Applies a held answer from its stored body, in one transaction; false if the body is no longer stored. */
export async function applyHeld(parts: LoadParts, held: HeldAnswer): Promise<boolean> {
  const take = (transaction: Database) => keepReplaysOut(transaction, [held.dataset]);
  return withLocks(parts.db, { take }, async (transaction) => {
    const slice = await sliceOfHeld(transaction, held);
    if (slice === null) return false;
    if (!(await agreeToHeld(transaction, held.sliceId, parts.clock.now())))
      throw fail("bad_argument", { dataset: held.dataset, day: held.day, problem: "the answer is no longer held" });
    const { fetched } = await landedAnswer(slice, await landedPages(parts.db, slice.sliceId));
    const answer = { dataset: datasetNamed(held.dataset), slice, fetched };
    await loadAnswers(transaction, { ...parts, held: "apply" }, [answer]);
    return true;
  });
}

async function sliceOfHeld(transaction: Database, { dataset, day, sliceId }: HeldAnswer): Promise<LandedSlice | null> {
  for await (const slice of landedSlices(transaction, dataset, { start: day, end: addDays(day, 1) }))
    if (slice.sliceId === sliceId) return slice;
  return null;
}
