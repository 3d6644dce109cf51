import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { Operation } from "../../src/api/define-operation.ts";
import { remainingCredits } from "../../src/api/operations/account.ts";
import { dashboardApps, numberOfKeywords } from "../../src/api/operations/dashboard.ts";
import {
  androidKeywordRanking,
  iosKeywordMetadata,
  iosKeywordRanking,
  iosOrganicKeywords,
} from "../../src/api/operations/keyword.ts";
import { readAnswer } from "../../src/api/read-answer.ts";
import { invent } from "../support/api-invented.ts";

const rank = {
  trackId: 6446318020,
  keyword: "yoga",
  countryCode: "US",
  date: 1_787_184_000_000,
  appKind: "IPHONE",
  rank: 7,
};
const metadata = { keyword: "yoga", searchVolume: 61.5, popularity: 44 };
const credits = { creditTotal: 1000, creditRemaining: 999, creditResetPeriod: 24, creditResetTime: 3600 };

const readText = (operation: Operation, text: string) => readAnswer(operation, Buffer.from(text));
const read = (operation: Operation, json: unknown) => readText(operation, JSON.stringify(json));
const coded = (code: string, context: object = {}) =>
  expect.objectContaining({ code, context: expect.objectContaining(context) as object });

describe("the envelope", () => {
  test("a bare list comes as it is", () => {
    expect(read(iosKeywordRanking, [rank])).toEqual({ value: [rank], invalid: [], drift: [] });
  });

  test("a wrapped answer is unwrapped, of the fields that wrap it none is drift", () => {
    const wrapped = { data: credits, success: true, status: "OK", message: null };
    expect(read(remainingCredits, wrapped)).toEqual({ value: credits, invalid: [], drift: [] });
  });

  test.each<[string, Operation, unknown]>([
    ["a list", iosKeywordRanking, [rank]],
    ["an object", iosKeywordMetadata, metadata],
    ["an empty list", iosKeywordRanking, []],
  ])("%s that should come bare is read when it comes wrapped", (_, operation, payload) => {
    expect(read(operation, { data: payload, success: true })).toMatchObject({ value: payload, invalid: [], drift: [] });
    expect(read(operation, { data: payload })).toMatchObject({ value: payload });
  });

  test("a wrapped list that is just what the contract says is not copied item by item", () => {
    const { answer } = iosKeywordRanking;
    const copying = vi.spyOn(answer, "safeParse");
    expect(read(iosKeywordRanking, { data: [rank], success: true })).toEqual({ value: [rank], invalid: [], drift: [] });
    expect(copying).not.toHaveBeenCalled();
    copying.mockRestore();
  });

  test.each<[string, Operation, unknown]>([
    ["a list", dashboardApps, [{ trackId: "1" }]],
    ["an object", remainingCredits, credits],
    ["a map", numberOfKeywords, { US: 3, JP: 5 }],
  ])("%s that should come wrapped is read when it comes bare", (_, operation, payload) => {
    expect(read(operation, payload)).toEqual({ value: payload, invalid: [], drift: [] });
  });

  test("a list under a name of its own is read, and reported as drift with the fields beside it", () => {
    expect(read(iosKeywordRanking, { rankings: [rank], total: 1 })).toEqual({
      value: [rank],
      invalid: [],
      drift: [
        { path: "rankings", kind: "array" },
        { path: "total", kind: "number" },
      ],
    });
  });

  test("of two lists in an object neither is guessed", () => {
    expect(() => read(iosKeywordRanking, { iphone: [rank], ipad: [rank] })).toThrow(coded("unknown_shape"));
  });

  test("a list of something else is not taken for the answer", () => {
    expect(() => read(iosKeywordRanking, { status: 500, errors: ["no index"] })).toThrow(coded("unknown_shape"));
  });

  test("an unknown field of the envelope is reported", () => {
    expect(read(dashboardApps, { data: [], success: true, nextPage: 2 }).drift).toEqual([
      { path: "nextPage", kind: "number" },
    ]);
  });

  describe("around an answer with a field of its own that is called data", () => {
    const page = invent({
      answer: z.object({ total: z.int(), data: z.array(z.object({ id: z.int() })) }),
      items: ["data"],
    });

    test("is not seen where there is none", () => {
      const value = { total: 1, data: [{ id: 1 }] };
      expect(read(page, value)).toEqual({ value, invalid: [], drift: [] });
    });

    test("is not seen either where an item does not fit", () => {
      expect(read(page, { total: 2, data: [{ id: 1 }, { id: "two" }] })).toMatchObject({
        value: { total: 2, data: [{ id: 1 }] },
        invalid: [{ item: { id: "two" } }],
      });
    });

    test("is not seen where what is inside could be an answer too", () => {
      const either = invent({ answer: z.object({ name: z.string().nullish(), data: z.object({}).nullish() }) });
      const value = { name: "yoga", data: {} };
      expect(read(either, value)).toEqual({ value, invalid: [], drift: [] });
    });

    test("is taken off where there is one", () => {
      const value = { total: 1, data: [{ id: 1 }] };
      expect(read(page, { data: value, success: true })).toMatchObject({ value });
    });
  });
});

describe("success: false", () => {
  test.each([
    [{ success: false, message: "app is not tracked" }, "app is not tracked"],
    [{ success: false, status: "NOT_TRACKED", data: null }, "NOT_TRACKED"],
    [{ success: false, data: [] }, undefined],
    [{ success: "false", data: [] }, undefined],
    [{ success: "False", data: [] }, undefined],
    [{ success: " FALSE ", data: [] }, undefined],
    [{ success: 0, data: [] }, undefined],
    [{ success: "0", data: [] }, undefined],
    [{ success: false, message: { text: "odd" } }, undefined],
  ])("%j is an error with the message that came", (json, message) => {
    for (const operation of [dashboardApps, iosKeywordRanking])
      expect(() => read(operation, json)).toThrow(coded("success_false", { operation: operation.id, message }));
  });

  test.each([true, "true", "TRUE", 1, "1", null, undefined])("%j is none", (success) => {
    expect(read(dashboardApps, { success, data: [] })).toMatchObject({ value: [] });
  });

  test("a message without end is cut", () => {
    expect(() => read(dashboardApps, { success: false, message: "x".repeat(10_000) })).toThrow(
      coded("success_false", { message: "x".repeat(200) }),
    );
  });
});

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

  test("a byte order mark before JSON does no harm", () => {
    expect(readText(iosKeywordRanking, `\uFEFF${JSON.stringify([rank])}`).value).toEqual([rank]);
  });
});

describe("items that do not fit", () => {
  test("are kept beside those that do, each with its reason and its place", () => {
    const odd = { ...rank, rank: "seventh" };
    const worse = { ...rank, keyword: undefined };
    expect(read(iosKeywordRanking, [odd, rank, worse, null])).toEqual({
      value: [rank],
      invalid: [
        { reason: expect.stringMatching(/^rank: .*number/) as string, item: odd, index: 0 },
        {
          reason: "keyword: is missing",
          item: JSON.parse(JSON.stringify(worse)),
          index: 2,
        },
        { reason: expect.stringMatching(/^value: .*object/) as string, item: null, index: 3 },
      ],
      drift: [],
    });
  });

  test("are found in a list inside the answer too, and the rest of it stays", () => {
    const organic = { trackId: 1, countryCode: "US", date: "2026-07-01", deviceType: "IPHONE" };
    const rankings = [{ keyword: "yoga", rank: 3 }, { rank: 4 }];
    expect(read(iosOrganicKeywords, { ...organic, rankings })).toMatchObject({
      value: { ...organic, rankings: [{ keyword: "yoga", rank: 3 }] },
      invalid: [{ item: { rank: 4 } }],
    });
  });

  test("do not hide drift in those that do", () => {
    expect(read(iosKeywordRanking, [{ ...rank, change: 1 }, null]).drift).toEqual([
      { path: "[].change", kind: "number" },
    ]);
  });

  test("are no empty answer when nothing is left", () => {
    expect(() => read(iosKeywordRanking, [{ ...rank, keyword: [] }, null])).toThrow(coded("unknown_shape"));
  });
});

test.each<[string, Operation, unknown]>([
  ["an object for a list", iosKeywordRanking, { trackId: 1 }],
  ["a list for an object", iosKeywordMetadata, [metadata]],
  ["a number", iosKeywordRanking, 7],
  ["nothing", iosKeywordRanking, null],
  ["an envelope without its data", dashboardApps, { success: true }],
  ["an envelope around nothing", dashboardApps, { success: true, data: null }],
  ["a map of texts for one of numbers", numberOfKeywords, { data: { US: "three" }, success: true }],
  ["an object whose list is wrong and whose rest is too", iosOrganicKeywords, { trackId: true, rankings: [] }],
])("%s has a shape that is not known, and the error says where", (_, operation, json) => {
  expect(() => read(operation, json)).toThrow(
    coded("unknown_shape", { operation: operation.id, problem: expect.stringMatching(/^\S+: \S/) as string }),
  );
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
