import { expect, test } from "vitest";
import { gapLines, gapStates } from "../../src/planner/gap-lines.ts";
import { day } from "../../src/core/day.ts";
import type { CellCounts } from "../../src/plan/cell-states.ts";

const coverage = (dataset: string, days: Readonly<Record<string, CellCounts>>) => ({
  dataset,
  store: "ios",
  trackId: "7",
  country: "US",
  days: new Map(Object.entries(days).map(([name, cells]) => [day(name), cells])),
});

const some = coverage("some", {
  "2026-01-01": { loaded: 5 },
  "2026-01-02": { missing: 1 },
  "2026-01-04": { failed: 2 },
});
const none = coverage("none", { "2026-01-01": { loaded: 9, empty: 1 } });
const most = coverage("most", { "2026-01-03": { deferred: 4, loaded: 1 } });

test("the most missing is first, what is all there is left out, and the days are those of the gaps", () => {
  const lines = gapLines([some, none, most], gapStates);
  expect(lines.map(({ coverage: { dataset }, count, first, last }) => [dataset, count, first, last])).toEqual([
    ["most", 4, "2026-01-03", "2026-01-03"],
    ["some", 3, "2026-01-02", "2026-01-04"],
  ]);
});

test("another state can be requested as well", () => {
  const lines = gapLines([some, none, most], ["loaded", "empty"]);
  expect(lines.map(({ coverage: { dataset }, count }) => [dataset, count])).toEqual([
    ["none", 10],
    ["some", 5],
    ["most", 1],
  ]);
});
