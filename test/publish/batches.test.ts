import { expect, test } from "vitest";
import type { TablePart } from "../../src/export/parts-of-table.ts";
import { monthBatches } from "../../src/publish/batches.ts";

const part = (month: string, rows: number): TablePart => ({
  folder: month,
  window: month === "none" ? null : { from: `${month}-01`, to: `${month}-28` },
  where: month,
  rows,
  digest: "",
});

const all = (count: number, rows: number) =>
  Array.from({ length: count }, (_, index) => part(`${2000 + Math.floor(index / 12)}-${(index % 12) + 101}`, rows));

/** The batches as the number of months of each. */
const sizes = (parts: readonly TablePart[], unchanged: readonly string[] = []) =>
  monthBatches(parts, ({ folder }) => !unchanged.includes(folder)).map((batch) => batch.length);

test.each([
  ["small months go together", all(24, 100), [24]],
  ["large months go alone", all(3, 900_000), [1, 1, 1]],
  ["months go together up to a million rows", all(5, 400_000), [2, 2, 1]],
  ["a load has 60 partitions at most", all(100, 1), [60, 40]],
  ["rows without a day go alone", [...all(2, 1), part("none", 1)], [2, 1]],
  ["nothing has no batch", [], []],
] as const)("%s", (_, parts, expected) => {
  expect(sizes(parts)).toEqual(expected);
});

test("a batch has no unchanged month between its first and last one", () => {
  const parts = ["2026-01", "2026-02", "2026-03", "2026-04"].map((month) => part(month, 1));
  const months = monthBatches(parts, ({ folder }) => folder !== "2026-02").map((batch) =>
    batch.map(({ folder }) => folder),
  );
  expect(months).toEqual([["2026-01"], ["2026-03", "2026-04"]]);
});
