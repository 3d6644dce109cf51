import type { Settings } from "../config/settings.ts";
import { readUnrequestedDays, type UnrequestedDays } from "../ledger/unrequested-days.ts";
import { requestable } from "../plan/missing.ts";
import type { Database } from "../postgres/database.ts";
import { settingsOf, timingWith } from "./dataset-settings.ts";
import { datasetsOf } from "./plan-stream.ts";
import type { SyncRequest } from "./request.ts";

/**
 * Days before those that a sync of the request reaches, of which nothing of a dataset was requested between days of which something was: no
 * sync requests them any more. None where the request names its first day.
 */
export async function readEarlierGaps(
  db: Database,
  request: Pick<SyncRequest, "datasets" | "bounds" | "today">,
  settings: Settings,
): Promise<readonly UnrequestedDays[]> {
  if (request.bounds.start !== undefined) return [];
  const reaches = datasetsOf(request, settings).flatMap((dataset) => {
    const timing = timingWith(dataset.timing, settingsOf(dataset, settings), request.today);
    if (timing.kind === "snapshot") return [];
    const { start } = requestable(timing, request.today, {});
    return [{ dataset: dataset.name, from: start, keptFrom: timing.keptFrom ?? null }];
  });
  return readUnrequestedDays(db, reaches);
}
