import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { Operation } from "../../src/api/define-operation.ts";
import { remainingCredits } from "../../src/api/operations/account.ts";
import { dashboardApps, numberOfKeywords } from "../../src/api/operations/dashboard.ts";
import { iosKeywordMetadata, iosKeywordRanking, iosOrganicKeywords } from "../../src/api/operations/keyword.ts";
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

describe("the form of the API's errors", () => {
  const error = { timestamp: 1, path: "/x", status: 500, error: "Internal Server Error", requestId: "a-1" };

  test.each([
    ["alone", {}],
    ["with a list of errors", { errors: [{ field: "country", message: "unknown" }] }],
    ["with a list of details", { details: ["no index"], message: "failed" }],
    ["with both", { errors: [], details: [] }],
  ])("%s is a failure and no answer", (_, beside) => {
    for (const operation of [dashboardApps, iosKeywordRanking, remainingCredits])
      expect(() => read(operation, { ...error, ...beside })).toThrow(coded("success_false"));
  });

  test("beside a list of anything else is an answer", () => {
    expect(read(iosKeywordRanking, { ...error, rankings: [rank] })).toMatchObject({ value: [rank] });
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

describe("an error with status 200 in the form of a gateway", () => {
  const error = {
    timestamp: "2026-08-02T00:45:18.000+00:00",
    path: "/ios/keywordrankings",
    status: 503,
    error: "Service Unavailable",
    message: null,
    requestId: "1f",
  };

  test("reports a failure", () => {
    for (const operation of [dashboardApps, iosKeywordRanking, iosKeywordMetadata, numberOfKeywords, remainingCredits])
      expect(() => read(operation, error)).toThrow(
        coded("success_false", { operation: operation.id, message: error.error }),
      );
    expect(() => read(iosKeywordRanking, { ...error, message: "no index" })).toThrow(
      coded("success_false", { message: "no index" }),
    );
  });

  test("is none next to data, with another status, or without its text", () => {
    expect(read(iosKeywordRanking, { ...error, data: [rank] })).toMatchObject({ value: [rank] });
    expect(read(iosKeywordRanking, { ...error, rankings: [rank] })).toMatchObject({ value: [rank] });
    expect(read(iosKeywordMetadata, { ...metadata, ...error })).toMatchObject({ value: metadata });
    for (const other of [{ status: 200 }, { status: "503" }, { error: 7 }])
      expect(() => read(iosKeywordRanking, { ...error, ...other })).toThrow(coded("unknown_shape"));
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

  test("are found in a map of figures, but not in what has the fields of an envelope", () => {
    for (const json of [
      { US: 3, JP: "many" },
      { data: { US: "3", JP: "many" }, success: true },
    ])
      expect(read(numberOfKeywords, json)).toMatchObject({ value: { US: 3 }, invalid: [{ item: { JP: "many" } }] });
    expect(() => read(numberOfKeywords, { timestamp: 1, message: null, error: "odd" })).toThrow(coded("unknown_shape"));
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
