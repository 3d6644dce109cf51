import type { Day } from "../core/day.ts";
import { reportedFingerprint, scopeKey, type Slice, type SliceDraft } from "../core/slice.ts";
import { oneDay, type Window } from "../core/window.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { withoutAccount } from "../datasets/shared/scope-limits.ts";
import { coverageReader } from "../ledger/coverage.ts";
import { takeSlices } from "../ledger/imported-slices.ts";
import { hasDiffered, noteCheck } from "../ledger/reported-checks.ts";
import { accountColumn } from "../load/table.ts";
import { calendarOf } from "../plan/cover/gap-grid.ts";
import { missingCells } from "../plan/missing.ts";
import type { Database } from "../postgres/database.ts";
import { copyAnswer } from "../raw/answers-to.ts";
import { loadAnswers } from "./load-answers.ts";
import type { LoadParts, SliceLoad } from "./prepare-slice.ts";
import type { Fetched } from "./read-pages.ts";

/*
 * An answer may also report figures of another dataset. Cells that nobody has requested yet become slices of that dataset, in the
 * transaction that loads the answer. Each slice gets its own copy of the answer, so that coverage, replay and export treat it like any
 * other. Cells that were already requested keep their answers.
 *
 * The API does not document how such figures are measured. So the newest of these days is still requested, and its answer is compared with
 * the reported figures (`compareReported`). Days that the source still restates are requested too.
 */

/**
 * What loading such figures needs. `reported`: the datasets whose figures appear in answers to other datasets. `wanted`: the other dataset
 * that the answer of a slice reports, and the days to take from it; null if the configuration excludes it.
 */
export type AlsoAnsweredParts = LoadParts & {
  readonly reported: ReadonlySet<string>;
  readonly wanted: (
    slice: Pick<Slice, "dataset" | "scope">,
    today: Day,
  ) => { readonly target: Dataset; readonly within: Window } | null;
};

/** The figures that an answer reports of the wanted dataset, by day; null if there are none. */
async function reportedIn({ wanted: wantedOf }: AlsoAnsweredParts, { slice, answer }: SliceLoad) {
  const wanted = wantedOf(slice, slice.asOf);
  const { alsoAnswers } = datasetNamed(slice.dataset);
  if (wanted === null || alsoAnswers === undefined) return null;
  const fetched = await answer();
  const reported = alsoAnswers.figures(slice, fetched.pages);
  return reported.size === 0 ? null : { ...wanted, reported, fetched };
}

/**
 * Makes the partitions that `loadAlsoAnswered` needs, before its transaction. Inside it this would deadlock: a partition refers to the
 * dimensions, so attaching it would wait for apps that the transaction has written.
 */
export async function coverAlsoAnswered(parts: AlsoAnsweredParts, loads: readonly SliceLoad[]): Promise<void> {
  for (const load of loads) {
    const found = await reportedIn(parts, load);
    if (found === null) continue;
    const { target, within, reported } = found;
    const days = [...reported.keys()].filter((day) => day >= within.start && day < within.end);
    for (const table of target.tables) if (table.partitioned) await parts.partitions.cover(table, days);
  }
}

/** Loads the figures of other datasets that the answers of these slices report, inside the transaction that ends the slices. */
export async function loadAlsoAnswered(
  transaction: Database,
  parts: AlsoAnsweredParts,
  loads: readonly SliceLoad[],
): Promise<void> {
  for (const load of loads) {
    const found = await reportedIn(parts, load);
    if (found === null) continue;
    const { slice } = load;
    const { target, within, reported, fetched } = found;
    const reporting = { source: slice.dataset, dataset: target.name, account: slice.scope[accountColumn] ?? "" };
    if (await hasDiffered(transaction, reporting)) continue;
    const from = { slice, target, within };
    const days = await newDays(transaction, from, reported);
    const newest = days.at(-1);
    if (newest === undefined) continue;
    const check = { ...reporting, scope: withoutAccount(slice.scope), day: newest.day };
    await noteCheck(transaction, { ...check, figures: Object.fromEntries(newest.figures) });
    await loadDays(transaction, parts, from, { fetched, days: days.slice(0, -1) });
  }
}

type From = { readonly slice: Slice; readonly target: Dataset; readonly within: Window };

/** A day and the figures reported for it, by item. */
type ReportedDay = { readonly day: Day; readonly figures: ReadonlyMap<string, number> };

/** Reported figures of final days that were never requested, in the order of days. */
async function newDays(
  transaction: Database,
  { slice, target, within }: From,
  reported: ReadonlyMap<Day, ReadonlyMap<string, number>>,
): Promise<readonly ReportedDay[]> {
  const { timing } = target;
  const items = [...new Set([...reported.values()].flatMap((figures) => [...figures.keys()]))].sort();
  if (items.length === 0 || timing.kind === "snapshot") return [];
  // without the account: facts hold for all of them
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
  return fresh.calendar.names.slice(0, fresh.calendar.days).flatMap((day, index): ReportedDay[] => {
    const known = reported.get(day);
    const figures = fresh.rows.flatMap(({ item, gaps }) => {
      const figure = gaps[index] === 1 ? known?.get(item) : undefined;
      return figure === undefined ? [] : [[item, figure] as const];
    });
    return figures.length === 0 ? [] : [{ day, figures: new Map(figures) }];
  });
}

/** Loads the answer once more for each of these days, as a slice of the other dataset. */
async function loadDays(
  transaction: Database,
  parts: AlsoAnsweredParts,
  { slice, target }: From,
  { fetched, days }: { readonly fetched: Fetched; readonly days: readonly ReportedDay[] },
): Promise<void> {
  const drafts = days.map(({ day, figures }): SliceDraft => ({
    dataset: target.name,
    operation: slice.operation,
    scope: withoutAccount(slice.scope),
    items: [...figures.keys()],
    window: oneDay(day),
    class: "daily",
    requests: 0,
    credits: 0,
    asOf: slice.asOf,
    fingerprint: reportedFingerprint(slice.dataset),
  }));
  const taken = await takeSlices(transaction, slice.runId, drafts, { now: parts.clock.now() });
  const slices = taken.flatMap((one) => one ?? []);
  for (const one of slices) await copyAnswer(transaction, slice, one);
  await loadAnswers(
    transaction,
    parts,
    slices.map((one) => ({ dataset: target, slice: one, fetched })),
  );
}
