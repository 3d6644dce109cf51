import type { Day } from "../../src/core/day.ts";
import { planInForeground, type PlanResult } from "../../src/foreground.ts";
import { knownPlan, makePlan, type BackfillPlan, type MadePlan } from "../../src/planner/backfill-plan.ts";
import type { BackfillRequest } from "../../src/planner/backfill-request.ts";
import { readPlanProgress, priceLeft, type PlanProgress } from "../../src/ledger/plans.ts";
import type { SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { runCommand, type Ended } from "./command.ts";
import type { ChildOptions } from "./ingest-child.ts";
import { today, type RunOptions, type Stage } from "./ingest-stage.ts";
import { openSynced } from "./synced-stage.ts";

/** Opens a stage that knows the portfolio and has requested nothing of the market; its log is empty. */
export async function openWithPortfolio(options: SandboxOptions = {}): Promise<Stage> {
  return openSynced(options, { request: { datasets: ["tracked_keyword"] } });
}

type Wanted = Partial<BackfillRequest> & { readonly on?: Day };

/** Plans a backfill of keyword ranks, unless said otherwise, as on the stage's day. */
export async function plan(
  stage: Stage,
  { on = today, ...requested }: Wanted = {},
  run: RunOptions = {},
): Promise<MadePlan> {
  await using app = await stage.open({ ...run, request: { today: on } });
  return await makePlan(app.warehouse.db, {
    requested: {
      datasets: ["keyword_rank"],
      bounds: {},
      apps: [],
      countries: [],
      reprocess: "missing",
      newestFirst: false,
      mostCredits: null,
      ...requested,
    },
    settings: app.config.settings,
    clock: app.clock,
  });
}

/** `plan` where there is something to do. */
export async function planned(stage: Stage, wanted: Wanted = {}, run: RunOptions = {}): Promise<BackfillPlan> {
  const { plan: made } = await plan(stage, wanted, run);
  if (made === null) throw new Error("there is nothing to do");
  return made;
}

/** Runs a plan as `storehouse backfill --plan` does once it is agreed to. */
export async function runPlanned(
  stage: Stage,
  planId: string,
  { on = today, ...run }: RunOptions & { readonly on?: Day } = {},
): Promise<PlanResult> {
  await using app = await stage.open({ ...run, request: { today: on } });
  const known = await knownPlan(app.warehouse.db, planId, "");
  const parts = { ...app, crashPoint: run.crashPoint };
  return await planInForeground(parts, {
    plan: known,
    maxCredits: priceLeft(known, await readPlanProgress(app.warehouse.db, planId)),
    stop: run.stop ?? new AbortController().signal,
    progress: run.progress ?? (() => undefined),
  });
}

/** Where a plan stands. */
export async function progressOf(stage: Stage, planId: string): Promise<PlanProgress> {
  await using app = await stage.open();
  return await readPlanProgress(app.warehouse.db, planId);
}

/** Credits that the sandbox charged for what it logged. */
export function charged(stage: Stage): number {
  return stage.requested().reduce((sum, request) => sum + request.charged, 0);
}

/** Runs `storehouse backfill ...` to its end. */
export async function backfillCommand(
  stage: Stage,
  command: readonly string[],
  options: ChildOptions = {},
): Promise<Ended> {
  return runCommand(stage, ["backfill", "--as-of", today, ...command], options);
}
