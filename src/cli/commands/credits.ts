import type { Command } from "commander";
import { accountIdIn, clientOptions, type App } from "../../app.ts";
import { apiAccess, type Config } from "../../config/config.ts";
import { StorehouseError, UsageError } from "../../core/errors.ts";
import { dayOf } from "../../core/day.ts";
import {
  errorWords,
  outlookWords,
  readCreditForecast,
  type BudgetForecast,
  type CreditForecast,
} from "../../incidents/credit-forecast.ts";
import { budgetsOf } from "../../config/credit-budgets.ts";
import { accountCell, spentOnWords } from "../../credits/spend-words.ts";
import { openAccount } from "../../credits/account.ts";
import { readCreditReport, type CreditReport } from "../../credits/report.ts";
import { databaseOutage, isOutOfRoom } from "../../postgres/database-errors.ts";
import { withWarehouse } from "../environment.ts";
import { print, printJson, remark } from "../output.ts";
import { optional, table } from "../table.ts";
import { isoTime, timeCell, zoneNote } from "../times.ts";

/** `storehouse credits`: what is left and where it went. */
export function defineCredits(command: Command): void {
  command
    .option(
      "--forecast",
      "make a new forecast for the rest of the period, night by night; takes a while and spends nothing",
    )
    .option("--json", "as JSON")
    .action((options: { forecast?: true; json?: true }) =>
      withWarehouse(async (app) => {
        const accountId = await accountIdIn(app.warehouse.db, app.config);
        const uncheckedBecause = await tryToRefreshBalance(app);
        if (options.forecast) await makeForecast(app);
        const { clock, warehouse, config } = app;
        const report = await readCreditReport(warehouse.db, {
          accountId,
          budgets: budgetsOf(config.settings),
          day: dayOf(clock.now()),
        });
        const parts = { db: warehouse.db, settings: config.settings, clock, accountId };
        const forecast = await readCreditForecast(parts, report.budgets);
        const isKnown = report.account?.total != null;
        if (uncheckedBecause !== null)
          remark(
            `${isKnown ? "This is the last reported balance, because no newer one is available" : "The balance is not known: the ledger has none, and it cannot be checked now"}: ${uncheckedBecause}`,
          );
        if (options.json) return printJson(asJson(report, forecast));
        if (!isKnown && uncheckedBecause === null) print(unreportedWords(config));
        printReport(report, forecast, clock.now());
      }),
    );
}

/** Why no balance is known although no check has failed. */
function unreportedWords({ environment }: Config): string {
  try {
    apiAccess(environment);
    return "The service has not reported the balance yet.";
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}

const testsApi = "`storehouse doctor` tests the address and the token, and says what to do";

/**
 * Checks the balance, which is free. Returns why it could not be checked: then the ledger has the last reported balance, if there is one.
 * Null if it was checked, or without a token.
 */
async function tryToRefreshBalance(app: App): Promise<string | null> {
  const { environment, settings } = app.config;
  if (environment.API_BASE_URL === undefined || environment.API_TOKEN === undefined) return null;
  const { clock, warehouse } = app;
  const { accountId } = apiAccess(environment);
  // loaded here, since it is not needed without a token
  const [{ createClient }, { refreshBalance }] = await Promise.all([
    import("../../api/client.ts"),
    import("../../ingest/balance-check.ts"),
  ]);
  await using client = createClient(clientOptions(app));
  try {
    await openAccount(warehouse.db, accountId, settings.api.requests_per_second, clock);
    await refreshBalance({ db: warehouse.db, client, clock, accountId, workerId: null });
    return null;
  } catch (error) {
    const known = isOutOfRoom(error) ? databaseOutage(error) : error;
    if (!(known instanceof StorehouseError)) throw error;
    // the next step of an error of the API is about slices, and this was no slice
    return known instanceof UsageError ? known.message : `${known.code}: ${known.problem}; ${testsApi}`;
  }
}

/** Makes the forecast unless there is a current one. If the database is read-only, the last stored forecast is used. */
async function makeForecast(app: App): Promise<void> {
  // loaded here, since planning loads all datasets
  const { currentForecast } = await import("../../worker/forecast-credits.ts");
  try {
    await currentForecast(app);
  } catch (error) {
    const known = isOutOfRoom(error) ? databaseOutage(error) : error;
    if (!(known instanceof StorehouseError)) throw error;
    remark(`This is the last stored forecast, because no new one can be stored: ${known.message}`);
  }
}

/** The report with its times as text. */
function asJson({ account, ...report }: CreditReport, { madeAt, resetsAt, outlook, ...forecast }: CreditForecast) {
  return {
    account: account && {
      ...account,
      resetsAt: isoTime(account.resetsAt),
      observedAt: isoTime(account.observedAt),
    },
    ...report,
    forecast: {
      madeAt: isoTime(madeAt),
      resetsAt: isoTime(resetsAt),
      outlook: outlook && { ...outlook, outAt: isoTime(outlook.outAt) },
      ...forecast,
    },
  };
}

function printAccounts(accounts: CreditReport["accounts"]): void {
  print("\nAccounts");
  print(
    table(
      ["account", "total", "left", "held", "resets at", "spent this month"],
      accounts.map(({ account, total, remaining, held, resetsAt, spentInMonth }) => [
        accountCell(account),
        total,
        remaining,
        held,
        timeCell(resetsAt?.getTime() ?? null),
        spentInMonth,
      ]),
    ),
  );
}

function printBudgets(budgets: readonly BudgetForecast[]): void {
  print("\nBudgets");
  print(
    table(
      ["budget", "period", "credits", "used", "left", optional("forecast"), "until (UTC)", ""],
      budgets.map(({ budget, period, credits, taken, forecastCost, fullOn, endsOn, refusedAt }) => [
        budget,
        period,
        credits,
        taken,
        Math.max(0, credits - taken),
        forecastCost,
        endsOn,
        refusedAt !== null ? "used up" : fullOn === null ? "" : `used up on ${fullOn}`,
      ]),
    ),
  );
}

function printReport(
  { account, spent, costs, accounts }: CreditReport,
  { outlook, budgets, error }: CreditForecast,
  now: number,
): void {
  if (account !== null && account.total !== null) {
    print(
      table(
        ["total", "left", "held", "resets at", "reported at"],
        [[account.total, account.remaining, account.held, timeCell(account.resetsAt), timeCell(account.observedAt)]],
      ),
    );
    print(zoneNote());
    print(`\n${[outlookWords(outlook, now), errorWords(error)].filter((words) => words !== null).join("\n")}`);
    if (outlook?.nights === null)
      print(
        `${outlook.isUnknown ? "" : "This is based on the spending of the last day; "}\`storehouse credits --forecast\` works it out night by night.`,
      );
  }
  if (accounts.length > 0) printAccounts(accounts);
  if (budgets.length > 0) printBudgets(budgets);
  if (spent.length > 0) {
    print("\nSpent in this period");
    print(
      table(
        ["dataset", "class", "requests", "credits"],
        spent.map((line) => [spentOnWords(line.dataset), line.class, line.requests, line.credits]),
      ),
    );
  }
  if (costs.length === 0) return;
  print("\nPrice per call");
  const rows = costs.map((cost) => [
    cost.operation,
    cost.documented,
    cost.learned,
    cost.learned === cost.documented ? "" : "differs",
  ]);
  print(table(["operation", "documented", "charged", ""], rows));
}
