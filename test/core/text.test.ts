import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanJson, cleanText, foldKeyword, isDeeperThan } from "../../src/core/text.ts";

const anyText = fc.string({
  unit: fc.oneof(fc.string({ unit: "binary", maxLength: 1 }), fc.constantFrom("\0", "\uD83E", "\uDDD8", " ")),
});

describe("cleaned text", () => {
  test("loses U+0000 and half characters and nothing else", () => {
    expect(cleanText("a\0b\uD83Ec\uDDD8")).toBe("ab\uFFFDc\uFFFD");
    expect(cleanText("🧘 yoga タスク é \n\t\u0001")).toBe("🧘 yoga タスク é \n\t\u0001");
  });

  test("cannot put two halves together that were apart", () => {
    expect(cleanText("\uD83E\0\uDDD8")).toBe("🧘");
    expect(cleanText("\uDDD8\0\uD83E")).toBe("\uFFFD\uFFFD");
  });

  test("is text that Postgres takes, and clean already when cleaned again", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const clean = cleanText(text);
        expect(clean.isWellFormed() && !clean.includes("\0")).toBe(true);
        expect(cleanText(clean)).toBe(clean);
      }),
    );
  });
});

test("a JSON value is cleaned in every text and key, its shape and numbers kept", () => {
  const value = { "k\0": ["a\0", { deep: "\uD83E" }, 1.5, null, true], empty: {}, list: [] };
  expect(cleanJson(value)).toEqual({ k: ["a", { deep: "\uFFFD" }, 1.5, null, true], empty: {}, list: [] });
  expect(value).toHaveProperty(["k\0"]);
});

test("a JSON value that is clean comes out as it went in", () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const clean = cleanJson(value);
      expect(cleanJson(clean)).toEqual(clean);
    }),
  );
  const odd: unknown = JSON.parse('{"__proto__":{"a":"b"},"constructor":"c"}');
  expect(JSON.stringify(cleanJson(odd))).toBe('{"__proto__":{"a":"b"},"constructor":"c"}');
});

describe("folded keywords", () => {
  test.each([
    ["Habit Tracker", "habit tracker"],
    ["  to \t do\n list ", "to do list"],
    ["to\u3000do", "to do"],
    ["cafe\u0301", "caf\u00E9"],
    ["ＴＯＤＯ", "ｔｏｄｏ"],
    ["タスク", "タスク"],
    ["C++ & C#", "c++ & c#"],
  ])("%j meets %j", (keyword, folded) => {
    expect(foldKeyword(keyword)).toBe(folded);
  });

  test("stay apart where they are different keywords", () => {
    const keywords = ["a b", "ab", "a-b", "a,b", "a/b", "a+b", "ａｂ", "ハ", "バ"];
    expect(new Set(keywords.map(foldKeyword)).size).toBe(keywords.length);
  });

  test("fold to themselves, and composed and decomposed characters alike", () => {
    const composed = fc.constantFrom("ΐ", "ᾴ", "Ϊ", "İ", "É", "が", "\u0301", "ß", "ς");
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(composed, fc.string({ unit: "binary", maxLength: 1 })) }), (keyword) => {
        const folded = foldKeyword(keyword);
        expect([folded, keyword.normalize("NFD"), keyword.normalize("NFC")].map(foldKeyword)).toEqual([
          folded,
          folded,
          folded,
        ]);
      }),
      { numRuns: 1000 },
    );
  });
});

test("a text of JSON is as deep as its lists and objects, regardless of what is in its texts", () => {
  const json = fc.json({ maxDepth: 6 });
  fc.assert(
    fc.property(json, (text) => {
      const depth = depthOf(JSON.parse(text));
      expect(isDeeperThan(text, depth)).toBe(false);
      if (depth > 0) expect(isDeeperThan(text, depth - 1)).toBe(true);
    }),
  );
  expect(isDeeperThan(String.raw`["[[\"[[\\"]`, 1)).toBe(false);
  expect(isDeeperThan(String.raw`["\\\"[[", [["]]"]]]`, 2)).toBe(true);
  expect(isDeeperThan('["[[', 1)).toBe(false);
});

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
