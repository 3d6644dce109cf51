import { expect, test } from "vitest";
import { lookbackReports } from "../../src/cli/commands/lookback.ts";

const ages = [
  { age: 1, compared: 400, moved: 400, rows: 4_000, rowsMoved: 3_000, amount: 90_000, amountMoved: 4_500 },
  { age: 2, compared: 400, moved: 100, rows: 4_000, rowsMoved: 120, amount: 90_000, amountMoved: 45 },
  { age: 3, compared: 400, moved: 1, rows: 4_000, rowsMoved: 1, amount: 0, amountMoved: 0 },
  { age: 4, compared: 400, moved: 0, rows: 4_000, rowsMoved: 0, amount: 90_000, amountMoved: 0 },
].map((one) => ({ ...one, recentCompared: one.compared, recentMoved: one.moved }));

test("a lookback is shown by age: the days, the rows and the money that moved, and a picture of the share of days", () => {
  const learned = { kind: "learned", days: 3, bound: 0.0094, compared: 400 } as const;
  const report = lookbackReports([{ dataset: "sales_metric", fixedDays: 30, isLearned: true, learned, ages }], 80);
  expect(report.split("\n")).toEqual([
    "sales_metric (learned)",
    "Days no longer change after 3 days, of the fixed 30 days: with 95 % confidence at most 0.9 % of older days still change (400 were requested again).",
    "age  days  changed  rows changed  amount changed",
    "---  ----  -------  ------------  --------------  --------------------",
    "  1   400  100.0 %  75.0 %        5.0 %           ####################",
    "  2   400  25.0 %   3.0 %         0.1 %           #####",
    "  3   400  0.3 %    0.0 %                         #",
    "  4   400  0.0 %    0.0 %         0.0 %",
  ]);
  const none = { kind: "too_little", compared: 12 } as const;
  expect(lookbackReports([{ dataset: "retention", fixedDays: 1, isLearned: false, learned: none, ages: [] }])).toBe(
    "retention (fixed)\nNothing is learned yet: the fixed lookback of 1 day applies. Learning takes 300 repeated requests for days older than the oldest that changed; so far there are 12.",
  );
});

test("lookbacks of several datasets each have their whole table", () => {
  const learned = { kind: "too_little", compared: 12 } as const;
  const found = ["retention", "sales_metric"].map((dataset) => ({
    dataset,
    fixedDays: 7,
    isLearned: false,
    learned,
    ages,
  }));
  const lines = lookbackReports(found).split("\n");
  expect(lines.filter((line) => line.startsWith("age  days  changed  rows changed  amount changed"))).toHaveLength(2);
  expect(lines.filter((line) => line.startsWith("  4   400  "))).toHaveLength(2);
});
