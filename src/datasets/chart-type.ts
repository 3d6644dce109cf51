/** The kinds of chart, in the order in which answers number them from 0. */
export const chartTypes = ["FREE", "PAID", "GROSSING"] as const;

/** One name for what is a word in some answers and a number in others. */
export function chartTypeOf(told: string | number): string {
  return typeof told === "number" ? (chartTypes[told] ?? String(told)) : told;
}
