import type { App } from "../app.ts";
import type { BackfillPlan } from "../planner/backfill-plan.ts";
import { backfillCommand, type BackfillRequest } from "../planner/backfill-request.ts";
import type { PlanChanges } from "../planner/plan-changes.ts";
import { addDays, daysBetween } from "../core/day.ts";
import type { BudgetWork } from "../planner/credit-budgets.ts";
import { readWaitingWork, waitingWords } from "../planner/waiting-work.ts";
import { planTotals } from "../planner/plan-tally.ts";
import type { EndedSlices } from "../ledger/cancel-slices.ts";
import { openWork } from "../ledger/open-slices.ts";
import type { PlanProgress } from "../ledger/plans.ts";
import { datasetsAtLeast, workOf } from "../planner/plan-work.ts";
import { print } from "./output.ts";
import { count, countOf } from "../core/words.ts";
import { outlookOf, printPlan } from "./plan-report.ts";
import { table } from "./table.ts";
import { timeText } from "./times.ts";

/** Lines of a table that a person reads; `--json` has all. */
const shownAtMost = 20;

/** Prints a plan: its table, its price, when it would be done, and what it leaves out. */
export async function printKeptPlan(app: App, plan: BackfillPlan, planProgress: PlanProgress): Promise<void> {
  const { slices, requests, credits, naiveCredits, leftOut } = plan;
  const isBegun = plan.queuedAt !== null;
  const left = await workLeft(app, plan);
  const lines = workOf(left);
  print(`Plan ${plan.planId}, made ${timeText(plan.madeAt)} as of ${plan.asOf}: ${requestWords(plan.request)}`);
  printPlan({
    lines,
    waiting: [],
    totals: isBegun ? { ...planTotals(lines), naiveCredits: null } : { slices, requests, credits, naiveCredits },
    ...(await outlookOf(app, left)),
    atLeast: datasetsAtLeast(lines, app.config.settings),
  });
  if (leftOut.slices > 0)
    print(
      `${countOf(leftOut.slices, "slice")} for ${countOf(leftOut.credits, "credit")} ${leftOut.slices === 1 ? "is left out: it exceeds" : "are left out: they exceed"} --max-credits ${count(plan.request.mostCredits ?? 0)}.`,
    );
  const daysPassed = daysBetween(plan.asOf, app.clock.today());
  if (daysPassed > 0)
    print(
      `The plan is ${countOf(daysPassed, "day")} old and keeps its days: it does not include days published since.`,
    );
  const { account, request, planId } = plan;
  const waiting = await readWaitingWork(app.warehouse.db, request, { account, without: [planId] });
  if (waiting.slices > 0) print(waitingWords(waiting, { datasets: request.datasets, timeText }));
  if (isBegun)
    print(
      `The plan has started: ${count(planProgress.total - planProgress.open)} of ${countOf(planProgress.total, "slice is", "slices are")} done for ${count(planProgress.credits)} of ${countOf(credits, "credit")}; the table shows what is left.`,
    );
}

/** The remaining work of a plan by app: all of it until it is begun, then its open slices. */
export async function workLeft(app: App, plan: BackfillPlan): Promise<readonly BudgetWork[]> {
  return plan.queuedAt === null ? plan.lines : openWork(app.warehouse.db, { planId: plan.planId });
}

/** Prints the outcome of a plan that has nothing left to run. `isMissing`: whether what was cancelled is missing now. */
export function printDone(plan: BackfillPlan, progress: PlanProgress, isMissing: boolean): void {
  const { planId } = plan;
  const { total, failed, skipped, credits } = progress;
  const facts = [
    `${count(total - failed - skipped)} of ${countOf(total, "slice")} loaded`,
    `${countOf(credits, "credit")} spent`,
  ];
  if (skipped > 0) facts.push(`${count(skipped)} skipped`);
  if (failed > 0) facts.push(`${count(failed)} failed (see \`storehouse failures\`, \`storehouse retry\`)`);
  print(`Plan ${planId} is done: ${facts.join(", ")}. Nothing is left to run.`);
  printCancelled(plan, progress, isMissing);
}

/** Prints how many slices of a plan were cancelled, if any, and the command that plans what is missing of them. */
export function printCancelled({ request }: BackfillPlan, { cancelled }: PlanProgress, isMissing: boolean): void {
  const now = isMissing ? `${planningOf(request)}.` : requestedSince;
  if (cancelled > 0)
    print(
      `${countOf(cancelled, "more was", "more were")} cancelled, because the plan was stopped or its price was spent: ${now}`,
    );
}

const requestedSince = "what they would have fetched has been requested since.";

/**
 * Says that the price of a plan is spent, what became of the slices that it does not pay for, and the next step. All cancelled slices of the
 * plan count: another process may have been first. `failed`: those that its end has failed. `isMissing`: whether what was cancelled is missing
 * now.
 */
export function priceSpentWords(
  plan: Pick<BackfillPlan, "planId" | "request" | "slices">,
  progress: Pick<PlanProgress, "cancelled" | "open" | "own" | "cut">,
  { failed, isMissing }: Pick<EndedSlices, "failed"> & { readonly isMissing: boolean },
): string {
  const { planId, request } = plan;
  const { cancelled, open } = progress;
  const sentences = [`The price of plan ${planId} is spent, because ${spentBy(plan, progress)}.`];
  if (cancelled > 0)
    sentences.push(
      `${countOf(cancelled, "slice was", "slices were")} cancelled: ${isMissing ? `${planningOf(request)}, at a new price.` : requestedSince}`,
    );
  if (failed > 0)
    sentences.push(
      `${countOf(failed, "slice")} with stored pages failed: \`storehouse retry\` fetches pages that are missing or could not be read.`,
    );
  if (open > 0)
    sentences.push(
      `${countOf(open, "slice waits", "slices wait")}: \`storehouse backfill --plan ${planId}\` continues.`,
    );
  return sentences.join(" ");
}

/** Tails run after the slices of the plan: if none of these is missing, only tails lacked credits. */
function spentBy({ slices }: Pick<BackfillPlan, "slices">, { own, cut }: Pick<PlanProgress, "own" | "cut">): string {
  const again = "requests were added for days that the service had no data for yet";
  if (cut > 0 && own >= slices) return `${again}, which it does not include`;
  const charges = "some calls were charged more than once, or had a higher price or more pages than planned";
  return cut > 0 ? `${charges}, or ${again}` : charges;
}

/** Prints what changed since a plan was made, and the next step. */
export function printChanges(plan: BackfillPlan, changes: NonNullable<PlanChanges>): void {
  const { before, now, lines } = changes;
  print(
    `Plan ${plan.planId} has changed: ${countOf(before.slices, "slice")} for ${countOf(before.credits, "credit")} then, ${count(now.slices)} for ${count(now.credits)} now. Nothing was run or spent.`,
  );
  if (lines.length > 0)
    print(
      table(
        ["dataset", "class", "app", "country", "slices then", "now", "credits then", "now"],
        lines
          .slice(0, shownAtMost)
          .map((line) => [
            line.dataset,
            line.class,
            line.app,
            line.country,
            line.before.slices,
            line.now.slices,
            line.before.credits,
            line.now.credits,
          ]),
      ),
    );
  if (lines.length > shownAtMost) print(`... and ${count(lines.length - shownAtMost)} more; --json lists all`);
  for (const reason of reasonsOf(changes)) print(`- ${reason}`);
  const { groups } = plan.request;
  const again =
    groups === undefined
      ? `${backfillCommand(plan.request)} --dry-run`
      : "choose its partitions again on the console's page Coverage";
  print(`Make a new plan: ${again}`);
}

function reasonsOf(changes: NonNullable<PlanChanges>): readonly string[] {
  const { meanwhile, portfolio, prices, settings, daysPassed, asOf } = changes;
  const reasons = [
    ...meanwhile.map(
      ({ dataset, state, slices }) =>
        `other runs have planned ${countOf(slices, "slice")} of ${dataset} since, now ${state}`,
    ),
    ...portfolio
      .slice(0, shownAtMost)
      .map(({ name, before, now }) =>
        now === null
          ? `${name} is no longer in the portfolio`
          : before === null
            ? `${name} is new in the portfolio, with ${countOf(now, "keyword")}`
            : before === now
              ? `${name} has different keywords, still ${count(now)}`
              : `${name} has ${countOf(now, "keyword")}, before ${count(before)}`,
      ),
    ...prices.map(({ name, before, now }) =>
      before === null
        ? `${name} was charged for the first time: ${countOf(now ?? 0, "credit")} per request`
        : `${name} costs ${countOf(now ?? 0, "credit")} per request, before ${count(before)}`,
    ),
    ...settings.map((name) => `the settings of ${name} in config/storehouse.yaml changed`),
  ];
  if (reasons.length === 0) reasons.push("the ledger's record of these days has changed");
  if (daysPassed > 0)
    reasons.push(
      `${countOf(daysPassed, "day has", "days have")} passed since ${asOf}; the plan keeps its days and does not include newer ones`,
    );
  return reasons;
}

/** The command that makes the request; of partitions chosen in the console there is none, since it would cover others too. */
function requestWords(request: BackfillRequest): string {
  const { groups, datasets, bounds } = request;
  if (groups === undefined) return backfillCommand(request);
  const days = [
    ...(bounds.start === undefined ? [] : [`from ${bounds.start}`]),
    ...(bounds.end === undefined ? [] : [`to ${addDays(bounds.end, -1)}`]),
  ];
  return `${countOf(groups.length, "partition")} of ${datasets.join(", ")}, chosen in the console${days.length === 0 ? "" : `, ${days.join(" ")}`}`;
}

/** What plans what is missing of a request. */
function planningOf(request: BackfillRequest): string {
  if (request.groups === undefined) return `${backfillCommand(request)} plans what is missing`;
  return "the console's page Coverage plans what is missing of its partitions (`storehouse backfill` with --app all partitions of an app)";
}
