import { accountOf } from "../../config/config-of-account.ts";
import type { Command } from "commander";
import type { App } from "../../app.ts";
import { crontabFile, type Config } from "../../config/config.ts";
import type { Settings } from "../../config/settings.ts";
import { readNotAgreed, type NotAgreed } from "../../worker/agreed-lines.ts";
import { comingRuns, type ComingRun } from "../../worker/coming-runs.ts";
import { readCrontab, type CrontabLine } from "../../worker/crontab.ts";
import { readPortfolioApps } from "../../planner/portfolio.ts";
import type { RunForecast } from "../../planner/price-schedule.ts";
import { scheduled } from "../../planner/scheduled-datasets.ts";
import { openWork } from "../../ledger/open-slices.ts";
import { wholeNumber } from "../arguments.ts";
import { settingsFile } from "../environment.ts";
import { withCheckedApp } from "../with-app.ts";
import { print, printJson } from "../output.ts";
import { notAgreedText } from "../status-facts.ts";
import { countOf, durationText, listed } from "../../core/words.ts";
import { datasetsAtLeast } from "../../planner/plan-work.ts";
import { optional, table } from "../table.ts";
import { isoTime, timeCell, zoneNote } from "../times.ts";
import { sumBy } from "../../core/sum.ts";

type Options = { readonly json?: true; readonly count: number };

/** A coming run; `price` is null for a task that plans nothing. `notAgreed`: the datasets of it that workers leave out. */
type ShownRun = Omit<ComingRun, "at" | "price"> & {
  readonly at: string;
  readonly inSeconds: number;
  readonly price: (RunForecast & { readonly isLeast: boolean }) | null;
  readonly notAgreed: readonly string[];
};

/** What `storehouse schedule` shows. */
export type ScheduleReport = {
  readonly file: string;
  /** False while nothing is known about the portfolio: then only reading it has a price. */
  readonly isPortfolioKnown: boolean;
  readonly runs: readonly ShownRun[];
  /** What the crontab plans and nobody has agreed to. It is priced too, so that a price can be read before agreeing. */
  readonly notAgreed: NotAgreed | null;
  /** Lines that do not run in the next years. */
  readonly never: readonly Pick<CrontabLine, "line" | "id">[];
  /** What was planned earlier and waits for a worker. */
  readonly waiting: { readonly slices: number; readonly credits: number };
};

const runsArgument = wholeNumber({ least: 1, most: 1_000, says: "Write a whole number from 1 to 1000." });

/** `storehouse schedule`: the next runs and what each would cost. */
export function defineSchedule(command: Command): void {
  command
    .option("--count <number>", "runs to show per crontab line, at most 1000", runsArgument, 3)
    .option("--json", "as JSON")
    .action((options: Options) =>
      // an invalid crontab is refused before anything is opened
      withCheckedApp(
        (config) => readCrontab(crontabFile(config)),
        async (app) => {
          const schedule = await scheduleReport(app, options.count);
          if (options.json) printJson(schedule);
          else printSchedule(schedule, app.config);
        },
      ),
    );
}

/** The next runs of each line, in order of time. Each is priced as if the earlier ones had run. */
export async function scheduleReport({ config, warehouse, clock }: App, count: number): Promise<ScheduleReport> {
  const { db } = warehouse;
  const { settings } = config;
  const now = clock.now();
  const lines = readCrontab(crontabFile(config));
  const notAgreed = await readNotAgreed(db, config);
  const lacks = (name: string) => notAgreed?.datasets.includes(name) === true;
  const runs = (await comingRuns({ db, config, lines, now, count })).map(({ at, price, ...run }) => ({
    ...run,
    at: isoTime(at),
    inSeconds: Math.round((at - now) / 1000),
    price: price === null ? null : { ...price, isLeast: isLeast(price, settings) },
    notAgreed: run.datasets === null ? [] : scheduled(run.datasets, settings).filter(lacks),
  }));
  const ids = new Set(runs.map(({ id }) => id));
  const waiting = await openWork(db, { datasets: scheduled([], settings), account: accountOf(settings) });
  return {
    file: crontabFile(config),
    isPortfolioKnown: (await readPortfolioApps(db, settings)).length > 0,
    runs,
    notAgreed,
    never: lines.flatMap(({ line, id }) => (ids.has(id) ? [] : [{ line, id }])),
    waiting: { slices: sumBy(waiting, ({ slices }) => slices), credits: sumBy(waiting, ({ credits }) => credits) },
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

function isLeast({ datasets }: RunForecast, settings: Settings): boolean {
  const work = datasets.map((dataset) => ({ dataset }));
  return datasetsAtLeast(work, settings).length > 0;
}

/** The part of a run that workers leave out. */
function leftOut({ datasets, notAgreed }: Pick<ShownRun, "datasets" | "notAgreed">, settings: Settings): string {
  if (datasets === null || notAgreed.length === 0) return "";
  const isAll = scheduled(datasets, settings).length === notAgreed.length;
  return isAll ? "not agreed" : `not agreed: ${listed(notAgreed)}`;
}

/** The part of a run that budgets put off. */
function putOff({ overBudget: { slices, credits } }: RunForecast): string {
  return slices === 0 ? "" : `budgets defer ${countOf(credits, "credit")}`;
}

function printSchedule(
  { file, isPortfolioKnown, runs, notAgreed, never, waiting }: ScheduleReport,
  { environment, settings }: Config,
): void {
  const rows = runs.map(({ at, inSeconds, id, task, datasets, price, notAgreed: lacking }) => [
    timeCell(Date.parse(at)),
    durationText(inSeconds * 1000),
    id,
    task,
    datasets === null ? "" : datasets.length === 0 ? "all that are on" : datasets.join(", "),
    price?.slices,
    price?.requests,
    price?.credits,
    [
      price?.isLeast === true ? "at least" : "",
      price == null ? "" : putOff(price),
      leftOut({ datasets, notAgreed: lacking }, settings),
    ]
      .filter((text) => text !== "")
      .join(", "),
  ]);
  if (runs.length === 0) print(`No line in ${file} runs anything.`);
  else print(`${table(headings, rows)}\n${zoneNote()}`);
  for (const { line, id } of never) print(`Line ${line} (${id}) never runs: its date does not exist.`);
  if (!isPortfolioKnown)
    print(
      `\nThe portfolio is not known yet, so these prices only cover reading it: run \`storehouse sync\` first, or see portfolio in ${settingsFile(environment)}.`,
    );
  else if (runs.length > 0)
    print(
      "\nEach run is priced as if the runs before it had loaded everything, with the portfolio, settings and prices of now.",
    );
  if (notAgreed !== null) print(`Not agreed: ${notAgreedText(notAgreed)}.`);
  if (waiting.slices > 0)
    print(
      `${countOf(waiting.slices, "slice was", "slices were")} planned earlier and ${waiting.slices === 1 ? "waits" : "wait"} for a worker: ${countOf(waiting.credits, "credit")} more.`,
    );
}
