import { z } from "zod";

const Credits = z.int().min(1, "a budget must be 1 credit or more");
const BudgetName = z
  .string()
  .regex(/^[\w][\w .-]{0,62}$/, "the name of a budget consists of letters, digits, space, _, . and -");

const Budget = z
  .strictObject({
    credits_a_day: Credits.optional().describe("Maximum credits on one day (UTC)."),
    credits_a_month: Credits.optional().describe("Maximum credits in a calendar month (UTC)."),
    datasets: z.array(z.string()).min(1).optional().describe("Datasets that it covers (default: all)."),
    app_groups: z
      .array(z.string())
      .min(1)
      .optional()
      .describe(
        "Groups from portfolio.groups.apps: it covers requests about one of their apps (default: all requests).",
      ),
  })
  .refine(
    ({ credits_a_day: day, credits_a_month: month }) => day !== undefined || month !== undefined,
    "names neither credits_a_day nor credits_a_month",
  )
  .describe("A limit on the cost of slices. Slices above it wait for its next day or month; that is not a failure.");

/** Limits on credits by name. */
export const BudgetSettings = z
  .record(BudgetName, Budget)
  .default({})
  .meta({ examples: [{ reviews: { datasets: ["review"], credits_a_day: 200 } }] })
  .describe(
    "Budgets by name, in addition to the allowance: credits per day or month, for everything or for some datasets and app groups.",
  );

/** Budgets as the file has them. */
export type BudgetSettings = z.output<typeof BudgetSettings>;
