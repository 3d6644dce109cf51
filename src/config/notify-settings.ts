import { z } from "zod";

/** Messages about incidents and alerts. */
export const NotifySettings = z
  .strictObject({
    format: z
      .enum(["slack", "teams", "json"], { error: "must be one of slack, teams, json" })
      .default("slack")
      .describe(
        "Format that NOTIFY_URL expects: `slack` (an incoming webhook), `teams` (a webhook of Workflows, which posts an Adaptive Card) or `json` (the fields that docs/monitoring.md lists).",
      ),
    check_seconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(60)
      .describe("How often one of the workers checks for problems."),
    outage_minutes: z
      .number()
      .min(0)
      .max(1440)
      .default(5)
      .describe("How long the API may be unavailable before an incident opens."),
    repeat_hours: z
      .number()
      .min(0.1)
      .max(720)
      .default(24)
      .describe("How long an incident stays open before a message is sent again."),
    morning_at: z
      .string({ error: "must be a time of day: HH:MM" })
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day: HH:MM")
      .default("07:00")
      .describe("When alerts with `send: morning` are sent together, UTC."),
  })
  .prefault({})
  .describe("Messages about incidents and alerts.");
