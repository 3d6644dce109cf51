import { accountIdIn } from "../../src/app.ts";
import { recordAgreement } from "../../src/credits/agreement.ts";
import { runWorker as run } from "../../src/worker/worker.ts";

/** Runs a worker of an account whose spending on everything was agreed to, as `storehouse worker --yes` does. */
export const runWorker: typeof run = async (app, ...rest) => {
  const { db } = app.warehouse;
  const agreement = { accountId: await accountIdIn(db, app.config), datasets: [], credits: 0, by: "--yes" } as const;
  await recordAgreement(db, agreement, app.clock.now());
  return run(app, ...rest);
};
