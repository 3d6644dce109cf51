import { createHash } from "node:crypto";
import { doCompare, whomColumns, type AlertConditions } from "../config/alert-condition.ts";
import { alertKindNamed } from "../config/alert-kinds.ts";
import { alertMarts, type AlertMart } from "../config/alert-marts.ts";
import type { GivenAlert } from "../config/alert-settings.ts";
import type { Settings } from "../config/settings.ts";

/** If the compared day has no answer, the nearest earlier day with one is used, at most this many days before it. */
export const toleranceDays = 7;

/** How many days back the earliest day is that can decide what an alert fires on a day. */
export function furthestDays({ comparedFrom }: Pick<Alert, "comparedFrom">): number {
  return comparedFrom === null ? 0 : comparedFrom + toleranceDays;
}

/** An alert as it is checked: ready-made kinds and groups are expanded. */
export type Alert = {
  readonly name: string;
  readonly martName: string;
  readonly mart: AlertMart;
  readonly conditions: AlertConditions;
  /** Values of subject columns to which rows are limited. */
  readonly whom: Readonly<Record<string, readonly string[]>>;
  /** How many days back a day is compared; null if no condition compares. */
  readonly days: number | null;
  /** Days at least this many days back can decide what fires, including those that the mart itself compares with; null if none does. */
  readonly comparedFrom: number | null;
  readonly datasets: readonly string[];
  readonly send: GivenAlert["send"];
  /** Changes whenever something changes that decides what fires. */
  readonly digest: string;
};

/** Values of columns of a mart by name. */
export type AlertValues = Readonly<Record<string, string | number | boolean | null>>;

/** The alerts of the configuration. */
export function alertsIn({ alerts, portfolio }: Pick<Settings, "alerts" | "portfolio">): readonly Alert[] {
  return Object.entries(alerts).map(([name, given]) => alertOf(name, given, portfolio.groups));
}

function alertOf(name: string, given: GivenAlert, groups: Settings["portfolio"]["groups"]): Alert {
  const kind = given.kind === undefined ? undefined : alertKindNamed(given.kind);
  const martName = kind?.mart ?? given.mart ?? "";
  // settings that were read only name existing marts
  const mart = alertMarts[martName] as AlertMart;
  const conditions = kind?.when(given) ?? given.when ?? {};
  const days = doCompare(conditions) ? (given.days ?? 1) : null;
  const parts = {
    martName,
    conditions,
    whom: whomOf(given.for, groups),
    days,
    datasets: datasetsOf(mart, conditions),
  };
  const digest = createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
  const comparedFrom = days ?? (mart.comparedDay === undefined ? null : 1);
  return { name, mart, ...parts, comparedFrom, send: given.send, digest };
}

function whomOf(given: GivenAlert["for"], groups: Settings["portfolio"]["groups"]): Alert["whom"] {
  const { app_groups: apps = [], keyword_groups: keywords = [], ...named } = given;
  const parts = [
    ...Object.entries(named).map(([part, values]) => [whomColumns[part as keyof typeof named], values ?? []] as const),
    [whomColumns.app_groups, apps.flatMap((group) => groups.apps[group] ?? [])] as const,
    [whomColumns.keyword_groups, keywords.flatMap((group) => groups.keywords[group] ?? [])] as const,
  ].filter(([, values]) => values.length > 0);
  const whom: Record<string, readonly string[]> = {};
  for (const [column, values] of parts) whom[column] = [...(whom[column] ?? []), ...values];
  return whom;
}

function datasetsOf(
  { datasets, datasetOf = {}, datasetsBy }: AlertMart,
  conditions: AlertConditions,
): readonly string[] {
  const named = datasetsBy === undefined ? [] : [conditions[datasetsBy.column]?.is ?? []].flat();
  const byValue = named.flatMap((value) => datasetsBy?.values[String(value)] ?? []);
  const byColumn = Object.keys(conditions).flatMap((column) => datasetOf[column] ?? []);
  return byValue.length > 0 ? byValue : [...new Set([...datasets, ...byColumn])];
}
