import type { Day } from "../core/day.ts";
import { holds } from "../core/window.ts";
import type { AnswerRows } from "../ingest/answer-rows.ts";
import type { LaterAnswer } from "../ledger/imported-slices.ts";
import type { Load } from "../load/ready-load.ts";
import { dayColumns } from "../load/table.ts";

/**
 * An answer's rows without those of days that a later answer replaced as a whole: members that this one no longer had left no trace by which
 * the loader could see that they are gone. Of tables that are loaded row by row those of such days only fill in what is missing.
 */
export function withoutOutdated(rows: AnswerRows, later: readonly LaterAnswer[]): AnswerRows {
  return later.length === 0 ? rows : { ...rows, loads: rows.loads.flatMap((load) => upToDate(load, later)) };
}

function upToDate(load: Load, later: readonly LaterAnswer[]): readonly Load[] {
  const { table } = load;
  const days = dayColumns(table);
  if (days === null || table.load.kind === "history") return [load];
  const isReplaced = table.load.kind === "replace";
  if (isReplaced && table.load.onlyReported === true) return [load];
  // of restated figures, and row by row, an answer without a row clears nothing
  const clears = isReplaced && table.restated !== true;
  const about = later.filter(({ isEmpty }) => !isEmpty || clears);
  if (about.length === 0) return [load];
  const { rows, ...rest } = load;
  const [outdated = [], current = []] = [true, false].map((is) =>
    rows.filter((row) => about.some(({ window }) => holds(window, row[days.first] as Day)) === is),
  );
  // nor does it show who is gone on the days that it still says something of
  if (isReplaced) return [{ ...rest, rows: current, complete: false }];
  return [
    { ...rest, rows: current },
    { ...rest, rows: outdated, isOutdated: true },
  ];
}
