import { holds } from "../core/window.ts";
import { reportedFingerprint, requestedWindow } from "../core/slice.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { checksOf, requestReportedAgain, settleCheck, type ReportedCheck } from "../ledger/reported-checks.ts";
import type { Database } from "../postgres/database.ts";
import type { AlsoAnsweredParts } from "./also-answered.ts";
import { normaliseAnswer } from "./normalise-answer.ts";
import type { SliceLoad } from "./prepare-slice.ts";

/**
 * Compares answers with the figures that other answers reported for the same cells, inside the transaction that loads them. If one figure
 * of an account differs, reported figures are no longer trusted: the next plan requests those cells again.
 */
export async function compareReported(
  transaction: Database,
  { reported }: Pick<AlsoAnsweredParts, "reported">,
  loads: readonly SliceLoad[],
): Promise<void> {
  const own = loads.filter(({ slice }) => reported.has(slice.dataset));
  if (own.length === 0) return;
  const checks = await checksOf(
    transaction,
    own.map(({ slice }) => slice),
  );
  for (const { place, ...check } of checks) {
    const load = own[place];
    if (load === undefined) continue;
    const { compared, differing } = await compare(check, load);
    if (compared.length === 0) continue;
    await settleCheck(transaction, check, { compared, differing });
    // each time: a list may have been loaded while another worker's transaction found the first difference
    if (differing > 0) await requestReportedAgain(transaction, check, reportedFingerprint(check.source));
  }
}

/** The items that both the answer and the report have, and how many of them have different figures. */
async function compare(
  { source, day, figures }: ReportedCheck,
  { slice, answer, tail }: SliceLoad,
): Promise<{ readonly compared: readonly string[]; readonly differing: number }> {
  const dataset = datasetNamed(slice.dataset);
  const { alsoAnswers } = datasetNamed(source);
  const [table] = dataset.tables;
  // the answer says nothing about the tail, so there is nothing to compare
  if (alsoAnswers === undefined || table === undefined || (tail != null && holds(tail.window, day)))
    return { compared: [], differing: 0 };
  const requested = { ...slice, window: requestedWindow(slice) };
  const rows = normaliseAnswer(dataset, requested, await answer()).rows[table.name] ?? [];
  const both = rows.map(alsoAnswers.figureOf).filter((one) => one.day === day && figures[one.item] !== undefined);
  return {
    compared: both.map(({ item }) => item),
    differing: both.filter(({ item, figure }) => figure !== figures[item]).length,
  };
}
