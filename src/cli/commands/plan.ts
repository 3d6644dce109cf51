import type { Command } from "commander";
import { planRequest, type StagePlan } from "../../ingest/planning.ts";
import { withApp } from "../environment.ts";
import { print, printJson } from "../output.ts";
import { addSyncOptions, requestOf, type SyncOptions } from "../sync-options.ts";
import { table } from "../table.ts";

/** `storehouse plan`: what a sync would take. */
export function addPlan(program: Command): void {
  addSyncOptions(
    program
      .command("plan")
      .description("show the slices, requests and credits that a sync would take; writes and spends nothing"),
  )
    .option("--json", "as JSON")
    .action((options: SyncOptions) =>
      withApp(async (app) => {
        const plan = await planRequest(app.warehouse.db, requestOf(app, options), app.config.settings);
        const lines = linesOf(plan);
        if (options.json) printJson({ stage: plan.stage, lines, totals: totalsOf(plan) });
        else printPlan(plan, lines);
      }, options.asOf),
    );
}

type Line = { dataset: string; class: string; slices: number; requests: number; credits: number };

function linesOf(plan: StagePlan): readonly Line[] {
  return plan.plans.flatMap(({ dataset, slices }) =>
    [...Map.groupBy(slices, (slice) => slice.class)].map(([creditClass, group]) => ({
      dataset,
      class: creditClass,
      slices: group.length,
      requests: group.reduce((sum, slice) => sum + slice.requests, 0),
      credits: group.reduce((sum, slice) => sum + slice.credits, 0),
    })),
  );
}

function totalsOf(plan: StagePlan) {
  const slices = plan.plans.flatMap((one) => one.slices);
  return {
    slices: slices.length,
    requests: slices.reduce((sum, slice) => sum + slice.requests, 0),
    credits: slices.reduce((sum, slice) => sum + slice.credits, 0),
    naiveCredits: plan.plans.reduce((sum, one) => sum + one.naiveCredits, 0),
  };
}

function printPlan(plan: StagePlan, lines: readonly Line[]): void {
  const totals = totalsOf(plan);
  if (totals.slices === 0) {
    print(
      plan.portfolio.apps.length === 0
        ? "Nothing to do: no app is followed. See portfolio in config/storehouse.yaml."
        : "Nothing to do: everything asked for is loaded.",
    );
    return;
  }
  const rows = lines.map((line) => [line.dataset, line.class, line.slices, line.requests, line.credits]);
  print(
    table(
      ["dataset", "class", "slices", "requests", "credits"],
      [...rows, ["total", "", totals.slices, totals.requests, totals.credits]],
    ),
  );
  print(`\nOne request a keyword would cost ${totals.naiveCredits.toLocaleString("en-US")} credits.`);
  if (plan.stage === "portfolio")
    print("This reads what is followed; the market is planned from it. Run `storehouse sync`, or plan again after it.");
}
