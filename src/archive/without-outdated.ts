import type { Day } from "../core/day.ts";
import { holds } from "../core/window.ts";
import type { AnswerRows } from "../ingest/answer-rows.ts";
import type { LaterAnswer } from "../ledger/imported-slices.ts";
import type { Load } from "../load/ready-load.ts";
import { dayColumns } from "../load/table.ts";

/**
 * An answer's rows without those of days that a later answer replaced as a whole: members that this one no longer had left no trace by which
 * the loader could see that they are gone.
 */
export function withoutOutdated(rows: AnswerRows, later: readonly LaterAnswer[]): AnswerRows {
  return later.length === 0 ? rows : { ...rows, loads: rows.loads.map((load) => upToDate(load, later)) };
}

function upToDate(load: Load, later: readonly LaterAnswer[]): Load {
  const { table, rows } = load;
  const days = dayColumns(table);
  if (table.load.kind !== "replace" || table.load.onlyReported === true || days === null) return load;
  // of restated figures an answer without a row clears nothing
  const replaced = later.filter(({ isEmpty }) => !isEmpty || table.restated !== true);
  if (replaced.length === 0) return load;
  const kept = rows.filter((row) => !replaced.some(({ window }) => holds(window, row[days.first] as Day)));
  // nor does it show who is gone on the days that it still says something of
  return { ...load, rows: kept, complete: false };
}
