import type { App } from "../app.ts";
import { apiAccess, crontabFile } from "../config/config.ts";
import { systemClock, type Clock } from "../core/clock.ts";
import { addDays, dayOf, dayMs } from "../core/day.ts";
import { readAccount } from "../credits/account.ts";
import { recordAgreement } from "../credits/agreement.ts";
import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import type { Fault, Sandbox } from "../sandbox/sandbox.ts";
import { readCrontab, runIntervals } from "../worker/crontab.ts";
import { startWatch } from "../worker/start-watch.ts";
import { runWorker } from "../worker/worker.ts";

/*
 * A week of nights that ends today, for the console: each night runs with the clock of its day. In the last night but one some calls return
 * no answer, which a person must fix. A worker continues from there.
 */

const nights = 7;

/** The clock of the current night; after the last night, the clock of this machine. */
export type NightClock = Clock & { readonly setBack: (days: number) => void };

/** Makes the clock of the nights. */
export function nightClock(): NightClock {
  const machine = systemClock();
  let days = 0;
  const now = () => machine.now() - days * dayMs;
  return { ...machine, now, today: () => dayOf(now()), setBack: (back) => (days = back) };
}

/** Runs the nights up to today's, or only today's if a week was loaded before; `run` does what is due in one. */
export async function runNights(
  { warehouse: { db } }: App,
  { sandbox, clock, run }: { readonly sandbox: Sandbox; readonly clock: NightClock; readonly run: () => Promise<void> },
): Promise<void> {
  const first = (await hasRun(db)) ? 0 : nights - 1;
  for (let ago = first; ago >= 0; ago -= 1) {
    clock.setBack(ago);
    const today = clock.today();
    sandbox.set({ today, faults: ago === 1 ? [outageOf(addDays(today, -1))] : [] });
    await run();
  }
}

/** All calls for iOS ranks of a day are answered with a page of maintenance: no automatic retry fixes that. */
function outageOf(day: string): Fault {
  const body = JSON.stringify({ message: "The service is under maintenance." });
  return { operation: "ios.keyword-ranking", contains: day, times: 1_000, kind: "not-json", body };
}

/** Makes a new sandbox continue the allowance that an earlier one reported to this warehouse, since a sandbox does not store its own. */
export async function continueAllowance({ warehouse: { db }, config, clock }: App, sandbox: Sandbox): Promise<void> {
  const known = await readAccount(db, apiAccess(config.environment).accountId);
  const { total = null, remaining = null, resetsAt = null } = known ?? {};
  if (total !== null && remaining !== null && resetsAt !== null && resetsAt > clock.now())
    sandbox.spend(total - remaining);
}

/** The sandbox takes no money, so nobody needs to agree. */
function agreeToDemo({ config, warehouse, clock }: App): Promise<void> {
  const { accountId } = apiAccess(config.environment);
  return recordAgreement(warehouse.db, { accountId, datasets: [], credits: 0, by: "--yes" }, clock.now());
}

async function hasRun(db: Database): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`select exists (select from ops.run) as has`.execute(db);
  return rows[0]?.has === true;
}

/** Starts a worker in this process, with its checks for incidents. Disposing stops it. */
export async function startWorker(app: App): Promise<AsyncDisposable> {
  const { config, clock, log } = app;
  await using opened = new AsyncDisposableStack();
  await agreeToDemo(app);
  const scheduled = runIntervals(readCrontab(crontabFile(config)), clock.now());
  const { onState, startChecks } = opened.use(await startWatch({ config, clock, log, scheduled }));
  opened.use(startChecks(app.databaseUrl));
  const stop = new AbortController();
  const running = runWorker(app, stop.signal, { onState });
  opened.defer(async () => {
    stop.abort();
    await running;
  });
  return opened.move();
}
