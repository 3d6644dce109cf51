import { accountIdIn } from "../app.ts";
import type { Config } from "../config/config.ts";
import { dayOf } from "../core/day.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { createPriceForecaster, type RunForecast } from "../planner/price-schedule.ts";
import type { Database } from "../postgres/database.ts";
import { lastRun, nextRuns, scheduledBy, type CrontabLine } from "./crontab.ts";

/** A future run; `price` is null for a task that plans nothing. Time in epoch-ms. */
export type ComingRun = Pick<CrontabLine, "line" | "id" | "task" | "datasets"> & {
  readonly at: number;
  readonly price: RunForecast | null;
};

/** What future runs are computed from: `count` of each line, after `now`. */
type ComingOptions = {
  readonly db: Database;
  readonly config: Config;
  readonly lines: readonly CrontabLine[];
  readonly now: number;
  readonly count: number;
  readonly stop?: AbortSignal;
};

/** The next runs of each of these lines, in order of time, each priced as if those before it had run. Fewer after a stop. */
export async function comingRuns({
  db,
  config,
  lines,
  now,
  count,
  stop,
}: ComingOptions): Promise<readonly ComingRun[]> {
  const counted = lines.map((line) => ({ line, times: nextRuns(line, now, count) }));
  const inOrder = counted.flatMap(({ line, times }) => times.map((at) => ({ line, at }))).sort((a, b) => a.at - b.at);
  const accountId = await accountIdIn(db, config);
  const forecaster = createPriceForecaster({ db, settings: config.settings, accountId, today: dayOf(now) });
  const runs: ComingRun[] = [];
  for (const { line, at } of inOrder) {
    if (stop?.aborted === true) break;
    const { item: _, ...rest } = line;
    // what other lines will have requested by then in runs that are not counted
    const before = rest.datasets === null ? [] : runsBefore(counted, { line, at, settings: config.settings });
    for (const run of before) await forecaster.run(run.datasets, dayOf(run.at));
    const price = rest.datasets === null ? null : (await forecaster.run(rest.datasets, dayOf(at))).price;
    runs.push({ ...rest, at, price });
  }
  return runs;
}

/** A line with its counted future runs. */
type CountedLine = { readonly line: CrontabLine; readonly times: readonly number[] };

type RunTime = { readonly line: CrontabLine; readonly at: number; readonly settings: Config["settings"] };

/**
 * For each other line: its last run before a given run, if it is not counted, with what it plans for the datasets of that run and for the
 * lists of the portfolio. That run requests all days that are missing by then.
 */
function runsBefore(counted: readonly CountedLine[], { line, at, settings }: RunTime) {
  const own = scheduledBy([line], settings);
  const isAbout = (name: string) => own.includes(name) || datasetNamed(name).stage === "portfolio";
  return counted
    .flatMap(({ line: other, times }) => {
      const last = lastRun(other, times.at(-1) ?? at, at);
      const datasets = scheduledBy([other], settings).filter(isAbout);
      return other === line || last === undefined || datasets.length === 0 ? [] : [{ at: last, datasets }];
    })
    .sort((a, b) => a.at - b.at);
}
