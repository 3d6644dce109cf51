import type { Command } from "commander";
import { latestRuns, type RunLine } from "../../ledger/runs.ts";
import { countArgument } from "../arguments.ts";
import { withWarehouse } from "../environment.ts";
import { print, printJson } from "../output.ts";
import { table } from "../table.ts";

/** `storehouse runs`: what was run lately and what came of it. */
export function defineRuns(command: Command): void {
  command
    .option("--limit <number>", "how many", countArgument, 20)
    .option("--json", "as JSON")
    .action((options: { limit: number; json?: true }) =>
      withWarehouse(async ({ warehouse }) => {
        const runs = await latestRuns(warehouse.db, options.limit);
        if (options.json) printJson(runs);
        else printRuns(runs);
      }),
    );
}

const states = ["loaded", "empty", "skipped", "failed", "open", "deferred"] as const;

function printRuns(runs: readonly RunLine[]): void {
  if (runs.length === 0) {
    print("Nothing was run yet: `storehouse plan` shows what a sync would take, `storehouse sync` fetches it.");
    return;
  }
  // what is nowhere takes no room
  const columns = states.filter((state) => state === "loaded" || runs.some((run) => run[`${state}_count`] > 0));
  const rows = runs.map((run) => [
    run.run_id,
    run.plan_id === null ? run.kind : `${run.kind} of plan ${run.plan_id}`,
    run.started_at.toISOString().slice(0, 19).replace("T", " "),
    run.ended_at === null ? null : `${Math.round((run.ended_at.getTime() - run.started_at.getTime()) / 1000)} s`,
    run.outcome ?? "has not ended",
    ...columns.map((state) => run[`${state}_count`]),
    run.planned_credits,
    run.booked_credits,
  ]);
  print(table(["run", "kind", "started (UTC)", "took", "outcome", ...columns, "planned", "booked"], rows));
}
