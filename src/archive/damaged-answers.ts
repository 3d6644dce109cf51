import { earliest, latest } from "../core/day.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { gathered } from "../core/read-ahead.ts";
import { lastDay, type Window } from "../core/window.ts";
import { landedSlices, type LandedSlice } from "../ledger/landed-slices.ts";
import type { Database } from "../postgres/database.ts";
import { landedPagesOf, type LandedPage } from "../raw/read-answers.ts";

/** The stored pages of slices that can be unpacked, and the error of the first damaged page of each slice that has one; both by slice. */
type FoundPages = {
  readonly pages: ReadonlyMap<string, ReadonlyMap<number, LandedPage>>;
  readonly damaged: ReadonlyMap<string, StorehouseError>;
};

/** Reads the stored pages of slices. */
export async function foundPages(db: Database, slices: readonly LandedSlice[]): Promise<FoundPages> {
  const damaged = new Map<string, StorehouseError>();
  const onDamaged = (error: StorehouseError) => {
    const slice = String(error.context["slice"]);
    if (!damaged.has(slice)) damaged.set(slice, error);
  };
  const ids = slices.map(({ sliceId }) => sliceId);
  return { pages: await landedPagesOf(db, ids, { onDamaged }), damaged };
}

/** True unless the slice failed: its answer may be the only source of rows. */
export function mayHaveRows({ state }: Pick<LandedSlice, "state">): boolean {
  return state !== "failed" && state !== "lost";
}

/** True for the error of a damaged page. */
export function isDamage(error: unknown): error is StorehouseError {
  return error instanceof StorehouseError && error.code === "answer_damaged";
}

/** True for the error of an answer of which a page is no longer stored. */
export function isIncomplete(error: unknown): error is StorehouseError {
  return error instanceof StorehouseError && error.code === "page_missing";
}

/** Slices that are read together. */
const atOnce = 100;
/** Slices that the error names: enough to find the cause. */
const mostNamed = 5;

/**
 * The error that names all damaged answers of a dataset from which rows are rebuilt: a replay that stopped at each of them would have to be
 * started once for each. Null if there are none.
 */
export async function allDamage(
  db: Database,
  dataset: string,
  within: Partial<Window>,
): Promise<StorehouseError | null> {
  const found: LandedSlice[] = [];
  await db.transaction().execute(async (transaction) => {
    const slices = landedSlices(transaction, dataset, within);
    for await (const group of gathered(slices, { most: atOnce, weigh: ({ requests }) => Math.max(1, requests) })) {
      const { damaged } = await foundPages(db, group);
      found.push(...group.filter((slice) => damaged.has(slice.sliceId) && mayHaveRows(slice)));
    }
  });
  if (found.length === 0) return null;
  const named = found.slice(0, mostNamed).map(({ sliceId, window }) => `${sliceId} (${window.start})`);
  return fail("answers_damaged", {
    dataset,
    answers: found.length,
    from: earliest(found.map(({ window }) => window.start)),
    to: latest(found.map(({ window }) => lastDay(window))),
    slices: named.join(", "),
  });
}
