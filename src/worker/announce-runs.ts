import type { App } from "../app.ts";
import { accountOf } from "../config/config-of-account.ts";
import { budgetsOf } from "../config/credit-budgets.ts";
import { dayOf } from "../core/day.ts";
import { loggedText } from "../core/errors.ts";
import { knowsBudgets, readForecast } from "../credits/forecast-days.ts";
import { hasOpenHistory } from "../ledger/open-slices.ts";
import { writeNextRuns } from "../ledger/next-runs.ts";
import { readPriced } from "./agreed-lines.ts";
import { currentForecast } from "./forecast-credits.ts";
import { comingRuns } from "./coming-runs.ts";

/**
 * Writes the next run of each line and its price into the ledger, for `storehouse status`, and a new forecast of the coming days if there
 * is no valid one: planning takes too long for a page that must open at once. If the day is pinned, there is no next run. `jobId`: the job that
 * has planned.
 */
export async function announceRuns(app: App, stop: AbortSignal, jobId?: string): Promise<void> {
  const { config, clock } = app;
  const { db } = app.warehouse;
  const now = clock.now();
  if (clock.today() !== dayOf(now)) return;
  await noted(app, async () => {
    const { lines } = await readPriced(db, config);
    const runs = await comingRuns({ db, config, lines, now, count: 1, stop });
    if (stop.aborted) return;
    await writeNextRuns(
      db,
      runs.flatMap(({ id, datasets, at, price }) =>
        datasets === null || price === null ? [] : [{ line: id, at, pricedAt: now, ...price, datasets }],
      ),
      accountOf(config.settings),
    );
    await currentForecast(app, { stop, jobId });
  });
}

/**
 * Makes the forecast that history needs before it starts, if some waits: what history leaves to the coming nights is read from the
 * forecast, and a new worker, one that did not run for days, or one with new budgets has none until it has planned.
 */
export async function forecastBeforeHistory(app: App, accountId: string, stop: AbortSignal): Promise<void> {
  const { db } = app.warehouse;
  const { settings } = app.config;
  if (!(await hasOpenHistory(db, accountOf(settings)))) return;
  const known = await readForecast(db, accountId, dayOf(app.clock.now()));
  if (known === null || !knowsBudgets(known, budgetsOf(settings)))
    await noted(app, () => currentForecast(app, { stop }));
}

/** What is planned is queued anyway, and history runs: only a price is missing. */
async function noted({ log, hide }: App, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => log.warn({ problem: loggedText(error, hide) }, "schedule.not_priced"));
}
