import type { Command } from "commander";
import type { App } from "../../app.ts";
import { crontabFile } from "../../config/config.ts";
import { dayOf } from "../../core/day.ts";
import { nextRuns, readCrontab, type CrontabLine } from "../../worker/crontab.ts";
import { currentPortfolio } from "../../planner/backfill-plan.ts";
import { createForesight, type Foreseen } from "../../planner/price-schedule.ts";
import { scheduled } from "../../planner/scheduled-datasets.ts";
import { openWork } from "../../ledger/open-slices.ts";
import { countArgument } from "../arguments.ts";
import { loadConfig, withApp } from "../with-app.ts";
import { countOf, print, printJson } from "../output.ts";
import { datasetsAtLeast } from "../plan-report.ts";
import { optional, table } from "../table.ts";
import { durationText, timeCell, zoneNote } from "../times.ts";

type Options = { readonly json?: true; readonly count: number };

/** A run to come; `price` null for a task that plans nothing. */
type ComingRun = Pick<CrontabLine, "line" | "id" | "task" | "datasets"> & {
  readonly at: string;
  readonly inSeconds: number;
  readonly price: (Foreseen & { readonly isLeast: boolean }) | null;
};

/** What `storehouse schedule` shows. */
export type Schedule = {
  readonly file: string;
  /** False when nothing is known yet of the portfolio: then only reading it has a price. */
  readonly isFollowedKnown: boolean;
  readonly runs: readonly ComingRun[];
  /** Lines that do not run in the next years. */
  readonly never: readonly Pick<CrontabLine, "line" | "id">[];
  /** What was planned earlier and waits for a worker. */
  readonly waiting: { readonly slices: number; readonly credits: number };
};

const most = 1_000;

/** `storehouse schedule`: the next runs and what each would cost. */
export function defineSchedule(command: Command): void {
  command
    .option("--count <number>", "runs of each line", countArgument, 3)
    .option("--json", "as JSON")
    .action((options: Options) => {
      // a crontab that does not fit is refused before anything is opened
      readCrontab(crontabFile(loadConfig()));
      return withApp(async (app) => {
        const schedule = await scheduleOf(app, Math.min(options.count, most));
        if (options.json) printJson(schedule);
        else printSchedule(schedule);
      });
    });
}

/** The next runs of each line, in order of time, each priced as if those before it had run. */
export async function scheduleOf({ config, warehouse, clock }: App, count: number): Promise<Schedule> {
  const { db } = warehouse;
  const { settings } = config;
  const file = crontabFile(config);
  const now = clock.now();
  const coming = readCrontab(file).map((line) => ({ line, times: nextRuns(line, now, count) }));
  const inOrder = coming.flatMap(({ line, times }) => times.map((at) => ({ line, at }))).sort((a, b) => a.at - b.at);
  const foresee = createForesight(db, settings);
  const runs: ComingRun[] = [];
  for (const {
    line: { item: _, ...line },
    at,
  } of inOrder) {
    const planned = line.datasets === null ? null : await foresee(line.datasets, dayOf(at));
    const isLeast =
      planned !== null &&
      datasetsAtLeast(
        planned.datasets.map((dataset) => ({ dataset })),
        settings,
      ).length > 0;
    const price = planned === null ? null : { ...planned, isLeast };
    runs.push({ at: new Date(at).toISOString(), inSeconds: Math.round((at - now) / 1000), ...line, price });
  }
  const waiting = await openWork(db, scheduled([], settings));
  return {
    file,
    isFollowedKnown: (await currentPortfolio(db, settings)).apps.length > 0,
    runs,
    never: coming.filter(({ times }) => times.length === 0).map(({ line: { line, id } }) => ({ line, id })),
    waiting: {
      slices: waiting.reduce((sum, { slices }) => sum + slices, 0),
      credits: waiting.reduce((sum, { credits }) => sum + credits, 0),
    },
  };
}

const headings = [
  "at",
  "in",
  "line",
  optional("task"),
  "datasets",
  optional("slices"),
  optional("requests"),
  "credits",
  "",
];

function printSchedule({ file, isFollowedKnown, runs, never, waiting }: Schedule): void {
  const rows = runs.map(({ at, inSeconds, id, task, datasets, price }) => [
    timeCell(Date.parse(at)),
    durationText(inSeconds * 1000),
    id,
    task,
    datasets === null ? "" : datasets.length === 0 ? "all that are on" : datasets.join(", "),
    price?.slices,
    price?.requests,
    price?.credits,
    price?.isLeast === true ? "at least" : "",
  ]);
  if (runs.length === 0) print(`No line of ${file} runs anything.`);
  else print(`${table(headings, rows)}\n${zoneNote()}`);
  for (const { line, id } of never) print(`Line ${line} (${id}) never runs: no day has that date.`);
  if (!isFollowedKnown)
    print(
      "\nThe portfolio is not known yet, so only reading it has a price here: run `storehouse sync` first, or see portfolio in config/storehouse.yaml.",
    );
  else if (runs.length > 0)
    print(
      "\nEach run is priced as if those before it had run and every answer had come; portfolio, settings and prices are taken as they are now.",
    );
  if (waiting.slices > 0)
    print(
      `${countOf(waiting.slices, "slice was", "slices were")} planned earlier and ${waiting.slices === 1 ? "waits" : "wait"} for a worker: ${countOf(waiting.credits, "credit")} more.`,
    );
}
