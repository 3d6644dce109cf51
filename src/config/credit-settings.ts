import { z } from "zod";
import { BudgetSettings } from "./budget-settings.ts";

const Share = z.number().min(0).max(1);

/** Who may spend what. */
export const CreditSettings = z
  .strictObject({
    floors: z
      .strictObject({
        snapshot: Share.default(0.02).describe("For data that is lost for good if it is missed tonight."),
        daily: Share.default(0.05).describe("For calls with the newest day."),
        lookback: Share.default(0.1).describe("For days that the source restates."),
        history: Share.default(0.2).describe("For history."),
      })
      .prefault({})
      .describe("Share of the allowance that each class leaves untouched, 0 to 1."),
    ask_above: z
      .int()
      .min(0)
      .default(1000)
      .describe("Credits above which a backfill requires confirmation before it runs (`--yes` gives it)."),
    retries_a_day: z
      .int()
      .min(0)
      .default(500)
      .describe(
        "Maximum credits per day (UTC) for requesting failed slices again automatically. Snapshots count, and are requested again also beyond it; 0 switches all of this off.",
      ),
    budgets: BudgetSettings,
  })
  .prefault({})
  .describe("Limits on spending.");
