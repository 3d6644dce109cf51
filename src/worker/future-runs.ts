import type { App } from "../app.ts";
import { skewHarmfulMs } from "../postgres/clock-skew.ts";
import { sql } from "../postgres/sql.ts";

/**
 * Sets the last run of each crontab line to now if it lies in the future, as after a clock was set back: graphile-worker plans a line only
 * at times after its last run. Clocks of workers may differ by less than a minute, so such a last run stays. If the clock of another worker
 * is further ahead, a line that it has run too early runs once more at its time: that plans only what is still due.
 */
export async function resetFutureRuns({ warehouse: { db }, log }: Pick<App, "warehouse" | "log">): Promise<void> {
  const { rows } = await sql<{ line: string }>`
    update graphile_worker._private_known_crontabs set last_execution = clock_timestamp()
    where  last_execution > clock_timestamp() + ${skewHarmfulMs}::double precision * interval '1 millisecond'
    returning identifier as line`.execute(db);
  if (rows.length > 0) log.warn({ lines: rows.map(({ line }) => line) }, "schedule.future_runs_reset");
}
