import type { Clock } from "../core/clock.ts";
import type { Day } from "../core/day.ts";
import { scopeKey, type Slice, type SliceDraft } from "../core/slice.ts";
import { oneDay, type Window } from "../core/window.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { reportedBy, withoutAccount, type Dataset } from "../datasets/shared/define-dataset.ts";
import { coverageReader } from "../ledger/coverage.ts";
import { takeSlices } from "../ledger/imported-slices.ts";
import { calendarOf } from "../plan/cover/gap-grid.ts";
import { missingCells } from "../plan/missing.ts";
import type { Database } from "../postgres/database.ts";
import { copyAnswer } from "../raw/answers-to.ts";
import { loadAnswers } from "./load-answers.ts";
import type { LoadParts, SliceLoad } from "./prepare-slice.ts";

/*
 * What an answer reports of another dataset besides its own: cells of days that nobody requested yet become slices of that dataset, in
 * the transaction that loads the answer. Each has the answer as its own, so that coverage, replay and export know it as any other. What
 * was requested already stays as it came.
 */

/** What it takes; `wanted` names the other dataset and its days, null where the configuration does not want it. */
export type AlsoAnsweredParts = LoadParts & {
  readonly clock: Clock;
  readonly wanted: (
    slice: Pick<Slice, "dataset" | "scope">,
    today: Day,
  ) => { readonly target: Dataset; readonly within: Window } | null;
};

/** Loads what the answers of these slices report of other datasets, inside the transaction that ends the slices. */
export async function loadAlsoAnswered(
  transaction: Database,
  parts: AlsoAnsweredParts,
  loads: readonly SliceLoad[],
): Promise<void> {
  for (const { slice, fetched } of loads) {
    const wanted = parts.wanted(slice, slice.asOf);
    const reported = datasetNamed(slice.dataset).alsoAnswers?.items(slice, fetched.pages);
    if (wanted === null || reported === undefined) continue;
    const { target, within } = wanted;
    const drafts = await newCells(transaction, { slice, target, within }, reported);
    const taken = await takeSlices(transaction, slice.runId, drafts, parts.clock.now());
    const slices = taken.flatMap((one) => one ?? []);
    for (const one of slices) await copyAnswer(transaction, slice, one);
    await loadAnswers(
      transaction,
      parts,
      slices.map((one) => ({ dataset: target, slice: one, fetched })),
    );
  }
}

type From = { readonly slice: Slice; readonly target: Dataset; readonly within: Window };

/** A slice a day for the items that are reported and were never requested. */
async function newCells(
  transaction: Database,
  { slice, target, within }: From,
  reported: ReadonlyMap<Day, readonly string[]>,
): Promise<readonly SliceDraft[]> {
  const { timing } = target;
  const items = [...new Set([...reported.values()].flat())].sort();
  if (items.length === 0 || timing.kind === "snapshot") return [];
  // what holds for every account
  const scope = withoutAccount(slice.scope);
  const covered = await coverageReader(transaction, target.name, within).read([scope]);
  const { fresh } = missingCells({
    timing,
    items,
    calendar: calendarOf(within),
    covered: covered.get(scopeKey(scope)) ?? [],
    today: slice.asOf,
    reprocess: "missing",
  });
  return fresh.calendar.names.slice(0, fresh.calendar.days).flatMap((day, index): SliceDraft[] => {
    const known = new Set(reported.get(day));
    const own = fresh.rows.filter(({ item, gaps }) => gaps[index] === 1 && known.has(item)).map(({ item }) => item);
    if (own.length === 0) return [];
    return [
      {
        dataset: target.name,
        operation: slice.operation,
        scope,
        items: own,
        window: oneDay(day),
        class: "daily",
        requests: 0,
        credits: 0,
        asOf: slice.asOf,
        fingerprint: reportedBy(slice.dataset),
      },
    ];
  });
}
