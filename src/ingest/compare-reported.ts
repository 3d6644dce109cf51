import { holds } from "../core/window.ts";
import { reportedBy, requestedWindow } from "../core/slice.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { checksOf, distrust, settleCheck, type ReportedCheck } from "../ledger/reported-checks.ts";
import type { Database } from "../postgres/database.ts";
import type { AlsoAnsweredParts } from "./also-answered.ts";
import type { SliceLoad } from "./prepare-slice.ts";

/**
 * Compares answers with what other answers reported of the same cells, inside the transaction that loads them. A figure of an
 * account that differs ends the trust: what its lists reported is requested again by the next plan.
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
    // at each: a list may have been loaded while another worker's transaction found the first
    if (differing > 0) await distrust(transaction, check, reportedBy(check.source));
  }
}

/** The items that an answer has as well as the report, and how many of them with another figure. */
async function compare(
  { source, day, figures }: ReportedCheck,
  { slice, answer, tail }: SliceLoad,
): Promise<{ readonly compared: readonly string[]; readonly differing: number }> {
  const dataset = datasetNamed(slice.dataset);
  const { alsoAnswers } = datasetNamed(source);
  const [table] = dataset.tables;
  // of the tail only the request says that there is nothing
  if (alsoAnswers === undefined || table === undefined || (tail != null && holds(tail.window, day)))
    return { compared: [], differing: 0 };
  const requested = { ...slice, window: requestedWindow(slice) };
  const fetched = await answer();
  const rows = dataset.normalise(requested, fetched.pages, fetched.invalid).rows[table.name] ?? [];
  const both = rows.map(alsoAnswers.figureOf).filter((one) => one.day === day && figures[one.item] !== undefined);
  return {
    compared: both.map(({ item }) => item),
    differing: both.filter(({ item, figure }) => figure !== figures[item]).length,
  };
}
