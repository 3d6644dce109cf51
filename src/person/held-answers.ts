import { accountWords } from "../config/config-of-account.ts";
import type { App } from "../app.ts";
import { applyHeld } from "../archive/apply-held.ts";
import { fail } from "../core/errors.ts";
import type { HeldAnswer } from "../ledger/held-answers.ts";
import { createDimensions } from "../load/dimensions.ts";
import { createPartitions } from "../load/partitions.ts";
import { tablesByDay } from "../planner/dataset-settings.ts";

/**
 * Applies held answers to which a person agrees; requests nothing. Throws `held_not_applied`, after it has applied the others, if some
 * cannot be applied.
 */
export async function agreeToAnswers(
  { warehouse: { db }, clock, config }: Pick<App, "warehouse" | "clock" | "config">,
  held: readonly HeldAnswer[],
): Promise<void> {
  const partitions = createPartitions(db, tablesByDay(config.settings));
  const parts = { db, clock, dimensions: createDimensions(db), partitions };
  const left: string[] = [];
  for (const answer of held) {
    const problem = await applyHeld(parts, answer);
    if (problem !== null) left.push(`slice ${answer.sliceId} (${problem})`);
  }
  if (left.length > 0) throw fail("held_not_applied", { answers: left.join(", "), applied: held.length - left.length });
}

/** What a held answer is about: its app and country, or the account; an account other than that of API_TOKEN is named. */
export function aboutOf({ scope: { store, app, country, account } }: Pick<HeldAnswer, "scope">): string {
  const place = [store, app, country].filter((one) => one !== undefined).join(" ");
  if (account === undefined) return place || "the account";
  return place === "" ? accountWords(account) : `${place} of ${accountWords(account)}`;
}
