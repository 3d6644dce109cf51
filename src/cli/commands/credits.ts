import type { Command } from "commander";
import { createClient } from "../../api/client.ts";
import type { App } from "../../app.ts";
import { clientOptions } from "../../open-ingest.ts";
import { accountIdOf, apiAccess } from "../../config/config.ts";
import { StorehouseError } from "../../core/errors.ts";
import { latestAccount, openAccount } from "../../credits/account.ts";
import { readCreditReport, type CreditReport } from "../../credits/report.ts";
import { refreshBalance } from "../../ingest/balance-check.ts";
import { withWarehouse } from "../environment.ts";
import { print, printJson, remark } from "../output.ts";
import { table } from "../table.ts";

/** `storehouse credits`: what is left and where it went. */
export function defineCredits(command: Command): void {
  command.option("--json", "as JSON").action((options: { json?: true }) =>
    withWarehouse(async (app) => {
      const token = app.config.environment.API_TOKEN;
      const accountId = token === undefined ? await latestAccount(app.warehouse.db) : accountIdOf(token);
      await tellBalance(app);
      const report = await readCreditReport(app.warehouse.db, accountId);
      if (options.json) printJson(report);
      else printReport(report);
    }),
  );
}

/** Asks the service for the balance, which is free; without a way to it the ledger tells what was last known. */
async function tellBalance(app: App): Promise<void> {
  const { environment, settings } = app.config;
  if (environment.API_BASE_URL === undefined || environment.API_TOKEN === undefined) return;
  const { clock, warehouse } = app;
  const { accountId } = apiAccess(environment);
  await openAccount(warehouse.db, accountId, settings.api.requests_per_second, clock);
  await using client = createClient(clientOptions(app));
  try {
    await refreshBalance({ db: warehouse.db, client, clock, accountId, workerId: null });
  } catch (error) {
    if (!(error instanceof StorehouseError)) throw error;
    remark(`The balance is as last told, since the service does not tell it now: ${error.message}`);
  }
}

function printReport({ account, spent, costs }: CreditReport): void {
  if (account === null || account.total === null)
    print("The service has not told the balance yet: it does at the first `storehouse sync`.");
  else {
    const reset = account.resetsAt === null ? null : new Date(account.resetsAt).toISOString();
    const told = account.observedAt === null ? null : new Date(account.observedAt).toISOString();
    print(
      table(
        ["total", "left", "held", "resets at", "as told at"],
        [[account.total, account.remaining, account.held, reset, told]],
      ),
    );
  }
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
