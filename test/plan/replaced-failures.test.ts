import { expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import type { SliceState } from "../../src/core/slice.ts";
import { oneDay } from "../../src/core/window.ts";
import { withoutReplaced } from "../../src/plan/replaced-failures.ts";

const first = day("2026-03-01");
const slice = (after: number, state: SliceState, items: readonly string[] | null = null, refused = false) => ({
  items,
  window: oneDay(addDays(first, after)),
  state,
  refused,
});

test.each(["loaded", "empty", "failed"] as const)(
  "a failed snapshot is left out behind a newer one that is %s",
  (state) => {
    const newer = slice(1, state);
    expect(withoutReplaced([slice(0, "failed"), newer])).toEqual([newer]);
    const again = slice(0, state);
    expect(withoutReplaced([slice(0, "failed"), again])).toEqual([again]);
  },
);

test("one that waits, is unavailable or lost replaces none, nor does an answer about an earlier day", () => {
  for (const state of ["pending", "running", "deferred", "skipped", "lost"] as const) {
    const both = [slice(0, "failed"), slice(1, state)];
    expect(withoutReplaced(both)).toEqual(both);
  }
  expect(withoutReplaced([slice(0, "failed"), slice(1, "skipped", null, true)])).toHaveLength(1);
  const imported = [slice(1, "failed"), slice(0, "loaded")];
  expect(withoutReplaced(imported)).toEqual(imported);
});

test("of a list the items that the newer one has are replaced", () => {
  const [list, newer] = [slice(0, "failed", ["a", "b"]), slice(1, "loaded", ["b", "c"])];
  expect(withoutReplaced([list, newer])).toEqual([{ ...list, items: ["a"] }, newer]);
});
