import { expect, test } from "vitest";
import { heatMap } from "../../src/cli/heat-map.ts";
import { day } from "../../src/core/day.ts";
import { cellStates } from "../../src/plan/cell-states.ts";

test("a heat map has a line a month, a sign a day, and shows the worst of a day", () => {
  const days = new Map([
    [day("2026-01-30"), { loaded: 5 }],
    [day("2026-01-31"), { loaded: 5, missing: 1 }],
    [day("2026-02-02"), { missing: 1, failed: 1 }],
    [day("2026-02-03"), { empty: 2, stale: 1 }],
    [day("2026-02-04"), { empty: 2, deferred: 1 }],
  ]);
  expect(heatMap(days)).toBe(`2026-01  ${" ".repeat(29)}#.\n2026-02   xo~`);
});

test("a heat map has a sign for each state", () => {
  const signs = cellStates.map((state) => [state, heatMap(new Map([[day("2026-01-01"), { [state]: 1 }]])).at(-1)]);
  expect(Object.fromEntries(signs)).toEqual({
    pending: ">",
    running: ">",
    deferred: "~",
    loaded: "#",
    empty: "_",
    skipped: "-",
    failed: "x",
    lost: "L",
    stale: "o",
    missing: ".",
    dropped: "d",
  });
});

test("a heat map of no day is empty", () => {
  expect(heatMap(new Map())).toBe("");
});
