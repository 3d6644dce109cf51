import { expect, test } from "vitest";
import { factList } from "../../src/cli/fact-list.ts";
import { fitLines } from "../../src/cli/output.ts";

test("a sentence is broken between words, and a bullet goes on under its text", () => {
  expect(fitLines("one two three\n- four five six", 10)).toBe("one two\nthree\n- four\n  five six");
});

test("a command to type stays in one line", () => {
  expect(fitLines("see `storehouse retry --skipped` then", 30)).toBe("see\n`storehouse retry --skipped`\nthen");
  const facts = factList([["workers", "none runs; `storehouse worker` starts one"]], 38);
  expect(fitLines(facts, 38).split("\n")).toEqual([
    "workers  none runs;",
    "         `storehouse worker` starts",
    "         one",
  ]);
});

test("in a pipe no line is broken", () => {
  const long = "word ".repeat(100).trim();
  expect(fitLines(long, Number.POSITIVE_INFINITY)).toBe(long);
});

test("a name does not turn the direction of the text after it", () => {
  expect(fitLines("the app \u202egnp.exe\u202c and \u2067more\u2069", 80)).toBe("the app gnp.exe and more");
});
