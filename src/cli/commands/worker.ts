import type { Command } from "commander";
import { runWorker } from "../../worker.ts";
import { withApi } from "../environment.ts";
import { remark } from "../output.ts";
import { stopSignal } from "../stop-signal.ts";

/** `storehouse worker`: run the schedule until stopped. */
export function addWorker(program: Command): void {
  program
    .command("worker")
    .description(
      "run the schedule in jobs/crontab and the queue until stopped; any number of workers may share one database",
    )
    .action(() =>
      withApi(async (app) => {
        const stop = stopSignal();
        try {
          const error = await runWorker(app, stop.signal);
          if (error === null) return;
          remark(error.message);
          process.exitCode = 2;
        } finally {
          stop.dispose();
        }
      }),
    );
}
