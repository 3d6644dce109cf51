import path from "node:path";
import { existsSync } from "node:fs";
import { apiAccess } from "../config/config.ts";
import type { Environment } from "../config/env.ts";
import { readText } from "../config/read-text.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { openEmbedded } from "../postgres/embedded/embedded-server.ts";
import { isMissingRight } from "../postgres/database-errors.ts";
import { openWarehouse, type Database } from "../postgres/database.ts";
import { failed, ill, type Diagnosis } from "./diagnosis.ts";
import { checkDatabaseClock, checkMigrations, checkServer, checkSize } from "./database-checks.ts";
import { checkRights } from "./rights-check.ts";
import { checkFailedSlices, checkIncidents, checkWorkers } from "./ledger-checks.ts";
import { checkCrontab, checkDisk, type Schedule } from "./machine-checks.ts";
import { checkApi, checkWebhook } from "./api-and-webhook-checks.ts";
import { createWebhook } from "../incidents/webhook.ts";

/** What the doctor looks at: as much of the configuration as could be read. */
export type Patient = {
  readonly environment: Environment;
  readonly settings: Settings;
  readonly home: string;
  readonly clock: Clock;
  readonly crontab: Schedule;
  /** Whether a test message is sent to the webhook. */
  readonly triesWebhook: boolean;
};

/** A database that says nothing for so long is away; the doctor does not wait longer for anything. */
const patienceMs = 15_000;

/** Runs every check that can be run, whatever the others find. It changes nothing, but for the embedded Postgres, which it starts and stops. */
export async function diagnose(patient: Patient): Promise<readonly Diagnosis[]> {
  const { environment, settings, clock, triesWebhook } = patient;
  const { format } = settings.notify;
  const url = environment.NOTIFY_URL;
  const send = url === undefined ? null : createWebhook({ url, format });
  const [database, api, webhook] = await Promise.all([
    checkAnyDatabase(patient),
    checkApiAccess(patient),
    checkWebhook(send, { tries: triesWebhook, format, now: clock.now() }),
  ]);
  const disk = environment.DATABASE_URL === undefined ? [await checkDisk(embeddedFolder(patient.home))] : [];
  return [...database, ...disk, ...api, checkCrontab(patient.crontab), webhook];
}

async function checkApiAccess({ environment, settings, clock }: Patient): Promise<readonly Diagnosis[]> {
  try {
    const { baseUrl, token } = apiAccess(environment);
    const { store_words: storeWords, timeout_seconds: timeout, largest_answer_mib: mib } = settings.api;
    const timeoutMs = Math.min(timeout * 1000, patienceMs);
    return await checkApi({ baseUrl, token, storeWords, timeoutMs, largestAnswer: mib * 2 ** 20, clock });
  } catch (error) {
    return [failed("token", error)];
  }
}

async function checkAnyDatabase({ environment, home, clock }: Patient): Promise<readonly Diagnosis[]> {
  const directory = path.join(home, "postgres");
  if (environment.DATABASE_URL === undefined && !existsSync(embeddedFolder(home)))
    return [
      ill(
        "database",
        "warn",
        "DATABASE_URL is not set, and the own Postgres has not been made yet",
        "set DATABASE_URL, or let `storehouse migrate` make one",
      ),
    ];
  try {
    await using opened = new AsyncDisposableStack();
    const url = environment.DATABASE_URL ?? opened.use(await openEmbedded({ directory, database: "storehouse" })).url;
    const { db } = opened.use(await openWarehouse(url, 2, patienceMs));
    return await checkDatabase(db, clock);
  } catch (error) {
    return [failed("database", error)];
  }
}

/** Where the data of the embedded Postgres is: for root, who cannot run it, elsewhere than in the folder that names the place. */
function embeddedFolder(home: string): string {
  const directory = path.join(home, "postgres");
  try {
    return readText(path.join(directory, "moved-to"))?.trim() ?? directory;
  } catch {
    return directory;
  }
}

type Check = readonly [name: string, check: (db: Database) => Promise<Diagnosis>];

async function checkDatabase(db: Database, clock: Clock): Promise<readonly Diagnosis[]> {
  const checks: readonly Check[] = [
    ["database", checkServer],
    ["rights", checkRights],
    ["migrations", checkMigrations],
    ["clock of the database", (open) => checkDatabaseClock(open, clock)],
    ["database size", checkSize],
    ["workers", checkWorkers],
    ["incidents", checkIncidents],
    ["failed slices", checkFailedSlices],
  ];
  const found: Diagnosis[] = [];
  for (const [name, check] of checks) {
    try {
      found.push(await check(db));
    } catch (error) {
      found.push(isMissing(error) ? untold(name) : isMissingRight(error) ? unseen(name, error) : failed(name, error));
    }
  }
  return found;
}

/** No such schema, table or column. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["3F000", "42P01", "42703"].includes(String(error.code));
}

function unseen(check: string, error: Error): Diagnosis {
  return ill(
    check,
    "fail",
    `not to be seen: ${error.message}`,
    "connect as storehouse_loader, and have the owner run `storehouse grants`",
  );
}

function untold(check: string): Diagnosis {
  return ill(check, "warn", "not known before the migrations have run", "`storehouse migrate` runs them");
}
