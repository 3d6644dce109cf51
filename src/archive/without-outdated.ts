import type { Day } from "../core/day.ts";
import { holds } from "../core/window.ts";
import type { AnswerRows } from "../ingest/answer-rows.ts";
import type { LaterAnswer } from "../ledger/imported-slices.ts";
import type { Load } from "../load/ready-load.ts";
import { dayColumns } from "../load/table.ts";

/**
 * The rows of an answer without days that a later answer has replaced as a whole: members that the later one no longer had left no trace in
 * the tables, so the loader could not see that they are gone. In tables that are loaded row by row, rows of such days only fill in what is
 * missing. In a history, a later answer that changed nothing leaves no trace either: an older one changes nothing there (see hold-answers.ts).
 */
export function withoutOutdated(rows: AnswerRows, later: readonly LaterAnswer[]): AnswerRows {
  return later.length === 0 ? rows : { ...rows, loads: rows.loads.flatMap((load) => upToDate(load, later)) };
}

function upToDate(load: Load, later: readonly LaterAnswer[]): readonly Load[] {
  const { table } = load;
  const days = dayColumns(table);
  if (table.load.kind === "history") return [{ ...load, isOutdated: true }];
  if (days === null) return [load];
  const isReplaced = table.load.kind === "replace";
  if (isReplaced && table.load.onlyReported === true) return [load];
  // for restated figures, and in tables that are loaded row by row, an answer without a row deletes nothing
  const clears = isReplaced && table.restated !== true;
  const about = later.filter(({ isEmpty }) => !isEmpty || clears);
  if (about.length === 0) return [load];
  const { rows, ...rest } = load;
  const [outdated = [], current = []] = [true, false].map((is) =>
    rows.filter((row) => about.some(({ window }) => holds(window, row[days.first] as Day)) === is),
  );
  // nor does it show which members are gone on the days that remain
  if (isReplaced) return [{ ...rest, rows: current, complete: false }];
  return [
    { ...rest, rows: current },
    { ...rest, rows: outdated, isOutdated: true },
  ];
}
