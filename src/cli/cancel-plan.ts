import type { App } from "../app.ts";
import { cancelPlan, endedWords } from "../ledger/end-stopped.ts";
import { readPlanProgress } from "../ledger/plans.ts";
import type { BackfillPlan } from "../planner/backfill-plan.ts";
import { print, printJson } from "./output.ts";
import { count, countOf } from "../core/words.ts";

/** Cancels the rest of a plan, which a worker would otherwise continue, and says how much was done. */
export async function cancelRest(app: App, { planId, credits, queuedAt }: BackfillPlan, json: boolean): Promise<void> {
  const { db } = app.warehouse;
  const { cancelled, failed } = await cancelPlan(db, planId);
  const progress = await readPlanProgress(db, planId);
  if (json) return printJson({ planId, cancelled, failed, planProgress: progress });
  if (queuedAt === null)
    return print(
      `Plan ${planId} has never run, so nothing of it waits. It spends nothing unless \`storehouse backfill --plan ${planId}\` runs it.`,
    );
  if (cancelled + failed === 0) print(`No slice of plan ${planId} is waiting: there is nothing to cancel.`);
  else for (const sentence of endedWords(`of plan ${planId}`, { cancelled, failed })) print(sentence);
  const done = progress.total - progress.open - progress.failed;
  print(`${countOf(done, "slice")} finished, for ${count(progress.credits)} of ${countOf(credits, "credit")}.`);
  if (progress.open > 0)
    print(`${countOf(progress.open, "slice is", "slices are")} under way and ${progress.open === 1 ? "ends" : "end"}.`);
}
