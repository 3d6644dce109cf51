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
          remark(
            "The worker runs the schedule in jobs/crontab (UTC) and the queue, and catches up on what was missed; Ctrl-C stops it.",
          );
          const error = await runWorker(app, stop.signal);
          remark(error === null ? "The worker has stopped." : error.message);
          if (error === null) return;
          process.exitCode = 2;
        } finally {
          stop.dispose();
        }
      }),
    );
}
