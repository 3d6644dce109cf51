import type { App } from "../app.ts";
import { hourMs } from "../core/day.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { durationText } from "../core/words.ts";
import { readDatabaseClock, skewHarmfulMs, skewOf } from "../postgres/clock-skew.ts";

/** Beyond this, rows from part of each day would be stored under another day. */
const mostMs = hourMs;

/** A machine that has just started sets its clock within minutes. */
const checkMs = 30_000;

/**
 * Compares the clock of this machine with the database's before requests are planned: it decides the day of snapshots. Logs a difference
 * that disturbs holds and leases. Throws `clock_wrong` beyond an hour.
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

/**
 * The same for a process that runs until it is stopped: it waits, and logs that, since a restart by a service manager would not correct the
 * clock.
 */
export async function untilClockAgrees(app: App, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    try {
      return await checkClock(app);
    } catch (error) {
      if (!(error instanceof StorehouseError && error.code === "clock_wrong")) throw error;
      app.log.error({ problem: error.message, wait_ms: checkMs }, "clock.wrong");
      await app.clock.sleep(checkMs, stop).catch(() => undefined);
    }
  }
}
