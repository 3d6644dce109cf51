import { z } from "zod";

/** What `storehouse mcp` lets one answer take. */
export const AnswerSettings = z
  .strictObject({
    rows: z.int().min(1).max(100_000).default(1000).describe("Most rows of one answer; a program may request fewer."),
    seconds: z.number().positive().max(600).default(30).describe("The longest time for one statement."),
    kib: z
      .int()
      .min(16)
      .max(65_536)
      .default(1024)
      .describe("About the most of one answer, in KiB; a single row above twice as much is refused."),
  })
  .prefault({})
  .describe("What `storehouse mcp` lets one answer take.");

/** The limits of one answer. */
export type AnswerSettings = z.output<typeof AnswerSettings>;
