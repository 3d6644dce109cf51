import type { App } from "../app.ts";
import { apiAccess } from "../config/config.ts";
import { fail } from "../core/errors.ts";
import { checkAccount } from "../foreground.ts";
import { isAgreed, recordAgreement, type Agreement } from "../credits/agreement.ts";
import { fallbackPrices } from "../planner/fallback-price.ts";
import type { SyncRequest } from "../planner/request.ts";
import { checkStorable } from "../raw/check-storable.ts";
import { nextStep, type NextStep } from "../runs/next-step.ts";
import type { SyncResult } from "../runs/run-parts.ts";
import { canConfirm, confirm } from "./confirm.ts";
import { countOf } from "../core/words.ts";
import { atLeastIn, fallbackLines, nightWords, priceOfNow, startQuestion, stepLine, stepWords } from "./step-price.ts";

/*
 * Nothing is spent before a person has agreed to it. The first sync of an account is priced step by step, since what the account tracks is
 * known only after it is read: the apps, then the countries of each, then the keywords, then lists, then the market. Each step is shown,
 * agreed to and run within its price, and then the next one is planned from its answers. An agreement to the market is recorded in
 * ops.agreement; syncs, workers and nights after that do not ask. Failed slices whose next try is due are the last step of a sync. Where no
 * step reads the market, because the named datasets are lists or nothing can be requested now, the price of a night is shown and agreed to
 * after the last step. An agreement to days that a person names is not
 * recorded: the price of other days and of nights was not shown.
 */

/** What a person is to agree to: `agreed` names the datasets of the agreement (none: everything that is on), `say` shows prices. */
export type FirstSpending = {
  readonly app: App;
  readonly request: SyncRequest;
  readonly agreed: readonly string[];
  readonly command: "sync" | "worker";
  readonly yes: boolean;
  readonly stop: AbortSignal;
  readonly say: (text: string) => void;
  /** Runs the next step for at most this many credits, null for no limit. */
  readonly run: (credits: number | null) => Promise<SyncResult>;
};

/** True when a person agreed to this earlier. */
export function isAgreedAlready({ app, agreed }: Pick<FirstSpending, "app" | "agreed">): Promise<boolean> {
  return isAgreed(app.warehouse.db, { accountId: apiAccess(app.config.environment).accountId, datasets: agreed });
}

/**
 * A sync that requires a confirmation before each step. Null when the person does not agree to a step. Throws `spending_not_agreed` without
 * a terminal.
 */
export async function syncByStep(spending: FirstSpending): Promise<SyncResult | null> {
  await checkBeforePrice(spending);
  for (let last: SyncResult | null = null; ;) {
    const step = await stepOf(spending);
    if (step === null && !spending.yes) {
      last ??= await spending.run(0);
      // what failed before is requested again later, in nights too
      if (last.outcome === "loaded" || last.outcome === "failed") await agreeToNights(spending);
      return last;
    }
    if (!(await isAgreedTo(spending, step))) return null;
    last = await spending.run(spending.yes || step === null ? null : step.credits);
    const isBeforeMarket = step !== null && step.stage !== "market" && last.outcome === "loaded";
    if (spending.yes || !(isEndOfStep(last) || isBeforeMarket)) return last;
  }
}

/** No price is shown for answers that could not be stored, nor to a person whose token is refused. A run with --yes checks that itself. */
async function checkBeforePrice({ app, yes, stop }: FirstSpending): Promise<void> {
  await checkStorable(app.warehouse.db);
  if (!yes) await checkAccount(app, stop);
}

/** At a terminal, shows what a night costs and records a yes to it: nothing else is left to agree to. */
async function agreeToNights(spending: FirstSpending): Promise<void> {
  const { app, request, stop, say } = spending;
  if (!canConfirm() || namesDays(request)) return;
  say(`Nothing is left to request now. ${nightWords(await priceOfNow(app, request.datasets))}`);
  if (await confirm("May workers and later syncs spend that?", stop)) await record(spending, 0);
}

/**
 * Prompts for the confirmations that a worker needs: reads the portfolio step by step, then prices the market and the nights. Returns the
 * run that went wrong, if any.
 */
export async function agreeToWorker(spending: FirstSpending): Promise<boolean | SyncResult> {
  await checkBeforePrice(spending);
  for (;;) {
    const step = await stepOf(spending);
    if (!(await isAgreedTo(spending, step))) return false;
    if (spending.yes || step === null || step.stage === "market") return true;
    const result = await spending.run(step.credits);
    if (result.outcome !== "loaded" && !isEndOfStep(result)) return result;
  }
}

function stepOf({ app: { warehouse, clock, config }, request }: FirstSpending): Promise<NextStep | null> {
  return nextStep({ db: warehouse.db, clock, settings: config.settings }, request);
}

/** True for a run that stopped because the next step costs more than its limit. */
function isEndOfStep({ outcome, progress }: SyncResult): boolean {
  return outcome === "deferred" && progress.nextDueAt === null;
}

/** Shows what a step costs and has a person agree to it; --yes agrees to later steps as well. */
async function isAgreedTo(spending: FirstSpending, step: NextStep | null): Promise<boolean> {
  const { app, yes, say } = spending;
  const price = step === null ? "nothing is missing now" : stepLine(step);
  if (!yes && !canConfirm()) throw fail("spending_not_agreed", { price });
  const atLeast = step === null ? [] : atLeastIn(step, app);
  if (step !== null)
    say(stepWords(step, { atLeast, priced: !yes, requestsPerSecond: app.config.settings.api.requests_per_second }));
  const isLast = step === null || step.stage === "market";
  if (isLast && step !== null) {
    const fallbacks = await fallbackPrices(app.warehouse.db, spending.request, app.config.settings);
    for (const line of fallbackLines({ ...step, atLeast }, fallbacks)) say(line);
  }
  const isOfDays = namesDays(spending.request);
  if (isOfDays && (isLast || yes)) say(daysOnly);
  else if (isLast) say(nightWords(await priceOfNow(app, spending.request.datasets)));
  const agrees = yes || (await ask(spending, step, isLast));
  // later steps are not priced yet, so a yes to an earlier step agrees to that step only
  if (agrees && !isOfDays && (isLast || yes)) await record(spending, step?.credits ?? 0);
  return agrees;
}

function namesDays({ bounds: { start, end } }: SyncRequest): boolean {
  return start !== undefined || end !== undefined;
}

const daysOnly = "A yes covers these days only: the next sync or worker shows its own price.";

function ask({ command, stop }: FirstSpending, step: NextStep | null, isLast: boolean): Promise<boolean> {
  const credits = step?.credits ?? 0;
  return confirm(command === "sync" || !isLast ? `Spend ${countOf(credits, "credit")}?` : startQuestion(credits), stop);
}

function record({ app, agreed, yes }: FirstSpending, credits: number): Promise<void> {
  const by: Agreement["by"] = yes ? "--yes" : "terminal";
  const agreement = { accountId: apiAccess(app.config.environment).accountId, datasets: agreed, credits, by };
  return recordAgreement(app.warehouse.db, agreement, app.clock.now());
}
