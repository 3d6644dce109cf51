import { crontabFile, type Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import { addDays, day } from "../core/day.ts";
import { UsageError } from "../core/errors.ts";
import { everyDataset, latenessOf, readOwnPackDays, type RunIntervals } from "../incidents/lateness.ts";
import type { Database } from "../postgres/database.ts";
import { readCrontab, runIntervals } from "./crontab.ts";

/** A dataset and the newest day that it has answered. */
type Answered = { readonly dataset: string; readonly lastDay: string | null };

/** What they are judged by, in addition to the ledger. */
type Parts = { readonly config: Config; readonly clock: Clock };

/** Which of these datasets are late, by the rules of a worker's checks. A dataset without a loaded day is not late. */
export async function readLateDatasets(
  db: Database,
  answered: readonly Answered[],
  { config, clock }: Parts,
): Promise<readonly string[]> {
  const scheduled = readIntervals({ config, clock });
  const ownPackDays = await readOwnPackDays(db, clock.now());
  const states = answered.flatMap(({ dataset, lastDay }) =>
    lastDay === null ? [] : [{ dataset, state: "loaded", newestEnd: addDays(day(lastDay), 1), plannedAt: new Date(0) }],
  );
  return latenessOf(states, { settings: config.settings, clock, scheduled, ownPackDays })
    .filter(({ ageMs, limitMs }) => ageMs > limitMs)
    .map(({ dataset }) => dataset);
}

/**
 * How often the crontab runs each dataset. If it cannot be read, all datasets count as run as often as their timing needs: no worker starts
 * then, and late datasets must be visible. `storehouse doctor` names the problem in the crontab.
 */
export function readIntervals({ config, clock }: Parts): RunIntervals {
  try {
    return runIntervals(readCrontab(crontabFile(config)), clock.now());
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return new Map([[everyDataset, 0]]);
  }
}
