import type { Command } from "commander";
import {
  foldedRuns,
  latestRuns,
  movedWords,
  runWords,
  type IdleRuns,
  type RunLine,
  isIdle,
} from "../../ledger/run-list.ts";
import { outcomeWords } from "../../ledger/status.ts";
import { countArgument } from "../arguments.ts";
import { withWarehouse } from "../environment.ts";
import { print, printJson } from "../output.ts";
import { countOf, durationText, listed } from "../../core/words.ts";
import type { TextTone } from "../screen.ts";
import { optional, table, type Cell } from "../table.ts";
import { timeCell, zoneNote } from "../times.ts";

/** `storehouse runs`: recent runs and their results. */
export function defineRuns(command: Command): void {
  command
    .option("--limit <number>", "show at most this many lines", countArgument, 20)
    .option("--json", "as JSON, listing each scheduled run that found nothing to do")
    .action((options: { limit: number; json?: true }) =>
      withWarehouse(async ({ warehouse }) => {
        if (options.json) printJson(await latestRuns(warehouse.db, options.limit));
        else printRuns(await foldedRuns(warehouse.db, options.limit));
      }),
    );
}

const states = ["loaded", "empty", "skipped", "failed", "open", "deferred"] as const;

function printRuns(lines: readonly (RunLine | IdleRuns)[]): void {
  if (lines.length === 0) {
    print("Nothing was run yet: `storehouse plan` shows what a sync would take, `storehouse sync` fetches it.");
    return;
  }
  const runs = lines.filter((line): line is RunLine => !isIdle(line));
  // a state without slices gets no column
  const columns = states.filter((state) => state === "loaded" || runs.some((run) => run[`${state}_count`] > 0));
  const rows = lines.map((line) => (isIdle(line) ? idleCells(line, columns.length) : cellsOf(line, columns)));
  const counts = columns.map((state) => (state === "empty" || state === "skipped" ? optional(state) : state));
  const headings = [
    "run",
    "kind",
    "started",
    optional("took"),
    "outcome",
    ...counts,
    optional("credits planned"),
    "credits spent",
  ];
  print(`${table(headings, rows)}\n${zoneNote()}`);
  for (const run of runs.filter(({ moved }) => moved.length > 0))
    print(`\nOf the slices of run ${run.run_id}, ${movedWords(run).join(", ")}.`);
  for (const text of abortedTexts(runs)) print(`\n${text}`);
}

/** What aborted runs, once for all runs with the same error: a token that is refused aborts each of them. */
function abortedTexts(runs: readonly RunLine[]): readonly string[] {
  const aborted = runs.filter(({ error_message: error }) => error !== null);
  return [...Map.groupBy(aborted, ({ error_message: error }) => error)].map(([error, same]) => {
    const ids = listed(same.map(({ run_id: id }) => id));
    return `${same.length === 1 ? `Run ${ids} was` : `Runs ${ids} were`} aborted: ${error}`;
  });
}

function cellsOf(run: RunLine, columns: readonly (typeof states)[number][]): readonly Cell[] {
  return [
    run.run_id,
    runWords(run),
    timeCell(run.started_at),
    run.ended_at === null ? null : durationText(run.ended_at.getTime() - run.started_at.getTime()),
    outcomeCell(run.outcome),
    ...columns.map((state) => run[`${state}_count`]),
    run.planned_credits,
    run.booked_credits,
  ];
}

const tones: Readonly<Record<string, TextTone>> = {
  failed: "bad",
  aborted: "bad",
  deferred: "warn",
  interrupted: "warn",
  unfinished: "warn",
};

function outcomeCell(outcome: string | null): Cell {
  const tone = tones[outcome ?? ""];
  return tone === undefined ? outcomeWords(outcome) : { value: outcome, tone };
}

/** One line for runs that found nothing: the number of the newest one, and since when. */
function idleCells(idle: IdleRuns, columns: number): readonly Cell[] {
  const { first_run_id: first, last_run_id: last, run_count: count } = idle;
  return [
    first === last ? first : `${first}-${last}`,
    count === 1 ? "schedule" : `schedule, ${countOf(count, "run")}`,
    timeCell(idle.first_started_at),
    null,
    "nothing due",
    ...Array.from({ length: columns + 2 }, () => 0),
  ];
}
