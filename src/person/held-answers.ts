import { accountWords } from "../config/config-of-account.ts";
import type { App } from "../app.ts";
import { applyHeld } from "../archive/apply-held.ts";
import { fail } from "../core/errors.ts";
import type { HeldAnswer } from "../ledger/held-answers.ts";
import { createDimensions } from "../load/dimensions.ts";
import { createPartitions } from "../load/partitions.ts";
import { tablesByDay } from "../planner/dataset-settings.ts";

/**
 * Applies held answers to which a person agrees; requests nothing. Throws `held_not_stored`, after it has applied the others, if some are
 * no longer stored.
 */
export async function agreeToAnswers(
  { warehouse: { db }, clock, config }: Pick<App, "warehouse" | "clock" | "config">,
  held: readonly HeldAnswer[],
): Promise<void> {
  const partitions = createPartitions(db, tablesByDay(config.settings));
  const parts = { db, clock, dimensions: createDimensions(db), partitions };
  const gone: string[] = [];
  for (const answer of held) if (!(await applyHeld(parts, answer))) gone.push(answer.sliceId);
  if (gone.length > 0) throw fail("held_not_stored", { slices: gone.join(", "), applied: held.length - gone.length });
}

/** What a held answer is about: its app and country, or the account; an account other than that of API_TOKEN is named. */
export function aboutOf({ scope: { store, app, country, account } }: Pick<HeldAnswer, "scope">): string {
  const place = [store, app, country].filter((one) => one !== undefined).join(" ");
  if (account === undefined) return place || "the account";
  return place === "" ? accountWords(account) : `${place} of ${accountWords(account)}`;
}
