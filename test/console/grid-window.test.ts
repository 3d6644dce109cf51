import { expect, test } from "vitest";
import { gridWindow } from "../../src/console/grid/filters.ts";
import { day } from "../../src/core/day.ts";

const today = day("2026-08-30");

test("the days of the grid include today, or the last day that the address names", () => {
  expect(gridWindow({ days: 2, to: undefined }, today)).toEqual({ start: "2026-08-29", end: "2026-08-31" });
  expect(gridWindow({ days: 2, to: day("2026-08-20") }, today)).toEqual({ start: "2026-08-19", end: "2026-08-21" });
});
