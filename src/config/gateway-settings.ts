import { z } from "zod";
import { creditClasses } from "../core/slice.ts";

const Caller = z
  .strictObject({
    class: z
      .enum(creditClasses, { error: `is none of ${creditClasses.join(", ")}` })
      .default("history")
      .describe("Credit class of its requests: how much of the allowance they leave untouched (credits.floors)."),
    floor: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("Share of the allowance that they leave, instead of the class's."),
    credits_a_day: z
      .int()
      .min(0)
      .optional()
      .describe("Most credits that it may take on a day (UTC); without a limit when left out."),
    may_change: z
      .boolean()
      .default(false)
      .describe("It may also add and remove tracked keywords, and have apps discovered."),
  })
  .describe("What one caller may spend.");

/** The gateway: who may call it, and what each may spend. */
export const GatewaySettings = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default("127.0.0.1")
      .describe(
        "Address that it listens on; keys travel in clear text, so any other than this machine's wants https in front.",
      ),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .default(9466)
      .describe("Its port; the next free one of ten where it is taken, any free one for 0."),
    fresh_minutes: z
      .number()
      .min(0)
      .max(100_000)
      .default(60)
      .describe("Minutes for which an answer is given again that no dataset has a timing for; 0 for never."),
    callers: z
      .record(
        z
          .string()
          .regex(/^[a-z][a-z0-9_-]{0,39}$/, "a name is small letters, digits, _ and -, a letter first, 40 at most"),
        Caller,
      )
      .default({})
      .describe("Callers by name; `storehouse gateway --new-key NAME` makes the key of each."),
  })
  .prefault({})
  .describe("The API's own contract for others in the company, answered from what is stored where that is fresh.");

/** The settings of one caller. */
export type CallerSettings = z.output<typeof Caller>;
