import type { Settings } from "../config/settings.ts";
import { AbortError, StorehouseError } from "../core/errors.ts";
import { isAnyPutOff, wakeAffordable } from "../ledger/affordable.ts";
import type { IngestParts } from "./parts.ts";

/**
 * Where slices wait for the reset of their credits, asks for the balance, which is free, and lets go on what it pays for: credits may
 * have been bought. When the question fails they wait on.
 */
export async function wakeBought(parts: IngestParts, settings: Settings): Promise<void> {
  const { db, clock, log, accountId } = parts;
  if (!(await isAnyPutOff(db, clock.now()))) return;
  try {
    await parts.refreshBalance();
  } catch (error) {
    if (!(error instanceof StorehouseError)) throw error;
    if (error instanceof AbortError) parts.abort(error);
    return;
  }
  const woken = await wakeAffordable(db, { accountId, floors: settings.credits.floors }, clock.now());
  if (woken > 0) log.info({ slices: woken }, "credits.reach_again");
}
