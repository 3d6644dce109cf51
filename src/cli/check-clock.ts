import type { App } from "../app.ts";
import { hourMs } from "../core/day.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { durationText } from "../core/words.ts";
import { readDatabaseClock, skewHarmfulMs, skewOf } from "../postgres/clock-skew.ts";

/** Beyond this rows of a part of each day would be of another one. */
const mostMs = hourMs;

/** A machine that has just started sets its clock within minutes. */
const checkMs = 30_000;

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

/** The same for what runs until it is stopped: waits, and logs so, since a service manager does not start again what a person has to correct. */
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
