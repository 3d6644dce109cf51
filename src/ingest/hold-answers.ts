import { deleteKeywords } from "../api/operations/dashboard-keyword.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { decideHeld, holdAnswer, isHeldForSame, wasHeld, wasRequestedBefore } from "../ledger/held-answers.ts";
import { closingsOf } from "../load/closings.ts";
import type { Dimensions } from "../load/dimensions.ts";
import type { ReadyLoad } from "../load/ready-load.ts";
import type { Database } from "../postgres/database.ts";
import type { Slice } from "../core/slice.ts";

/*
 * An answer about the portfolio that leaves out most of its members may be right, or may be a fault of the service. If it were applied,
 * everything else would no longer be fetched. So such an answer changes nothing at first. It is held:
 *
 *   held  --an answer of a later day leaves out the same-->  confirmed: that answer is applied
 *         --a person agrees (storehouse held --apply)----->  agreed: it is applied itself
 *         --a later answer does not leave out most-------->  contradicted: that answer is applied
 *         --a later answer leaves out others as well------>  superseded: that answer is held
 *
 * An imported answer that is older than an applied one is contradicted by that from the start: a replay leaves it out too.
 */

/** The loads of one answer. */
type AnswerLoads = { readonly slice: Slice; readonly loads: readonly ReadyLoad[]; readonly fetchedAt: number };

/** An answer that closes a larger share of the current members of its scope than this is held. */
const mostClosed = 1 / 2;

/** How a load treats answers that close most of the portfolio: it decides, follows what was decided when they came, or applies them. */
export type HeldRule = "decide" | "recorded" | "apply";

/** What a slice loads: everything, or if its answer is held everything except the histories of the portfolio. */
export async function withoutHeld(
  transaction: Database,
  { dimensions, rule }: { readonly dimensions: Dimensions; readonly rule: HeldRule },
  load: AnswerLoads,
): Promise<readonly ReadyLoad[]> {
  const history = load.loads.find(({ table }) => table.load.kind === "history");
  const isPortfolio = datasetNamed(load.slice.dataset).stage === "portfolio";
  if (!isPortfolio || history === undefined || rule === "apply") return load.loads;
  const { slice } = load;
  const isHeld =
    rule === "recorded"
      ? await wasHeld(transaction, slice.sliceId)
      : history.complete && (await decide(transaction, { dimensions, history, load }));
  return isHeld ? load.loads.filter(({ table }) => table.load.kind !== "history") : load.loads;
}

/** Decides whether an answer is held. Records that, and what the answer means for those that are held already. */
async function decide(
  transaction: Database,
  { dimensions, history, load }: { dimensions: Dimensions; history: ReadyLoad; load: AnswerLoads },
): Promise<boolean> {
  const { slice, fetchedAt: at } = load;
  const { current, closing } = await closingsOf(transaction, history, dimensions);
  const isPlausible = closing.length <= current * mostClosed || (await isWanted(transaction, load));
  if (history.isOutdated === true) {
    if (!isPlausible) await holdAnswer(transaction, slice, { current, closing, at, outcome: "contradicted" });
    return !isPlausible;
  }
  if (isPlausible) {
    await decideHeld(transaction, slice, "contradicted", at);
    return false;
  }
  if (await isHeldForSame(transaction, slice, closing)) {
    await decideHeld(transaction, slice, "confirmed", at);
    return false;
  }
  await decideHeld(transaction, slice, "superseded", at);
  await holdAnswer(transaction, slice, { current, closing, at });
  return true;
}

/** True if someone removed keywords of the app from the account a short while before. */
async function isWanted(transaction: Database, { slice, fetchedAt }: AnswerLoads): Promise<boolean> {
  const { app, country, account = "" } = slice.scope;
  if (app === undefined || country === undefined) return false;
  const params = { trackId: app, countryCode: country };
  return wasRequestedBefore(transaction, { operation: deleteKeywords.id, params, account, at: fetchedAt });
}
