import { expect, test } from "vitest";
import type { FetchOption } from "../../src/core/fetch-option.ts";
import { batchesFor } from "../../src/plan/draft.ts";

const list: FetchOption = { operation: "list", credits: 1, maxDays: 1, maxItems: 2 };
const items = ["a", "b, c", "d", "e"];

test("items go into as few lists as hold them, and one that a comma would split has a call of its own", () => {
  expect(batchesFor(list, items)).toEqual([["b, c"], ["a", "d"], ["e"]]);
});

test("a comma splits nothing in a body, or in a call that names one item", () => {
  expect(batchesFor({ ...list, splitsAtComma: false }, items)).toEqual([
    ["a", "b, c"],
    ["d", "e"],
  ]);
  expect(batchesFor({ ...list, maxItems: 1 }, items)).toEqual([["a"], ["b, c"], ["d"], ["e"]]);
});

test("what names no items is one call", () => {
  expect(batchesFor(list, null)).toEqual([[]]);
});
