import { z } from "zod";
import { creditClasses } from "../core/slice.ts";

const Caller = z
  .strictObject({
    class: z
      .enum(creditClasses, { error: `must be one of ${creditClasses.join(", ")}` })
      .default("history")
      .describe("Credit class of its requests: how much of the allowance they leave untouched (credits.floors)."),
    floor: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("Share of the allowance that its requests leave untouched, instead of the floor of its class."),
    credits_a_day: z
      .int()
      .min(0)
      .optional()
      .describe("Maximum credits that it may spend per day (UTC) (default: no limit)."),
    may_change: z
      .boolean()
      .default(false)
      .describe("Whether it may also add and remove tracked keywords, and have apps discovered."),
  })
  .describe("Limits for one caller.");

/** The gateway: who may call it, and what each may spend. */
export const GatewaySettings = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .default("127.0.0.1")
      .describe(
        "Address to listen on; keys are sent in clear text, so any address other than loopback needs https in front.",
      ),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .default(9466)
      .describe("Port to listen on; if it is taken, the next free one of ten; 0 for any free one."),
    fresh_minutes: z
      .number()
      .min(0)
      .max(100_000)
      .default(60)
      .describe("Minutes for which the gateway reuses an answer whose freshness no dataset defines; 0 for never."),
    callers: z
      .record(
        z
          .string()
          .regex(
            /^[a-z][a-z0-9_-]{0,39}$/,
            "a name has lower-case letters, digits, _ and -, begins with a letter, and is at most 40 characters long",
          ),
        Caller,
      )
      .default({})
      .describe("Callers by name; `storehouse gateway --new-key NAME` creates the key of each."),
  })
  .prefault({})
  .describe("The API's own contract for other programs, answered from stored answers while they are fresh.");

/** The settings of one caller. */
export type CallerSettings = z.output<typeof Caller>;
