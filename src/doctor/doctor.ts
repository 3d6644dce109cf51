import path from "node:path";
import { existsSync } from "node:fs";
import { apiAccess, databaseUrlOf } from "../config/config.ts";
import type { Environment } from "../config/env.ts";
import { readText } from "../config/read-text.ts";
import { networkOf } from "../config/network.ts";
import { switchedOff, type Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import type { Network } from "../core/http-agent.ts";
import { openEmbedded } from "../postgres/embedded/embedded-server.ts";
import { databaseOutage, isLostConnection, isMissingRight, withoutReply } from "../postgres/database-errors.ts";
import { openWarehouse, type Database } from "../postgres/database.ts";
import { checkAlertSettings } from "./alert-check.ts";
import { checkExport } from "./export-check.ts";
import { failedWith, failure, pass, type Diagnosis } from "./diagnosis.ts";
import { checkDatabaseClock, checkLocks, checkMigrations, checkRights, checkServer } from "./database-checks.ts";
import {
  checkFailedSlices,
  checkIncidents,
  checkLostDays,
  checkReported,
  checkTooDear,
  checkUnrequestedDays,
} from "./ledger-checks.ts";
import { checkSize } from "./size-check.ts";
import { checkDisk } from "./machine-checks.ts";
import { checkAgreement, checkCrontab, checkWorkers, type ScheduleFile } from "./schedule-checks.ts";
import { checkApi, checkMessages, checkPing, checkWebhook } from "./api-and-webhook-checks.ts";
import { createPing, createWebhook } from "../incidents/webhook.ts";
import { causeCode } from "../core/errors.ts";

/** What the doctor checks: as much of the configuration as could be read. */
export type DoctorInput = {
  readonly environment: Environment;
  readonly settings: Settings;
  readonly home: string;
  readonly clock: Clock;
  readonly crontab: ScheduleFile;
  /** Whether DATABASE_URL is invalid: then the database is not known. */
  readonly hasNoDatabase?: boolean;
  /** Whether a test message is sent to the webhook. */
  readonly testsWebhook: boolean;
};

/** The doctor waits no longer for a database or an API that does not respond. */
const timeoutMs = 15_000;

/** Runs every check, even after one failed. It changes nothing; the embedded Postgres is started and stopped. */
export async function diagnose(input: DoctorInput): Promise<readonly Diagnosis[]> {
  const { environment, settings, clock, testsWebhook } = input;
  const { format } = settings.notify;
  const url = environment.NOTIFY_URL;
  const { network, problems } = readNetwork(environment);
  const send = url === undefined ? null : createWebhook({ url, format, network });
  const pingUrl = environment.NOTIFY_PING_URL;
  const ping = pingUrl === undefined ? null : createPing({ url: pingUrl, network });
  const [database, api, webhook, switched] = await Promise.all([
    input.hasNoDatabase ? [] : checkAnyDatabase(input),
    checkApiAccess(input, network),
    checkWebhook(send, { tests: testsWebhook, format, now: clock.now() }),
    checkPing(ping, testsWebhook),
  ]);
  const isEmbedded = environment.DATABASE_URL === undefined && !input.hasNoDatabase;
  const disk = isEmbedded ? [await checkDisk(embeddedFolder(input.home))] : [];
  return [
    ...problems,
    ...database,
    ...disk,
    ...api,
    checkCrontab(input.crontab),
    webhook,
    ...switched,
    ...checkAlertSettings(input),
  ];
}

function readNetwork(environment: Environment): { network: Network; problems: readonly Diagnosis[] } {
  try {
    return { network: networkOf(environment), problems: [] };
  } catch (error) {
    return { network: {}, problems: [failedWith("network", error)] };
  }
}

/** Whether the API accepts address and token, by a balance check, which costs nothing. */
export async function checkApiAccess(
  { environment, settings, clock }: Pick<DoctorInput, "environment" | "settings" | "clock">,
  network: Network,
): Promise<readonly Diagnosis[]> {
  try {
    const { baseUrl, token } = apiAccess(environment);
    const { store_words: storeWords, timeout_seconds: timeout, largest_answer_mib: mib } = settings.api;
    const limitMs = Math.min(timeout * 1000, timeoutMs);
    const limits = { timeoutMs: limitMs, largestAnswer: mib * 2 ** 20 };
    return await checkApi({ baseUrl, token, storeWords, ...limits, clock, network });
  } catch (error) {
    return [failedWith("token", error)];
  }
}

/** Whether the database can be used, and with `settings`, whether it is as it should be; changes nothing in it. */
export async function checkAnyDatabase({
  environment,
  home,
  clock,
  settings,
  crontab,
}: Pick<DoctorInput, "environment" | "home" | "clock"> & Partial<Pick<DoctorInput, "settings" | "crontab">>): Promise<
  readonly Diagnosis[]
> {
  const directory = path.join(home, "postgres");
  if (environment.DATABASE_URL === undefined && !existsSync(embeddedFolder(home)))
    return [
      pass(
        "database",
        "DATABASE_URL is not set: Storehouse runs its own Postgres, and the first command that reads it sets it up",
      ),
    ];
  try {
    await using opened = new AsyncDisposableStack();
    const url = databaseUrlOf(environment) ?? opened.use(await openEmbedded({ directory, database: "storehouse" })).url;
    const { db } = opened.use(await openWarehouse(url, 2, { timeoutMs }));
    return await checkDatabase(db, {
      clock,
      settings,
      crontab,
      account: environment.STOREHOUSE_ACCOUNT ?? "",
      hasWebhook: environment.NOTIFY_URL !== undefined,
    });
  } catch (error) {
    return [failedWith("database", error)];
  }
}

/** Where the data of the embedded Postgres is: root cannot run Postgres, so for root the file `moved-to` names another folder. */
function embeddedFolder(home: string): string {
  const directory = path.join(home, "postgres");
  try {
    return readText(path.join(directory, "moved-to"))?.trim() ?? directory;
  } catch {
    return directory;
  }
}

type Checked = {
  readonly clock: Clock;
  readonly settings: Settings | undefined;
  readonly crontab: ScheduleFile | undefined;
  readonly account: string;
  readonly hasWebhook: boolean;
};

type Check = readonly [name: string, check: (db: Database) => Promise<Diagnosis | null>];

async function checkDatabase(
  db: Database,
  { clock, settings, crontab, account, hasWebhook }: Checked,
): Promise<readonly Diagnosis[]> {
  const digest = digestOf(crontab);
  const checks: readonly Check[] = [
    ["database", checkServer],
    ["rights", checkRights],
    ["migrations", checkMigrations],
    ["locks", checkLocks],
    ["clock of the database", (open) => checkDatabaseClock(open, clock)],
    ["database size", (open) => checkSize(open, settings)],
    ["workers", (open) => checkWorkers(open, account, digest)],
    ...agreed(digest === null ? undefined : crontab),
    ["incidents", checkIncidents],
    ...(hasWebhook ? messages(settings, clock) : []),
    [
      "failed slices",
      (open) => checkFailedSlices(open, { switchedOff: settings === undefined ? [] : switchedOff(settings), account }),
    ],
    ["limits", checkTooDear],
    ["lost days", checkLostDays],
    ...unrequested(settings, clock),
    ["reported figures", checkReported],
    ...exported(settings),
  ];
  const found: (Diagnosis | null)[] = [];
  for (const [name, check] of checks) {
    try {
      found.push(await check(db));
    } catch (error) {
      // the check of the migrations has reported what is missing
      if (isMissing(error)) continue;
      if (isLostConnection(error)) found.push(outage(name, error));
      else found.push(isMissingRight(error) ? unreadable(name, error) : failedWith(name, error));
    }
  }
  return found.filter((one) => one !== null);
}

/** The digest of a valid crontab; null for an invalid one, which its own check reports. */
function digestOf(crontab: ScheduleFile | undefined): string | null {
  try {
    return crontab?.digest() ?? null;
  } catch {
    return null;
  }
}

function agreed(crontab: ScheduleFile | undefined): readonly Check[] {
  return crontab === undefined ? [] : [["agreement", (open) => checkAgreement(open, crontab)]];
}

/** How far back a sync reaches depends on the settings: `init` has none yet. */
function unrequested(settings: Settings | undefined, clock: Clock): readonly Check[] {
  if (settings === undefined) return [];
  return [["days not requested", (db) => checkUnrequestedDays(db, { settings, clock })]];
}

/** When an incident is reported again depends on the settings. */
function messages(settings: Settings | undefined, clock: Clock): readonly Check[] {
  return settings === undefined ? [] : [["messages", (db) => checkMessages(db, { settings, clock })]];
}

/** If the crontab exports nothing, the tables of the export do not matter. */
function exported(settings: Settings | undefined): readonly Check[] {
  const of = settings?.export;
  return of?.to === undefined ? [] : [["export", (open) => checkExport(open, of)]];
}

/** No such schema, table or column. */
function isMissing(error: unknown): boolean {
  return ["3F000", "42P01", "42703"].includes(causeCode(error));
}

/** With the driver's words, a person would report a bug for what a lock, or a slow or full disk, causes. */
function outage(check: string, error: Error): Diagnosis {
  if (!error.message.startsWith(withoutReply)) return failedWith(check, databaseOutage(error));
  return failure(
    check,
    `the database did not reply within ${timeoutMs / 1000} s`,
    "see the check locks, and the server's load and log; then run `storehouse doctor` again",
  );
}

function unreadable(check: string, error: Error): Diagnosis {
  return failure(
    check,
    `cannot be read: ${error.message}`,
    "connect as storehouse_loader, and have the database owner run `storehouse grants`",
  );
}
