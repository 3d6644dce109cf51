import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import {
  countEarlierFailures,
  readUnrequestedDays,
  type RequestedFrom,
  type EarlierFailures,
  type UnrequestedDays,
} from "../ledger/unrequested-days.ts";
import type { NamedScopes } from "../core/partition-group.ts";
import { requestable } from "../plan/missing.ts";
import type { Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import { isCancelled } from "../postgres/database-errors.ts";
import { sql, type Queryable } from "../postgres/sql.ts";
import { settingsOf, timingWith } from "./dataset-settings.ts";
import { datasetsOf } from "./plan-stream.ts";
import type { SyncRequest } from "./request.ts";

/** What is missing on days before those that a sync reaches. */
export type EarlierGaps = {
  readonly unrequested: readonly UnrequestedDays[];
  readonly failed: readonly EarlierFailures[];
};

/** None. */
export const noEarlierGaps: EarlierGaps = { unrequested: [], failed: [] };

/**
 * What is missing on days before those that a sync of the request reaches, for the named apps and countries: failed slices, and days
 * without any request of a dataset between days with requests, which no sync will request. None if the request names its first day.
 */
export async function readEarlierGaps(
  db: Database,
  {
    request,
    named,
  }: { readonly request: Pick<SyncRequest, "datasets" | "bounds" | "today">; readonly named: NamedScopes },
  settings: Settings,
): Promise<EarlierGaps> {
  if (request.bounds.start !== undefined) return noEarlierGaps;
  const reaches = reachesOf(request, settings);
  const countries = named.countries.map((country) => country.toUpperCase());
  const own = { apps: named.apps, countries, account: accountOf(settings), today: request.today };
  return {
    unrequested: await readUnrequestedDays(db, reaches, own),
    failed: await countEarlierFailures(db, reaches, own),
  };
}

/** Days before those that a sync of everything reaches that were not requested, between days that were. */
export function readNeverRequested(db: Queryable, settings: Settings, today: Day): Promise<readonly UnrequestedDays[]> {
  const own = { apps: [], countries: [], account: accountOf(settings), today };
  return readUnrequestedDays(db, reachesOf({ datasets: [], bounds: {}, today }, settings), own);
}

/** The same, or null if reading it takes longer than allowed: it reads the whole ledger. */
export async function readNeverRequestedWithin(
  db: Database,
  { settings, today, ms }: { readonly settings: Settings; readonly today: Day; readonly ms: number },
): Promise<readonly UnrequestedDays[] | null> {
  try {
    return await db.transaction().execute(async (transaction) => {
      await sql`set local statement_timeout to ${sql.lit(ms)}`.execute(transaction);
      return readNeverRequested(transaction, settings, today);
    });
  } catch (error) {
    if (isCancelled(error)) return null;
    throw error;
  }
}

/** The first day that a sync of the request reaches, for each of its datasets with a history. */
function reachesOf(
  request: Pick<SyncRequest, "datasets" | "bounds" | "today">,
  settings: Settings,
): readonly RequestedFrom[] {
  return datasetsOf(request, settings).flatMap((dataset) => {
    const timing = timingWith(dataset.timing, settingsOf(dataset, settings), request.today);
    if (timing.kind === "snapshot") return [];
    const { start } = requestable(timing, request.today, {});
    const { name, itemsAreApps } = dataset;
    return [{ dataset: name, from: start, keptFrom: timing.keptFrom ?? null, itemsAreApps: itemsAreApps === true }];
  });
}
