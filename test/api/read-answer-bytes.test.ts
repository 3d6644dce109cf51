import { describe, expect, test } from "vitest";
import type { Operation } from "../../src/api/define-operation.ts";
import { dashboardApps, numberOfKeywords } from "../../src/api/operations/dashboard.ts";
import { androidKeywordRanking, iosKeywordRanking } from "../../src/api/operations/keyword.ts";
import { readAnswer } from "../../src/api/read-answer.ts";

const rank = {
  trackId: 6446318020,
  keyword: "yoga",
  countryCode: "US",
  date: 1_787_184_000_000,
  appKind: "IPHONE",
  rank: 7,
};

const readText = (operation: Operation, text: string) => readAnswer(operation, Buffer.from(text));
const read = (operation: Operation, json: unknown) => readText(operation, JSON.stringify(json));
const coded = (code: string, context: object = {}) =>
  expect.objectContaining({ code, context: expect.objectContaining(context) as object });

describe("text that is no JSON", () => {
  test.each([
    ["nothing", ""],
    ["a page of a proxy", "<html><body>502 Bad Gateway</body></html>"],
    ["half an answer", JSON.stringify([rank, rank]).slice(0, 120)],
    ["plain text", "OK"],
    ["two answers", "[][]"],
  ])("%s", (_, text) => {
    expect(() => readText(iosKeywordRanking, text)).toThrow(
      coded("not_json", { operation: "ios.keyword-ranking", bytes: text.length }),
    );
  });

  test("a page for people is named as one", () => {
    const page = "\n<html><body>502 Bad Gateway</body></html>";
    expect(() => readText(iosKeywordRanking, page)).toThrow(
      "not_json: the answer is not JSON, but probably an HTML page (",
    );
    expect(() => readText(iosKeywordRanking, "OK")).toThrow("not_json: the answer is not JSON (");
  });

  test("a byte order mark before JSON does no harm", () => {
    expect(readText(iosKeywordRanking, `\uFEFF${JSON.stringify([rank])}`).value).toEqual([rank]);
  });
});

test("U+0000 and half characters are cleaned and cost no row", () => {
  const text = `[{"trackId":"a.b","keyword":"yo\\u0000ga \\ud83e","date":"2026-08-19","rank":1},
                 {"trackId":"a.b","keyword":"\\ud83e\\uddd8","date":"2026-08-19","rank":2},
                 {"trackId":"a.b","keyword":"bare \0 byte","date":"2026-08-19","x\\u0000":3}]`;
  const { value, invalid, drift } = readText(androidKeywordRanking, text);
  expect({ value, invalid, drift }).toMatchObject({
    value: [{ keyword: "yoga \uFFFD" }, { keyword: "🧘" }, { keyword: "bare  byte" }],
    invalid: [],
    drift: [{ path: "[].x" }],
  });
});

/** A body in which each `?` is a byte that is not UTF-8. */
function brokenBody(json: unknown): Buffer {
  return Buffer.from(JSON.stringify(json).replaceAll("?", "\xe9"), "latin1");
}

describe("bytes that are not UTF-8", () => {
  const brokenItem = { reason: "the answer has bytes that are not UTF-8", item: null };

  test("cost no row, and leave an invalid item that may be about any keyword", () => {
    const { value, invalid } = readAnswer(iosKeywordRanking, brokenBody([{ ...rank, keyword: "caf?" }, rank]));
    expect(value).toMatchObject([{ keyword: "caf\uFFFD" }, { keyword: "yoga" }]);
    expect(invalid).toEqual([brokenItem]);
  });

  test("are not taken for U+FFFD that the service sent as such", () => {
    expect(read(iosKeywordRanking, [{ ...rank, keyword: "caf\uFFFD" }]).invalid).toEqual([]);
  });

  test.each<[string, Operation, unknown]>([
    ["a field", iosKeywordRanking, [{ ...rank, "ran?": 3 }]],
    ["a map", numberOfKeywords, { data: { "U?": 3 }, success: true }],
    ["a wrapped item", dashboardApps, { data: [{ trackId: "1", nested: [{ "?": 1 }] }], success: true }],
  ])("in a name inside %s are an error of their own", (_, operation, json) => {
    expect(() => readAnswer(operation, brokenBody(json))).toThrow(coded("not_utf8", { operation: operation.id }));
  });
});

describe("an answer that is nested deeper than the contract ever nests", () => {
  const levels = 100_000;
  const deep = { list: ["[", "]"], object: ['{"a":', "}"] } as const;

  test.each(["list", "object"] as const)("is an error of its own (%s)", (kind) => {
    const [open, close] = deep[kind];
    const value = `${open.repeat(levels)}1${close.repeat(levels)}`;
    const item = JSON.stringify(rank).slice(0, -1);
    for (const text of [value, `[${item},"x":${value}}]`, `{"data":${value}}`, `[${item},"x":${value},"y":"\\u0000"}]`])
      for (const operation of [iosKeywordRanking, dashboardApps])
        expect(() => readText(operation, text)).toThrow(
          coded("answer_too_deep", { operation: operation.id, limit: 100 }),
        );
  });

  test("is not one whose texts hold brackets", () => {
    const keyword = `\\"${"[{".repeat(levels)}`;
    expect(read(iosKeywordRanking, { data: [{ ...rank, keyword }] }).value).toMatchObject([{ keyword }]);
  });
});
