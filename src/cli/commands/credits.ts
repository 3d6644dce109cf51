import type { Command } from "commander";
import { clientOptions, type App } from "../../app.ts";
import { accountIdOf, apiAccess } from "../../config/config.ts";
import { StorehouseError } from "../../core/errors.ts";
import { dayOf } from "../../core/day.ts";
import type { BudgetUse } from "../../credits/budgets.ts";
import { budgetsOf } from "../../config/credit-budgets.ts";
import { latestAccount, openAccount } from "../../credits/account.ts";
import { readCreditReport, type CreditReport } from "../../credits/report.ts";
import { databaseOutage, isOutOfRoom } from "../../postgres/database-errors.ts";
import { withWarehouse } from "../environment.ts";
import { print, printJson, remark } from "../output.ts";
import { table } from "../table.ts";
import { timeCell, zoneNote } from "../times.ts";

/** `storehouse credits`: what is left and where it went. */
export function defineCredits(command: Command): void {
  command.option("--json", "as JSON").action((options: { json?: true }) =>
    withWarehouse(async (app) => {
      const token = app.config.environment.API_TOKEN;
      const accountId = token === undefined ? await latestAccount(app.warehouse.db) : accountIdOf(token);
      await checkBalance(app);
      const report = await readCreditReport(app.warehouse.db, {
        accountId,
        budgets: budgetsOf(app.config.settings),
        day: dayOf(app.clock.now()),
      });
      if (options.json) printJson(report);
      else printReport(report);
    }),
  );
}

/** Checks the balance, which is free; without a token, while the service is unavailable, or where the database only reads, the ledger has the last one that was reported. */
async function checkBalance(app: App): Promise<void> {
  const { environment, settings } = app.config;
  if (environment.API_BASE_URL === undefined || environment.API_TOKEN === undefined) return;
  const { clock, warehouse } = app;
  const { accountId } = apiAccess(environment);
  // loaded here, since without a token nothing of it is needed
  const [{ createClient }, { refreshBalance }] = await Promise.all([
    import("../../api/client.ts"),
    import("../../ingest/balance-check.ts"),
  ]);
  await using client = createClient(clientOptions(app));
  try {
    await openAccount(warehouse.db, accountId, settings.api.requests_per_second, clock);
    await refreshBalance({ db: warehouse.db, client, clock, accountId, workerId: null });
  } catch (error) {
    const known = isOutOfRoom(error) ? databaseOutage(error) : error;
    if (!(known instanceof StorehouseError)) throw error;
    remark(`The balance is the one last reported, since no newer one is available: ${known.message}`);
  }
}

function printBudgets(budgets: readonly BudgetUse[]): void {
  print("\nBudgets");
  print(
    table(
      ["budget", "period", "credits", "taken", "left", "until (UTC)", ""],
      budgets.map(({ budget, period, credits, taken, endsOn, refusedAt }) => [
        budget,
        period,
        credits,
        taken,
        Math.max(0, credits - taken),
        endsOn,
        refusedAt === null ? "" : "used up",
      ]),
    ),
  );
}

function printReport({ account, spent, costs, budgets }: CreditReport): void {
  if (account === null || account.total === null)
    print("The service has not reported the balance yet: it does at the first `storehouse sync`.");
  else {
    print(
      table(
        ["total", "left", "held", "resets at", "reported at"],
        [[account.total, account.remaining, account.held, timeCell(account.resetsAt), timeCell(account.observedAt)]],
      ),
    );
    print(zoneNote());
  }
  if (budgets.length > 0) printBudgets(budgets);
  if (spent.length > 0) {
    print("\nSpent in this period");
    print(
      table(
        ["dataset", "class", "requests", "credits"],
        spent.map((line) => [line.dataset ?? "(account)", line.class, line.requests, line.credits]),
      ),
    );
  }
  if (costs.length === 0) return;
  print("\nCost of a call");
  const rows = costs.map((cost) => [
    cost.operation,
    cost.documented,
    cost.learned,
    cost.learned === cost.documented ? "" : "differs",
  ]);
  print(table(["operation", "documented", "learned", ""], rows));
}
