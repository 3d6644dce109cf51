import type { AlertColumn } from "../config/alert-marts.ts";
import type { Alert, AlertValues } from "./alert.ts";
import type { Fire } from "./fire.ts";
import { cut } from "../core/words.ts";

const longestValue = 80;

/** What fired, on one line: its subject, the values, and their days. */
export function fireText(
  { mart }: Pick<Alert, "mart">,
  { subject, label, day, comparedDay, values, before }: Fire,
): string {
  const about = mart.subject
    .filter((column) => column !== "store" && column !== "track_id" && subject[column] !== "")
    .map((column) => shown(subject[column]));
  const who = [label ?? shown(subject["track_id"]), ...about].join(", ");
  const what = Object.keys(mart.columns)
    // the alert itself shows that a yes-or-no condition is met, but not how a value changed
    .filter((column) => Object.hasOwn(values, column))
    .filter((column) => mart.columns[column] !== "boolean" || (before !== null && before[column] !== values[column]))
    .map((column) => `${words(column)} ${change(column, { values, before, kind: mart.columns[column] ?? "text" })}`);
  return `${who}: ${[...what, `on ${day}${comparedDay === null ? "" : `, compared with ${comparedDay}`}`].join(", ")}`;
}

type Cells = { readonly values: AlertValues; readonly before: AlertValues | null; readonly kind: AlertColumn };

function change(column: string, { values, before, kind }: Cells): string {
  const cell = (all: AlertValues) => shown(all[column], kind);
  return before === null || before[column] === values[column] ? cell(values) : `${cell(before)} -> ${cell(values)}`;
}

function shown(value: AlertValues[string] | undefined, kind: AlertColumn = "text"): string {
  if (value === null || value === undefined) return kind === "rank" ? "not ranked" : "none";
  return cut(String(value), longestValue);
}

function words(column: string): string {
  return column.replaceAll("_", " ");
}

/** What an alert is about and when it fires, on one line. */
export function alertText({ conditions, whom, days }: Pick<Alert, "conditions" | "whom" | "days">): string {
  const when = Object.entries(conditions).flatMap(([column, condition]) =>
    Object.entries(condition).map(([name, value]) =>
      [words(column), words(name), value === true && name === "changes" ? "" : [value].flat().join(" or ")]
        .join(" ")
        .trim(),
    ),
  );
  const narrowed = Object.entries(whom).map(([column, values]) => `${words(column)} ${values.join(" or ")}`);
  const compared = days === null ? [] : [`compared with ${days === 1 ? "the day" : `${days} days`} before`];
  return [...when, ...narrowed, ...compared].join("; ") || "each row";
}
