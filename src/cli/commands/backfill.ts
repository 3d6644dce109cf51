import { accountOf } from "../../config/config-of-account.ts";
import type { Command } from "commander";
import type { App } from "../../app.ts";
import { fail, StorehouseError } from "../../core/errors.ts";
import { planInForeground, type PlanResult } from "../../foreground.ts";
import { checkClock } from "../check-clock.ts";
import { isMissingMore, knownPlan, makePlan, type BackfillPlan, type MadePlan } from "../../planner/backfill-plan.ts";
import { nothingNewWords, readWaitingWork, waitingWords } from "../../planner/waiting-work.ts";
import { planChanges } from "../../planner/plan-changes.ts";
import { readPlanProgress, priceLeft, type PlanProgress } from "../../ledger/plans.ts";
import { cancelRest } from "../cancel-plan.ts";
import { canConfirm, confirm } from "../confirm.ts";
import { addBackfillOptions, backfillRequestOf, type BackfillOptions } from "../backfill-options.ts";
import {
  priceSpentWords,
  printCancelled,
  printChanges,
  printDone,
  printKeptPlan,
  workLeft,
} from "../backfill-report.ts";
import { withApi, withApp } from "../with-app.ts";
import { print, printJson, remark } from "../output.ts";
import { count, countOf } from "../../core/words.ts";
import { datasetsAtLeast, workOf } from "../../planner/plan-work.ts";
import { outlookOf } from "../plan-report.ts";
import { exitCodeOf, exitCodes, exitCodeUnconfirmed } from "../exit-codes.ts";
import { exitHelp, printResult } from "../run-report.ts";
import { stopSignal } from "../stop-signal.ts";
import { withProgress } from "./sync.ts";
import { isoTime, timeText } from "../times.ts";

/** `storehouse backfill`: plan the price of history, show the plan, run exactly that. */
export function defineBackfill(command: Command): void {
  addBackfillOptions(command)
    .addHelpText("after", `${planHelp}\n${exitHelp}`)
    .action((options: BackfillOptions) =>
      options.dryRun || options.cancel
        ? withApp((app) => backfill(app, options), options.asOf)
        : withApi((app) => backfill(app, options), options.asOf),
    );
}

const planHelp = `
A plan is kept. \`--plan\` runs it exactly as it was made, on any day.
If what it requests has changed since then, the command lists the changes, spends nothing and exits with 2.
A plan that was stopped continues with the same \`--plan\`, and never costs more than its price.
The same command again also continues it, if there is nothing new to plan.
Above credits.ask_above in config/storehouse.yaml it requires confirmation: at a terminal, or by --yes.
Workers continue a stopped plan, unless \`--plan N --cancel\` cancels it.`;

/** If another process queues part of the plan that this command made, the plan is made again, at most this many times. */
const madeAgainAtMost = 3;

async function backfill(app: App, options: BackfillOptions): Promise<void> {
  if (options.cancel) return cancel(app, options);
  if (!options.dryRun) await checkClock(app);
  // a run that only plans can be ended at any moment
  using stop = options.dryRun ? null : stopSignal();
  const signal = stop?.signal ?? new AbortController().signal;
  for (let tries = 1; ; tries += 1) {
    const made = await planOf(app, options);
    if (made.plan === null) {
      const left = made.waiting?.ofSameRequest ?? null;
      if (left === null || options.dryRun) return sayNothingToDo(made, options);
      return await continuePlan(app, options, { ...made, planId: left }, signal);
    }
    if (signal.aborted) {
      process.exitCode = exitCodes.interrupted;
      return remark(`Interrupted: nothing was run. \`storehouse backfill --plan ${made.plan.planId}\` runs it later.`);
    }
    const mayMakeAgain = options.plan === undefined && tries <= madeAgainAtMost;
    const ran = await runOrShow(app, options, { ...made, plan: made.plan }, signal).catch((error: unknown) => {
      if (!(error instanceof StorehouseError) || error.code !== "plan_changed") throw error;
      return "changed" as const;
    });
    if (ran !== "changed") return;
    if (!mayMakeAgain) return await sayChanges(app, options, made.plan);
    remark("Another process has queued part of it in the meantime, so the plan is made again.");
  }
}

/** Continues the plan that the same command made before: it was stopped, or waits for credits. */
async function continuePlan(
  app: App,
  options: BackfillOptions,
  { planId, leftOut }: Pick<MadePlan, "leftOut"> & { readonly planId: string },
  stop: AbortSignal,
): Promise<void> {
  remark(`Plan ${planId} of the same request is not done: it continues.`);
  const sameAsPlan = { ...options, plan: planId, isRepeated: true };
  const { plan, notes } = await planOf(app, sameAsPlan);
  if (plan !== null) await runOrShow(app, sameAsPlan, { notes, leftOut, plan }, stop);
}

async function cancel(app: App, { plan, json }: BackfillOptions): Promise<void> {
  if (plan === undefined) throw fail("bad_argument", { problem: "--plan is missing: name the plan to cancel" });
  const known = await knownPlan(app.warehouse.db, plan, accountOf(app.config.settings));
  await cancelRest(app, known, json === true);
}

async function planOf(app: App, options: BackfillOptions): Promise<MadePlan> {
  const { db } = app.warehouse;
  if (options.plan !== undefined) {
    const plan = await knownPlan(db, options.plan, accountOf(app.config.settings));
    return { plan, leftOut: plan.leftOut, notes: [] };
  }
  const request = backfillRequestOf(app, options);
  return makePlan(db, { requested: request, settings: app.config.settings, clock: app.clock });
}

type Made = MadePlan & { readonly plan: BackfillPlan };

/** `isRepeated`: the plan was not named, but is continued by the command that made it. */
type RunOptions = BackfillOptions & { readonly isRepeated?: boolean };

async function runOrShow(app: App, options: RunOptions, made: Made, stop: AbortSignal): Promise<void> {
  const { db } = app.warehouse;
  const { plan, notes } = made;
  const planProgress = await readPlanProgress(db, plan.planId);
  const isDone = plan.queuedAt !== null && planProgress.open === 0;
  const isMissing = isDone && (await isCancelledMissing(app, plan, planProgress));
  // refused before anything is shown or anyone has to confirm
  if (plan.queuedAt === null && options.plan !== undefined && (await hasChanged(app, plan)))
    throw fail("plan_changed", { plan: plan.planId });
  if (!options.json) {
    if (isDone) printDone(plan, planProgress, isMissing);
    else await printKeptPlan(app, plan, planProgress);
    for (const note of notes) print(note);
  }
  if (isDone || options.dryRun) {
    if (options.json)
      printJson({ ...(await planJson(app, made)), planProgress: plan.queuedAt === null ? null : planProgress });
    else if (!isDone) print(`Run it with \`storehouse backfill --plan ${plan.planId}\`. Nothing was spent.`);
    if (isDone && !options.dryRun) process.exitCode = exitCodeOfDone(planProgress, isMissing);
    return;
  }
  const price = priceLeft(plan, planProgress);
  if (!(await isAgreed(app, options, { plan, price, stop }))) return;
  const result = await run(app, { plan, price, stop });
  await sayResult(app, options, made, result);
}

/** A plan of which slices were cancelled is not loaded whole, unless another plan has requested their cells since. */
async function isCancelledMissing({ warehouse, config }: App, plan: BackfillPlan, { cancelled }: PlanProgress) {
  return cancelled > 0 && (await isMissingMore(warehouse.db, plan, config.settings));
}

function exitCodeOfDone({ failed }: PlanProgress, isMissing: boolean): number {
  if (failed > 0) return exitCodes.failed;
  return isMissing ? exitCodes.deferred : exitCodes.loaded;
}

async function hasChanged(
  { warehouse: { db }, config: { settings }, clock }: App,
  plan: BackfillPlan,
): Promise<boolean> {
  return (await planChanges(db, { plan, settings, clock })) !== null;
}

async function isAgreed(
  { config }: App,
  options: BackfillOptions,
  { plan, price, stop }: { plan: BackfillPlan; price: number; stop: AbortSignal },
): Promise<boolean> {
  const limit = config.settings.credits.ask_above;
  if (options.yes || price <= limit) return true;
  if (!canConfirm()) throw fail("not_agreed", { credits: count(price), limit: count(limit), plan: plan.planId });
  if (await confirm(`Spend up to ${countOf(price, "credit")}?`, stop)) return true;
  remark(`Nothing was run or spent. \`storehouse backfill --plan ${plan.planId}\` runs it later.`);
  process.exitCode = exitCodeUnconfirmed(stop);
  return false;
}

function run(
  app: App,
  { plan, price, stop }: { plan: BackfillPlan; price: number; stop: AbortSignal },
): Promise<PlanResult> {
  return withProgress(app, (progress) => planInForeground(app, { plan, maxCredits: price, stop, progress }));
}

async function sayResult(app: App, options: RunOptions, made: Made, result: PlanResult): Promise<void> {
  const { planId } = made.plan;
  const isNamed = options.plan !== undefined && options.isRepeated !== true;
  const planProgress = await readPlanProgress(app.warehouse.db, planId);
  const isMissing = await isCancelledMissing(app, made.plan, planProgress);
  const failedBefore = Math.max(0, planProgress.failed - result.progress.failed - result.beyondPrice.failed);
  const summary = { ...result, left: { ...result.left, failedBefore } };
  const needsYes = priceLeft(made.plan, planProgress) > app.config.settings.credits.ask_above;
  // a plan does not include what waits since earlier runs
  const waiting =
    !isNamed && result.outcome === "loaded"
      ? await readWaitingWork(app.warehouse.db, made.plan.request, made.plan)
      : null;
  const error = result.error?.code ?? null;
  if (options.json) printJson({ ...(await planJson(app, made)), planProgress, ...summary, waiting, error });
  else
    printResult(summary, {
      goOn: `\`storehouse backfill --plan ${planId}${needsYes ? " --yes" : ""}\` continues, and so does a worker; \`storehouse backfill --plan ${planId} --cancel\` cancels the rest`,
      runLimitSpent: () => priceSpentWords(made.plan, planProgress, { ...result.beyondPrice, isMissing }),
    });
  // a worker that had part of the plan may have spent its price, or a person may have cancelled it
  if (!options.json && result.outcome !== "deferred") printCancelled(made.plan, planProgress, isMissing);
  const isWaiting = waiting !== null && waiting.slices > 0;
  if (isWaiting && !options.json) print(waitingWords(waiting, { datasets: made.plan.request.datasets, timeText }));
  const isCut = (!isNamed && made.leftOut.slices > 0) || isMissing || isWaiting;
  const outcome =
    result.outcome !== "loaded" ? result.outcome : failedBefore > 0 ? "failed" : isCut ? "deferred" : "loaded";
  process.exitCode = exitCodeOf({ ...result, outcome });
}

async function planJson(app: App, { plan, notes }: Made) {
  const left = await workLeft(app, plan);
  return {
    plan: { ...plan, madeAt: isoTime(plan.madeAt), queuedAt: isoTime(plan.queuedAt) },
    notes,
    left: workOf(left),
    ...(await outlookOf(app, left)),
    atLeast: datasetsAtLeast(left, app.config.settings),
  };
}

async function sayChanges(app: App, options: BackfillOptions, plan: BackfillPlan): Promise<void> {
  const changes = await planChanges(app.warehouse.db, { plan, settings: app.config.settings, clock: app.clock });
  // the change that prevented the run is gone by now
  if (changes === null) throw fail("plan_changed", { plan: plan.planId });
  if (options.json) printJson({ planId: plan.planId, changes });
  else printChanges(plan, changes);
  process.exitCode = 2;
}

function sayNothingToDo({ leftOut, notes, waiting }: MadePlan, options: BackfillOptions): void {
  const nothingFits = leftOut.slices > 0;
  const isWaiting = waiting !== undefined && waiting.slices > 0;
  if (options.json) printJson({ plan: null, leftOut, notes, waiting });
  else
    print(
      nothingFits
        ? `Nothing fits within --max-credits: ${countOf(leftOut.slices, "slice")} for ${countOf(leftOut.credits, "credit")} ${leftOut.slices === 1 ? "is" : "are"} left out.`
        : nothingNewWords(waiting, { datasets: options.dataset, timeText }),
    );
  if (!options.json) for (const note of notes) print(note);
  process.exitCode = (nothingFits || isWaiting) && !options.dryRun ? exitCodes.deferred : 0;
}
