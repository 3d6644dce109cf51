import { z } from "zod";
import { accountOf } from "../../config/config-of-account.ts";
import { countOf } from "../../core/words.ts";
import { fail } from "../../core/errors.ts";
import { cancelPlan, endedWords } from "../../ledger/end-stopped.ts";
import { readPlanProgress } from "../../ledger/plans.ts";
import { knownPlan } from "../../planner/backfill-plan.ts";
import { defineAction } from "../define-action.ts";
import { LedgerId } from "../parse-input.ts";

/** Cancels the rest of a plan, as `storehouse backfill --plan N --cancel` does. */
export const cancelPlanAction = defineAction({
  name: "cancel-plan",
  label: "Cancel the rest",
  readsAsLoader: true,
  input: z.object({ plan: LedgerId }),
  price: async ({ app }, { plan }) => {
    const { db } = app.warehouse;
    await knownPlan(db, plan, accountOf(app.config.settings));
    const { open } = await readPlanProgress(db, plan);
    if (open === 0) throw fail("console_bad_input", { problem: `plan ${plan} has no waiting slices` });
    return {
      credits: 0,
      alwaysAsk: true,
      says: `The rest of plan ${plan} (${countOf(open, "slice")}) is cancelled, and its cells are missing again. Slices with stored pages fail instead: a retry fetches pages that are missing or could not be read. Requests under way finish first, because they are paid for.`,
    };
  },
  run: async ({ app }, { plan }) => {
    const ended = endedWords(`of plan ${plan}`, await cancelPlan(app.warehouse.db, plan));
    return { says: ended.join(" ") || `No slice of plan ${plan} is waiting.`, to: "/runs" };
  },
});
