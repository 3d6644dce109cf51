import type { ColumnKind } from "../../load/table.ts";
import { amountOf } from "./values.ts";

/** Days after an install within which goals are counted. */
const withinDays = [1, 3, 7, 14, 30] as const;

const byDays = (column: string, field: string) =>
  withinDays.map((days): [column: string, field: string] => [`${column}_${days}d`, `${field}${days}`]);

/** The figures of a report by their columns: counts, money and rates, each with its field. */
const figures: readonly (readonly [column: string, field: string])[] = [
  ["spend", "spend"],
  ["impression_count", "impressions"],
  ["tap_count", "taps"],
  ["install_count", "installs"],
  ["new_download_count", "newDownloads"],
  ["redownload_count", "redownloads"],
  ["lat_on_install_count", "latOnInstalls"],
  ["lat_off_install_count", "latOffInstalls"],
  ["cpa", "cpa"],
  ["cpt", "cpt"],
  ["cpm", "cpm"],
  ["ttr", "ttr"],
  ["cr", "cr"],
  ["attributed_install_count", "numberOfInstall"],
  ["attributed_install_rate", "attrInstallRate"],
  ["cpi", "cpi"],
  ["goal_count", "numberOfGoal"],
  ...byDays("goal_count", "goalCount"),
  ["goal_rate", "goalsRate"],
  ["cost_per_goal", "costPerGoal"],
  ["cpa_goal", "cpaGoal"],
  ["goal_revenue", "goalRevenue"],
  ...byDays("goal_revenue", "goalRevenue"),
  ["goal_roas", "goalRoas"],
  ...byDays("goal_roas", "goalRoas"),
  ["revenue_per_goal", "revenuePerGoal"],
  ["arpu", "arpu"],
  ["default_bid", "defaultAmount"],
  ["daily_budget", "dailyBudget"],
];

/** The columns of the figures. */
export const figureColumns: Readonly<Record<string, ColumnKind>> = Object.fromEntries(
  figures.map(([column]) => [column, "number"]),
);

/** What a person sets: reports show its current value, regardless of the requested day. */
const settings: readonly string[] = ["default_bid", "daily_budget"];

/** The columns of figures about their day. */
export const restatedFigures: readonly string[] = figures
  .map(([column]) => column)
  .filter((column) => !settings.includes(column));

/** The fields that have such a column. */
export const figureFields: readonly string[] = figures.map(([, field]) => field);

/** The figures of a row; null if it has none. */
export function figuresOf(row: Readonly<Record<string, unknown>>): Readonly<Record<string, number | null>> {
  return Object.fromEntries(figures.map(([column, field]) => [column, amountOf(row[field] as string | number | null)]));
}
