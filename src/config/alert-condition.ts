import { z } from "zod";
import { Country, TrackId } from "./portfolio-settings.ts";

const Value = z.union([z.string(), z.number(), z.boolean()]);
const Values = z.union([Value, z.array(Value).min(1)]);

/** Conditions on one column. */
export const Condition = z
  .strictObject({
    is: Values.optional().describe("Equals this value, or one of these values."),
    is_not: Values.optional().describe("Is known and equals none of these values."),
    at_least: z.number().optional().describe("Is this value or more."),
    at_most: z.number().optional().describe("Is this value or less."),
    rises_by: z.number().positive().optional().describe("Rose by this much or more; a rank rises when it gets worse."),
    falls_by: z.number().positive().optional().describe("Fell by this much or more."),
    rises_by_percent: z.number().positive().optional().describe("Rose by this many percent or more."),
    falls_by_percent: z.number().positive().max(100).optional().describe("Fell by this many percent or more."),
    rises_past: z.number().optional().describe("Is above this value, and was not before."),
    falls_past: z.number().optional().describe("Is below this value, and was not before."),
    changes: z.literal(true).optional().describe("Differs from the value before."),
  })
  .refine((condition) => Object.keys(condition).length > 0, "names no condition")
  .describe("Conditions on the column; all of them must hold.");

/** Whom an alert is about. */
export const Whom = z
  .strictObject({
    apps: z.array(TrackId).min(1).optional().describe("Track ids (default: all apps)."),
    app_groups: z.array(z.string()).min(1).optional().describe("Groups from portfolio.groups.apps."),
    countries: z.array(Country).min(1).optional().describe("Countries (default: all)."),
    keywords: z.array(z.string().min(1)).min(1).optional().describe("Keywords (default: all)."),
    keyword_groups: z.array(z.string()).min(1).optional().describe("Groups from portfolio.groups.keywords."),
    devices: z
      .array(z.enum(["IPHONE", "IPAD", "ALL"], { error: "must be one of IPHONE, IPAD, ALL (Android)" }))
      .min(1)
      .optional()
      .describe("Devices (default: all)."),
  })
  .prefault({});

/** The column that each part of `for` narrows. */
export const whomColumns = {
  apps: "track_id",
  app_groups: "track_id",
  countries: "country_code",
  keywords: "keyword",
  keyword_groups: "keyword",
  devices: "device_code",
} as const satisfies Readonly<Record<keyof z.output<typeof Whom>, string>>;

/** Conditions on the columns of a mart. */
export type AlertConditions = Readonly<Record<string, z.output<typeof Condition>>>;

/** Conditions that compare a day with an earlier one. */
export const comparing = [
  "rises_by",
  "falls_by",
  "rises_by_percent",
  "falls_by_percent",
  "rises_past",
  "falls_past",
  "changes",
] as const satisfies readonly (keyof z.output<typeof Condition>)[];

/** Whether conditions compare a day with an earlier one. */
export function doCompare(conditions: AlertConditions): boolean {
  return Object.values(conditions).some((condition) => comparing.some((name) => condition[name] !== undefined));
}
