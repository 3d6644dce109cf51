import type { ReportedSum } from "../planner/reported-cells.ts";
import { dayRange } from "./day-range.ts";
import { countOf } from "../core/words.ts";

/** What nobody requests because other answers reported it, one sentence per dataset and source. */
export function reportedWords(sums: readonly ReportedSum[]): readonly string[] {
  return sums.map(
    ({ dataset, source, cells, firstDay, lastDay }) =>
      `${countOf(cells, "cell")} of ${dataset} (${dayRange(firstDay, lastDay)}) ${cells === 1 ? "is" : "are"} reported by ${source} and not requested.`,
  );
}
