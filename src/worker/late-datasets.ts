import { crontabFile, type Config } from "../config/config.ts";
import type { Clock } from "../core/clock.ts";
import { addDays, day } from "../core/day.ts";
import { everyDataset, latenessOf, readOwnRhythms, type RunIntervals } from "../incidents/lateness.ts";
import type { Database } from "../postgres/database.ts";
import { readCrontab, runIntervals } from "./crontab.ts";

/** A dataset and the newest day that it has answered. */
type Answered = { readonly dataset: string; readonly lastDay: string | null };

/** What they are judged by beside the ledger. */
type Parts = { readonly config: Config; readonly clock: Clock };

/** Which of these datasets are late, as the checks of a worker find it; one of which no day is loaded has nothing that could be late. */
export async function readLateDatasets(
  db: Database,
  answered: readonly Answered[],
  { config, clock }: Parts,
): Promise<readonly string[]> {
  const scheduled = readIntervals({ config, clock });
  const rhythms = await readOwnRhythms(db, clock.now());
  const states = answered.flatMap(({ dataset, lastDay }) =>
    lastDay === null ? [] : [{ dataset, state: "loaded", newestEnd: addDays(day(lastDay), 1), plannedAt: new Date(0) }],
  );
  return latenessOf(states, { settings: config.settings, clock, scheduled, rhythms })
    .filter(({ ageMs, limitMs }) => ageMs > limitMs)
    .map(({ dataset }) => dataset);
}

/**
 * How often the crontab runs each dataset; where it cannot be read, as if it ran them all as often as their timing needs: no worker starts
 * then, and what gets late for it must be seen. `storehouse doctor` names what is wrong with it.
 */
export function readIntervals({ config, clock }: Parts): RunIntervals {
  try {
    return runIntervals(readCrontab(crontabFile(config)), clock.now());
  } catch {
    return new Map([[everyDataset, 0]]);
  }
}
