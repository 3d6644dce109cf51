import type { App } from "../app.ts";
import { apiAccess, crontabFile } from "../config/config.ts";
import { StorehouseError } from "../core/errors.ts";
import { readAgreed } from "../credits/agreement.ts";
import { syncInForeground } from "../foreground.ts";
import { isLostConnection, isOutage } from "../postgres/database-errors.ts";
import { agreedLines } from "../worker/agreed-lines.ts";
import { readCrontab, scheduledBy } from "../worker/crontab.ts";
import { untilDatabaseResponds } from "../worker/waits.ts";
import { untilClockAgrees } from "./check-clock.ts";
import { withProgress } from "./commands/sync.ts";
import { canConfirm } from "./confirm.ts";
import { agreeToWorker } from "./first-spending.ts";
import { remark } from "./output.ts";
import { exitCodeOf, exitCodeUnconfirmed } from "./exit-codes.ts";
import { printResult } from "./run-report.ts";

/**
 * True if a person has agreed that the account spends on what the crontab plans, earlier or now; without a terminal also if they agreed to
 * a part of it, since the worker plans only that part. Waits for a database that stops responding meanwhile, and for this machine's clock if
 * it is wrong.
 */
export async function mayStart(app: App, yes: boolean, stop: AbortSignal): Promise<boolean> {
  while (!stop.aborted) {
    try {
      await untilClockAgrees(app, stop);
      if (stop.aborted) return false;
      const { datasets, agreed, isPartAgreed } = await spendingOf(app);
      // a schedule that plans nothing spends nothing
      if (datasets.length === 0) return true;
      // the nights of what was agreed to must not wait for a person
      if (isPartAgreed && !yes && !canConfirm()) return true;
      return await ask(app, { datasets, agreed, yes, stop });
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await untilDatabaseResponds(app, stop);
    }
  }
  return false;
}

/** True for an outage of the database, as the driver or a run reports it. */
function isUnavailable(error: unknown): error is Error {
  return isLostConnection(error) || (error instanceof StorehouseError && isOutage(error));
}

/**
 * The datasets that are priced, none if nobody needs to agree, and what a person agrees to: everything that is on only if a line plans it,
 * since the price of other datasets is not shown.
 */
async function spendingOf({ config, warehouse }: App): Promise<Pick<Spending, "datasets" | "agreed"> & IsPart> {
  const all = readCrontab(crontabFile(config));
  const agreed = await readAgreed(warehouse.db, apiAccess(config.environment).accountId);
  const { lines, lacking } = agreedLines(all, agreed, config.settings);
  const isPartAgreed = scheduledBy(lines, config.settings).length > 0;
  const plansEverything = lacking.length > 0 && all.some((line) => line.datasets?.length === 0);
  if (plansEverything) return { datasets: scheduledBy(all, config.settings), agreed: [], isPartAgreed };
  return { datasets: lacking, agreed: lacking, isPartAgreed };
}

type IsPart = { readonly isPartAgreed: boolean };

type Spending = {
  readonly datasets: readonly string[];
  readonly agreed: readonly string[];
  readonly yes: boolean;
  readonly stop: AbortSignal;
};

/** Shows the prices of the portfolio, the market and a night, and has a person agree. Throws a UsageError without a terminal. */
async function ask(app: App, { datasets, agreed, yes, stop }: Spending): Promise<boolean> {
  const request = { datasets, bounds: {}, today: app.clock.today() };
  const run = (maxCredits: number | null) =>
    withProgress(app, (progress) => syncInForeground(app, { request, maxCredits, stop, progress }));
  const answer = await agreeToWorker({ app, request, agreed, command: "worker", yes, stop, say: remark, run });
  if (answer === true) return true;
  if (answer !== false && !stop.aborted && isUnavailable(answer.error)) throw answer.error;
  if (answer === false) remark("The worker has not started: nothing is spent without your agreement.");
  else {
    printResult(answer, stepWords);
    remark(`The worker has not started${answer.outcome === "failed" ? `; ${stepWords.goOn}` : ""}.`);
  }
  process.exitCode = answer === false || stop.aborted ? exitCodeUnconfirmed(stop) : exitCodeOf(answer);
  return false;
}

const stepWords = {
  goOn: "start the worker again to continue",
  onCredits: "start the worker again then",
  runLimitSpent: (left: string) =>
    `Stopped at the price of this step: ${left} left. Start the worker again to continue.`,
} as const;
