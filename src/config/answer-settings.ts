import { z } from "zod";

/** The limits of `storehouse mcp` for one answer. */
export const AnswerSettings = z
  .strictObject({
    rows: z
      .int()
      .min(1)
      .max(100_000)
      .default(1000)
      .describe("Maximum rows in one answer; a program may request fewer."),
    seconds: z.number().positive().max(600).default(30).describe("Maximum time for one statement."),
    kib: z
      .int()
      .min(16)
      .max(65_536)
      .default(1024)
      .describe("Approximate maximum size of one answer, in KiB; a single row of more than twice that is refused."),
  })
  .prefault({})
  .describe("Limits on one answer of `storehouse mcp`.");

/** The limits of one answer. */
export type AnswerSettings = z.output<typeof AnswerSettings>;
