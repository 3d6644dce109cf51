import { expect, test } from "vitest";
import { table } from "../../src/cli/table.ts";

test("a wide character takes two columns, so that the next column starts at one place", () => {
  expect(
    table(
      ["keyword", "rank"],
      [
        ["タスク管理", 1],
        ["habit", 23],
      ],
    ),
  ).toBe(["keyword     rank", "----------  ----", "タスク管理     1", "habit         23"].join("\n"));
});

test("an emoji made of several code points takes two columns", () => {
  expect(table(["a", "b"], [["👨‍👩‍👧", "x"]])).toBe(["a   b", "--  -", "👨‍👩‍👧  x"].join("\n"));
});
