import { lookbackWords } from "../plan/lookback-words.ts";
import type { AgeLine, DatasetLookback } from "../planner/lookback.ts";
import { optional, table } from "./table.ts";

/** The reports of some datasets, with an empty line between them. */
export function lookbackReports(found: readonly DatasetLookback[], columns?: number): string {
  return found.map((one) => lookbackReport(one, columns)).join("\n\n");
}

/** For how long the figures of a dataset keep changing: what is learned, and a line per age with a picture of the share that changed. */
function lookbackReport({ dataset, fixedDays, isLearned, learned, ages }: DatasetLookback, columns?: number): string {
  const lines = [`${dataset} (${isLearned ? "learned" : "fixed"})`, lookbackWords(learned, fixedDays)];
  return [...lines, ...(ages.length > 0 ? [table(headings, ages.map(rowOf), columns)] : [])].join("\n");
}

const headings = ["age", "days", "changed", "rows changed", optional("amount changed"), ""];

/** The number of signs in a picture of the whole. */
const widest = 20;

function rowOf({ age, compared, moved, rows, rowsMoved, amount, amountMoved }: AgeLine) {
  const share = moved / compared;
  return [
    age,
    compared,
    shareWords(moved, compared),
    shareWords(rowsMoved, rows),
    shareWords(amountMoved, amount),
    "#".repeat(Math.max(moved > 0 ? 1 : 0, Math.round(widest * share))),
  ];
}

function shareWords(part: number, whole: number): string {
  return whole === 0 ? "" : `${((100 * part) / whole).toFixed(1)} %`;
}
