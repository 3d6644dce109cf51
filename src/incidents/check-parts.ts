import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../postgres/database.ts";
import type { RunIntervals } from "./lateness.ts";

/** What a check needs. */
export type CheckParts = {
  readonly db: Database;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly accountId: string;
  /** Datasets that the crontab names, with the time between their runs: they are on, even if they are off by default. */
  readonly scheduled: RunIntervals;
};
