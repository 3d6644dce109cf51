import { z } from "zod";

const Credits = z.int().min(1, "a budget is 1 credit or more");
const BudgetName = z
  .string()
  .regex(/^[\w][\w .-]{0,62}$/, "the name of a budget is of letters, digits, space, _, . and -");

const Budget = z
  .strictObject({
    credits_a_day: Credits.optional().describe("Most credits on a day (UTC)."),
    credits_a_month: Credits.optional().describe("Most credits in a calendar month (UTC)."),
    datasets: z.array(z.string()).min(1).optional().describe("Datasets that it is for; all when left out."),
    app_groups: z
      .array(z.string())
      .min(1)
      .optional()
      .describe(
        "Groups of portfolio.groups.apps that it is for: requests about one of their apps; all requests when left out.",
      ),
  })
  .refine(
    ({ credits_a_day: day, credits_a_month: month }) => day !== undefined || month !== undefined,
    "names neither credits_a_day nor credits_a_month",
  )
  .describe("A limit on what slices cost. What is over it waits for its next day or month, and is no failure.");

/** Limits on credits by name. */
export const BudgetSettings = z
  .record(BudgetName, Budget)
  .default({})
  .meta({ examples: [{ reviews: { datasets: ["review"], credits_a_day: 200 } }] })
  .describe(
    "Budgets by name, beside the allowance: credits a day or month, of everything or of datasets and app groups.",
  );

/** Budgets as the file has them. */
export type BudgetSettings = z.output<typeof BudgetSettings>;
