import { z } from "zod";
import { CreditSettings } from "./credit-settings.ts";
import { AccountPortfolio } from "./portfolio-settings.ts";

/** The name of an account: part of the name of the variable with its token, and of partitions. */
export const AccountName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,29}$/, "a name is small letters, digits and _, a letter first, 30 at most")
  .refine((name) => name !== "file" && !name.endsWith("_file"), "must not end in file: API_TOKEN_FILE names a file");

const Account = z
  .strictObject({
    portfolio: AccountPortfolio,
    credits: CreditSettings.unwrap()
      .optional()
      .describe("Who may spend what of its allowance, instead of credits above as a whole."),
    requests_per_second: z
      .number()
      .positive()
      .max(1000)
      .optional()
      .describe("Pace of all its workers together, instead of api.requests_per_second."),
  })
  .describe("One account of the API.");

/** Accounts beside the one of API_TOKEN, by name. */
export const AccountSettings = z
  .record(AccountName, Account)
  .default({})
  .meta({ examples: [{ acme: { requests_per_second: 2 } }] })
  .describe(
    "More accounts of the API for this warehouse, by name. The token of each is in API_TOKEN_ and its name in capitals, and STOREHOUSE_ACCOUNT names the one that a process works with: that of API_TOKEN, with the portfolio and credits above, when it is not set.",
  );
