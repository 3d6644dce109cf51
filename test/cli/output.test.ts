import { expect, test } from "vitest";
import { fitted } from "../../src/cli/output.ts";

test("a sentence is broken between words, and a bullet goes on under its text", () => {
  expect(fitted("one two three\n- four five six", 10)).toBe("one two\nthree\n- four\n  five six");
});

test("a command to type stays in one line", () => {
  expect(fitted("see `storehouse retry --skipped` then", 30)).toBe("see\n`storehouse retry --skipped`\nthen");
});

test("in a pipe no line is broken", () => {
  const long = "word ".repeat(100).trim();
  expect(fitted(long, Number.POSITIVE_INFINITY)).toBe(long);
});
