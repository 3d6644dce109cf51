import { accountIdIn } from "../app.ts";
import { crontabFile, type Config } from "../config/config.ts";
import { dayOf } from "../core/day.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { createForesight, type Foreseen } from "../planner/price-schedule.ts";
import type { Database } from "../postgres/database.ts";
import { nextRuns, readCrontab, runsBetween, scheduledBy, type CrontabLine } from "./crontab.ts";

/** A run to come; `price` null for a task that plans nothing. Time in epoch-ms. */
export type ComingRun = Pick<CrontabLine, "line" | "id" | "task" | "datasets"> & {
  readonly at: number;
  readonly price: Foreseen | null;
};

/** What the runs to come are worked out from: so many of each line, after `now`. */
type ComingOptions = {
  readonly db: Database;
  readonly config: Config;
  readonly now: number;
  readonly count: number;
  readonly stop?: AbortSignal;
};

/** The next runs of each line of the crontab, in order of time, each priced as if those before it had run. Fewer after a stop. */
export async function comingRuns({ db, config, now, count, stop }: ComingOptions): Promise<readonly ComingRun[]> {
  const lines = readCrontab(crontabFile(config));
  const inOrder = lines
    .flatMap((line) => nextRuns(line, now, count).map((at) => ({ line, at })))
    .sort((a, b) => a.at - b.at);
  const accountId = await accountIdIn(db, config);
  const foresight = createForesight({ db, settings: config.settings, accountId, today: dayOf(now) });
  const runs: ComingRun[] = [];
  for (const { line, at } of inOrder) {
    if (stop?.aborted === true) break;
    const { item: _, ...rest } = line;
    // a night of the same day that is beyond the count has read the lists that all is planned from
    const lists = rest.datasets === null ? [] : listsBefore(lines, { at, now, settings: config.settings });
    if (lists.length > 0) await foresight.run(lists, dayOf(at));
    const price = rest.datasets === null ? null : (await foresight.run(rest.datasets, dayOf(at))).price;
    runs.push({ ...rest, at, price });
  }
  return runs;
}

type RunTime = { readonly at: number; readonly now: number; readonly settings: Config["settings"] };

/** The lists of the account that lines for everything read earlier on the day of a run. */
function listsBefore(lines: readonly CrontabLine[], { at, now, settings }: RunTime): readonly string[] {
  const since = Math.max(now, Date.parse(dayOf(at)) - 1);
  const nights = lines.filter(({ datasets }) => datasets?.length === 0);
  const earlier = nights.filter((line) => runsBetween(line, since, at).next().done !== true);
  return scheduledBy(earlier, settings).filter((name) => datasetNamed(name).stage === "portfolio");
}
