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
import type { Queryable } from "../postgres/sql.ts";
import { settingsOf, timingWith } from "./dataset-settings.ts";
import { datasetsOf } from "./plan-stream.ts";
import type { SyncRequest } from "./request.ts";

/** What is missing of days before those that a sync reaches. */
export type EarlierGaps = {
  readonly unrequested: readonly UnrequestedDays[];
  readonly failed: readonly EarlierFailures[];
};

/** None. */
export const noEarlierGaps: EarlierGaps = { unrequested: [], failed: [] };

/**
 * What is missing of days before those that a sync of the request reaches: days of which nothing of a dataset was requested between days of
 * which something was, which no sync requests any more, and what failed; of the named apps and countries only. None where the request names
 * its first day.
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
  const upper = { ...named, countries: named.countries.map((country) => country.toUpperCase()) };
  return {
    unrequested: await readUnrequestedDays(db, reaches, upper),
    failed: await countEarlierFailures(db, reaches, upper),
  };
}

/** Days before those that a sync of everything reaches, of which nothing was requested between days of which something was. */
export function readNeverRequested(db: Queryable, settings: Settings, today: Day): Promise<readonly UnrequestedDays[]> {
  return readUnrequestedDays(db, reachesOf({ datasets: [], bounds: {}, today }, settings), { apps: [], countries: [] });
}

/** The first day that a sync of the request reaches, of each of its datasets that has a history. */
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
