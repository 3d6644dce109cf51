import { z } from "zod";

/** Messages about incidents. */
export const NotifySettings = z
  .strictObject({
    format: z
      .enum(["slack", "teams", "json"], { error: "is none of slack, teams, json" })
      .default("slack")
      .describe(
        "What NOTIFY_URL takes: `slack` (an incoming webhook), `teams` (a webhook of Workflows, which posts an Adaptive Card) or `json` (the fields that docs/monitoring.md lists).",
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
      .describe("How long the API may not respond before that is an incident."),
    repeat_hours: z
      .number()
      .min(0.1)
      .max(720)
      .default(24)
      .describe("How long an incident stays open before a message repeats it."),
  })
  .prefault({})
  .describe("Messages about incidents.");
