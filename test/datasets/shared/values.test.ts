import { expect, test } from "vitest";
import { idOf } from "../../../src/datasets/shared/values.ts";

test.each([
  [42, "42"],
  [0, "0"],
  ["abc", "abc"],
  ["", null],
  [null, null],
  [undefined, null],
])("an id that is reported as %j is %j", (reported, id) => {
  expect(idOf(reported)).toBe(id);
});
