import { expect, test } from "vitest";
import { fitLines } from "../../src/cli/output.ts";

test("a sentence is broken between words, and a bullet goes on under its text", () => {
  expect(fitLines("one two three\n- four five six", 10)).toBe("one two\nthree\n- four\n  five six");
});

test("a command to type stays in one line", () => {
  expect(fitLines("see `storehouse retry --skipped` then", 30)).toBe("see\n`storehouse retry --skipped`\nthen");
});

test("in a pipe no line is broken", () => {
  const long = "word ".repeat(100).trim();
  expect(fitLines(long, Number.POSITIVE_INFINITY)).toBe(long);
});
