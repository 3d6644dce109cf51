import type { Command } from "commander";
import { createAppLog, type App } from "../../app.ts";
import { apiAccess, crontabFile } from "../../config/config.ts";
import { checkExposure } from "../../console/access.ts";
import { systemClock } from "../../core/clock.ts";
import { readCrontab, runIntervals } from "../../worker/crontab.ts";
import { AbortError, StorehouseError, UsageError, messageOf } from "../../core/errors.ts";
import { startWatch } from "../../worker/start-watch.ts";
import { openWorkerApp } from "../../worker/waits.ts";
import { runWorker } from "../../worker/worker.ts";
import { loadConfig } from "../with-app.ts";
import { remark } from "../output.ts";
import { stopSignal } from "../stop-signal.ts";
import { mayStart } from "../worker-agreement.ts";

/** `storehouse worker`: run the schedule until stopped. */
export function defineWorker(command: Command): void {
  command
    .option("--yes", "agree to the account's spending: what is missing now, then night by night")
    .addHelpText(
      "after",
      "\nThe first worker of an account shows what it would spend and requires confirmation: at a terminal, or by --yes. It agrees to the datasets that the crontab plans. An agreement to `storehouse sync` counts too. If the crontab plans other datasets later, a worker at a terminal requires confirmation of these; without a terminal it starts without them and logs a warning. Each planning job reads the agreement, so that a later yes needs no restart; the crontab and the settings are read when a worker starts: restart the workers that started before these files were last changed.\nThe worker waits while the database or the API does not respond. After a refused token it repeats the balance check after 1 minute, then 2, 4 ... up to 60.\nExit codes: 0 after SIGTERM or Ctrl-C, 2 settings that cannot work or not confirmed; it restarts automatically after any other error. A second signal ends it at once. Before it has started at a terminal, also 1 a step failed, 3 no credits are left, 130 Ctrl-C.",
    )
    .action((options: { yes?: true }) => work(options.yes === true));
}

async function work(yes: boolean): Promise<void> {
  const config = loadConfig();
  // a missing setting is reported before anything is opened
  apiAccess(config.environment);
  if (config.settings.console.on) checkExposure(config);
  const clock = systemClock();
  const scheduled = runIntervals(readCrontab(crontabFile(config)), clock.now());
  using stop = stopSignal();
  using _grace = endAfter(stop.signal, config.settings.worker.grace_seconds);
  // before the database is opened, so that probes see a worker that waits for it
  const log = await createAppLog(config);
  await using watch = await startWatch({ config, clock, log, scheduled });
  const { onState, onRequest } = watch;
  await using app = await openWorkerApp(config, { onState, stop: stop.signal });
  if (app === null || !(await mayStart(app, yes, stop.signal))) return;
  await using _ = watch.startChecks(app.databaseUrl);
  await using _console = await consoleOf(app);
  remark("The worker runs the schedule (times in UTC) and the queue, and catches up on missed runs; Ctrl-C stops it.");
  const error = await runWorker({ ...app, onRequest }, stop.signal, { onState });
  if (error === null) return remark("The worker has stopped.");
  // the program may have been updated since it was started
  const isOld = error.code === "database_newer";
  remark(`The worker has ended${isOld ? "" : ", and a restart alone does not help"}: ${error.message}`);
  process.exitCode = !isOld && (error instanceof UsageError || error instanceof AbortError) ? 2 : 1;
}

/**
 * The console in the worker's process, if the settings enable it. If it cannot start, the reason is logged and the worker runs without it.
 */
async function consoleOf(app: App): Promise<AsyncDisposable | null> {
  if (!app.config.settings.console.on) return null;
  // most workers have no console, and it is a third of what they would load
  const { startConsole } = await import("../../console/server.ts");
  try {
    const served = await startConsole(app);
    remark(`The console is on ${served.url}`);
    return served;
  } catch (error) {
    const known = error instanceof StorehouseError;
    const problem = app.hide(messageOf(error));
    app.log.error({ code: known ? error.code : "unexpected", problem }, "console.not_started");
    return null;
  }
}

/**
 * A service manager kills a process soon after it has sent the stop signal. Other workers take over slices that are not released by then
 * within a minute.
 */
function endAfter(stop: AbortSignal, seconds: number): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    remark("The worker has stopped; another worker takes over its unreleased slices within a minute.");
    process.exit(0);
  };
  stop.addEventListener("abort", () => (timer = setTimeout(end, seconds * 1000)), { once: true });
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
