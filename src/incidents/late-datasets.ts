import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { dayMs, hourMs } from "../core/day.ts";
import type { Settings } from "../config/settings.ts";

/** The last night's run is done six hours after midnight, and one missed night can be made up for before anything is late. */
export const lateAfterMs = 6 * hourMs + dayMs;

/** A dataset and the newest day that it has answered. */
type Answered = { readonly dataset: string; readonly lastDay: string | null };

/**
 * Datasets that are on and whose newest day is older than their timings, as planning has noted them, let it be. Limits of the settings
 * (`fresh_hours`) go before that; `now` in epoch-ms. A worker's checks know more: how often its crontab runs a dataset.
 */
export async function readLateDatasets(
  db: Database,
  answered: readonly Answered[],
  { settings, now }: { readonly settings: Pick<Settings, "datasets">; readonly now: number },
): Promise<readonly string[]> {
  const { rows } = await sql<{ dataset: string; days: number }>`
    select dataset, longest_days as days from ops.dataset_rhythm`.execute(db);
  const limits = new Map(
    rows.map(({ dataset, days }) => {
      const hours = settings.datasets[dataset]?.fresh_hours;
      return [dataset, hours === undefined ? days * dayMs + lateAfterMs : hours * hourMs] as const;
    }),
  );
  return answered
    .filter(({ dataset, lastDay }) => {
      const limit = limits.get(dataset);
      return limit !== undefined && lastDay !== null && now - (Date.parse(lastDay) + dayMs) > limit;
    })
    .map(({ dataset }) => dataset);
}
