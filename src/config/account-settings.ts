import { z } from "zod";
import { CreditSettings } from "./credit-settings.ts";
import { AccountPortfolio } from "./portfolio-settings.ts";

/** The name of an account: part of the name of the variable with its token, and of partitions. */
export const AccountName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,29}$/,
    "a name has lower-case letters, digits and _, begins with a letter, and is at most 30 characters long",
  )
  .refine((name) => name !== "file" && !name.endsWith("_file"), "must not end in file: API_TOKEN_FILE names a file");

const Account = z
  .strictObject({
    portfolio: AccountPortfolio,
    credits: CreditSettings.unwrap()
      .optional()
      .describe("Limits on spending its allowance; replaces all of `credits` above."),
    requests_per_second: z
      .number()
      .positive()
      .max(1000)
      .optional()
      .describe("Request rate of all its workers together, instead of api.requests_per_second."),
  })
  .describe("One account of the API.");

/** Accounts in addition to that of API_TOKEN, by name. */
export const AccountSettings = z
  .record(AccountName, Account)
  .default({})
  .meta({ examples: [{ acme: { requests_per_second: 2 } }] })
  .describe(
    "More API accounts for this warehouse, by name. The token of each is in a variable named API_TOKEN_ plus the account's name in capitals. STOREHOUSE_ACCOUNT names the account that a process works with; if it is not set, that is the account of API_TOKEN, with the portfolio and credits above.",
  );
