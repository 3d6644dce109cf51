import type { App } from "../app.ts";
import { hourMs } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import { durationText } from "../core/words.ts";
import { readDatabaseClock, skewHarmfulMs, skewOf } from "../postgres/clock-skew.ts";

/** Beyond this rows of a part of each day would be of another one. */
const mostMs = hourMs;

/**
 * Compares the clock of this machine with the database's before requests are planned by it: snapshots are of the day that it shows. Logs
 * a difference that disturbs holds and leases. Throws `clock_wrong` beyond an hour.
 */
export async function checkClock({
  warehouse: { db },
  clock,
  log,
}: Pick<App, "warehouse" | "clock" | "log">): Promise<void> {
  const { aheadMs, sureMs } = skewOf(await readDatabaseClock(db, clock));
  if (sureMs > mostMs)
    throw fail("clock_wrong", { by: durationText(Math.abs(aheadMs)), side: aheadMs < 0 ? "ahead of" : "behind" });
  if (sureMs > skewHarmfulMs) log.warn({ ahead_ms: Math.round(-aheadMs) }, "clock.differs");
}
