import { z } from "zod";
import { comparing, Condition, doCompare, Whom, whomColumns } from "./alert-condition.ts";
import { alertKindNamed, alertKinds } from "./alert-kinds.ts";
import { alertMarts, type AlertColumn, type AlertMart } from "./alert-marts.ts";
import { unknownNames } from "./budget-names.ts";

const names = <T extends object>(table: T) => Object.keys(table) as [keyof T & string, ...(keyof T & string)[]];

const Alert = z
  .strictObject({
    kind: z
      .enum(names(alertKinds), { error: `must be one of ${names(alertKinds).join(", ")}` })
      .optional()
      .describe("A ready-made alert, instead of mart and when; docs/alerts.md lists them."),
    mart: z
      .enum(names(alertMarts), { error: `is not a mart for alerts; choose one of ${names(alertMarts).join(", ")}` })
      .optional()
      .describe("The mart to check."),
    when: z.record(z.string(), Condition).optional().describe("Conditions by column of the mart."),
    for: Whom.describe("Apps, countries, keywords and devices to check."),
    days: z
      .int()
      .min(1)
      .max(30)
      .optional()
      .describe("How many days back rises, falls and changes compare with (default: 1)."),
    by: z.number().positive().optional().describe("For the kinds keyword_fell and rating_fell."),
    top: z.int().min(1).optional().describe("For the kinds keyword_left_top and chart_entered."),
    count: z.int().min(1).optional().describe("For the kind one_star_reviews."),
    properties: z.array(z.string()).min(1).optional().describe("For the kind page_changed."),
    send: z
      .enum(["at_once", "morning"], { error: "must be at_once or morning" })
      .default("at_once")
      .describe("When it is sent: as soon as it fires, or in the daily morning message (notify.morning_at)."),
  })
  .superRefine((given, context) => {
    for (const { path, message } of alertProblems(given)) context.addIssue({ code: "custom", path, message });
  });

/** An alert as the file has it. */
export type GivenAlert = z.output<typeof Alert>;

const namesOfAlerts = "the name of an alert consists of a to z, 0 to 9, _ and -";

/** Alerts by name. */
export const AlertSettings = z
  .record(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,59}$/, namesOfAlerts), Alert)
  .default({})
  .meta({ examples: [{ left_top_ten: { kind: "keyword_left_top" } }] })
  .describe("Conditions on marts; a message is sent when one is met.");

type Problem = { readonly path: string[]; readonly message: string };

const ofRanks = ["at_least", "at_most", "rises_by", "falls_by", "rises_past", "falls_past"];
const conditionsOf: Readonly<Record<AlertColumn, readonly string[]>> = {
  number: ["is", "is_not", ...ofRanks, "rises_by_percent", "falls_by_percent", "changes"],
  rank: [...ofRanks, "changes"],
  text: ["is", "is_not", "changes"],
  boolean: ["is", "changes"],
};

/** What is invalid in an alert: options of another kind, and columns and conditions that the mart does not have. */
function alertProblems(given: GivenAlert): readonly Problem[] {
  const { kind, mart: named, when, for: whom } = given;
  const one = (path: string[], message: string) => [{ path, message }];
  if (kind === undefined && named === undefined) return one([], "names neither a kind nor a mart");
  if (kind !== undefined && (named !== undefined || when !== undefined))
    return one([named === undefined ? "when" : "mart"], "is only for an alert without a kind");
  const own = kind === undefined ? undefined : alertKindNamed(kind);
  const foreign = (["by", "top", "count", "properties"] as const).filter(
    (option) => given[option] !== undefined && option !== own?.option,
  );
  if (foreign[0] !== undefined)
    return one([foreign[0]], kind === undefined ? "is an option of a kind" : `is not an option of ${kind}`);
  const name = own?.mart ?? named ?? "";
  const mart = alertMarts[name] as AlertMart;
  if (when === undefined && own === undefined && mart.isEvent === undefined) return one([], "has no condition");
  if (given.days !== undefined && !doCompare(own?.when(given) ?? when ?? {}))
    return one(["days"], "has no effect: no condition compares with an earlier day");
  return [
    ...Object.keys(whom)
      .filter((part) => !mart.subject.includes(whomColumns[part as keyof typeof whomColumns]))
      .map((part) => ({ path: ["for", part], message: `cannot be used: mart.${name} has none` })),
    ...Object.entries(when ?? {}).flatMap(([column, condition]) => columnProblems(name, column, condition)),
  ];
}

function columnProblems(name: string, column: string, condition: object): readonly Problem[] {
  const { subject, columns, isEvent, comparedDay } = alertMarts[name] as AlertMart;
  const path = ["when", column];
  const kind = columns[column] ?? (subject.includes(column) ? "text" : undefined);
  if (kind === undefined) {
    const all = [...Object.keys(columns), ...subject].join(", ");
    return [{ path, message: `is not a column of mart.${name} for alerts; choose one of ${all}` }];
  }
  // columns of the subject do not change, and events have no earlier day
  const isFixed = subject.includes(column) || isEvent === true || comparedDay !== undefined;
  const takes = conditionsOf[kind].filter((one) => !isFixed || !comparing.some((other) => other === one));
  return Object.entries(condition).flatMap(([one, values]) => {
    if (!takes.includes(one))
      return [{ path: [...path, one], message: `cannot be used for this column; use ${takes.join(", ")}` }];
    const odd = one === "is" || one === "is_not" ? [values].flat().find((value) => !isValueOf(kind, value)) : undefined;
    if (odd === undefined) return [];
    const words = kind === "boolean" ? "true or false" : "a number";
    return [{ path: [...path, one], message: `is not a value of this column: ${String(odd)} is not ${words}` }];
  });
}

/** Whether a column of a kind can have a value. Any other value would never match, or could not be compared. */
function isValueOf(kind: AlertColumn, value: unknown): boolean {
  if (kind === "boolean") return ["true", "false"].includes(String(value));
  return kind !== "number" || (typeof value !== "boolean" && /^-?\d+(\.\d+)?$/.test(String(value)));
}

type AlertsAndGroups = {
  readonly alerts: z.output<typeof AlertSettings>;
  readonly portfolio: {
    readonly groups: Readonly<Record<"apps" | "keywords", Readonly<Record<string, readonly string[]>>>>;
  };
};

/** Groups that an alert names but the portfolio does not have. */
export function unknownGroups({ alerts, portfolio }: AlertsAndGroups) {
  const parts = { app_groups: portfolio.groups.apps, keyword_groups: portfolio.groups.keywords } as const;
  return Object.entries(alerts).flatMap(([alert, { for: whom }]) =>
    Object.entries(parts).flatMap(([part, known]) =>
      unknownNames(whom[part as keyof typeof parts] ?? [], Object.keys(known), {
        path: ["alerts", alert, "for", part],
        is: "group",
      }),
    ),
  );
}
