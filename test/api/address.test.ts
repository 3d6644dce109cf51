import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { addressOf, withStoreWords } from "../../src/api/address.ts";
import { defineOperation, inPath } from "../../src/api/define-operation.ts";
import {
  androidKeywordRanking,
  iosKeywordHistory,
  iosKeywordMetadata,
  iosKeywordRanking,
  iosTopKeywords,
} from "../../src/api/operations/keyword.ts";
import { queryOf, segmentsOf, serve, openClient, json } from "../support/api-server.ts";

const words = { ios: "iosstore", android: "androidstore" };
const days = { startDate: "2026-08-10", endDate: "2026-08-11" };
const who = { trackId: "6446318020", countryCode: "US" };
const history = (keyword: string) => addressOf(iosKeywordHistory, { ...who, keyword, ...days }, words).path;
const metadata = (keyword: string) => addressOf(iosKeywordMetadata, { countryCode: "US", keyword }, words).path;
const ranking = (keywords: readonly string[]) => addressOf(iosKeywordRanking, { ...who, keywords }, words).path;

const awkward = [
  "c++ & c#",
  "a/b",
  "50% off",
  "100%25",
  "タスク",
  "...",
  "a,b",
  "🧘 yoga",
  " x ",
  "+",
  "#",
  "?",
  "token=x",
  "&token=x",
  "iosstore",
  "{countryCode}",
  "$&",
  "%2E%2E",
  "\\",
  "a\tb\r\nc",
  "__proto__",
  "e\u0301",
];

describe.each(awkward)("the keyword %j", (keyword) => {
  test("arrives whole at a plain server, as a path segment and as a query value", async () => {
    await using server = await serve((response) => json(response));
    await using client = openClient(server.origin);
    await client.send(iosKeywordHistory, { ...who, keyword, ...days });
    await client.send(iosKeywordMetadata, { countryCode: "US", keyword });
    const [first, second] = server.received.map(({ url }) => url);
    expect(segmentsOf(first ?? "")).toEqual([
      "iosstore-keyword-ranking",
      "6446318020",
      "US",
      keyword,
      "keywordrankings",
    ]);
    expect(queryOf(second ?? "")["keyword"]).toEqual([keyword]);
  });
});

test("a keyword of dots that a proxy would take for a folder is refused, and no other", () => {
  for (const keyword of [".", ".."])
    expect(() => history(keyword)).toThrow(
      expect.objectContaining({
        code: "not_encodable",
        context: { operation: "ios.keyword-history", parameter: "keyword" },
      }),
    );
  expect(["...", "a.b", ". ."].map((keyword) => history(keyword).split("/")[4])).toEqual(["...", "a.b", ".%20."]);
  expect([".", ".."].map((keyword) => queryOf(metadata(keyword)))).toEqual([{ keyword: ["."] }, { keyword: [".."] }]);
});

test("any well-formed keyword arrives whole, in a path and in a query", () => {
  const special = [".", "/", "%", "?", "#", "&", "=", "+", ",", "{", "}", "$", "\\", " "];
  const keywords = fc
    .string({ unit: fc.oneof(fc.constantFrom(...special), fc.string({ unit: "binary", maxLength: 1 })) })
    .filter((text) => text !== "" && !text.includes("\0") && text !== "." && text !== "..");
  fc.assert(
    fc.property(keywords, (keyword) => {
      expect(segmentsOf(history(keyword))[3]).toBe(keyword);
      expect(segmentsOf(history(keyword))).toHaveLength(5);
      expect(queryOf(metadata(keyword))).toEqual({ keyword: [keyword] });
    }),
  );
});

test("a list travels as one parameter, its items parted by bare commas", () => {
  const keywords = ["c++ & c#", "a/b", "タスク"];
  const path = ranking(keywords);
  expect(path.split("keywords=")[1]?.split(",").map(decodeURIComponent)).toEqual(keywords);
});

test("a keyword with a comma is refused in a list and says why", () => {
  expect(() => ranking(["yoga", "a,b"])).toThrow(
    expect.objectContaining({
      code: "bad_request",
      message: expect.stringContaining("a keyword with a comma cannot go into a list") as string,
    }),
  );
});

test.each([
  ["U+0000", "a\0b"],
  ["half a character", "a\uD83D"],
])("%s is refused before anything is sent, in a path, a value and a list", (_, keyword) => {
  for (const build of [() => history(keyword), () => metadata(keyword), () => ranking(["yoga", keyword])])
    expect(build).toThrow(expect.objectContaining({ code: "not_encodable" }));
});

test("a hundred keywords go into one call, one more does not", () => {
  const keywords = Array.from({ length: 101 }, (_, index) => `keyword ${index}`);
  expect(queryOf(ranking(keywords.slice(1)))["keywords"]?.[0]?.split(",")).toHaveLength(100);
  expect(() => ranking(keywords)).toThrow(
    expect.objectContaining({ code: "bad_request", context: expect.objectContaining({ parameter: "keywords" }) }),
  );
  expect(() => ranking([])).toThrow(expect.objectContaining({ code: "bad_request" }));
});

test.each<[string, Record<string, unknown>, object]>([
  ["an unknown parameter", { ...who, keyword: "x", ...days, day: "2026-08-10" }, { unknown: "day" }],
  [
    "a parameter with a name that all objects know",
    { ...who, keyword: "x", ...days, toString: 1 },
    { unknown: "toString" },
  ],
  ["a missing parameter", { ...who, ...days }, { parameter: "keyword" }],
  ["an empty keyword", { ...who, keyword: "", ...days }, { parameter: "keyword" }],
  ["a day that the calendar lacks", { ...who, keyword: "x", ...days, endDate: "2026-02-30" }, { parameter: "endDate" }],
  ["a country in lower case", { ...who, countryCode: "us", keyword: "x", ...days }, { parameter: "countryCode" }],
  ["an app of the other store", { ...who, trackId: "app.lumi.habit", keyword: "x", ...days }, { parameter: "trackId" }],
])("%s is refused by name", (_, params, context) => {
  expect(() => addressOf(iosKeywordHistory, params, words)).toThrow(
    expect.objectContaining({
      code: "bad_request",
      context: expect.objectContaining({ operation: "ios.keyword-history", ...context }),
    }),
  );
});

test("a parameter that may be left out is left out", () => {
  const params = { ...who, date: "2026-08-10", device: undefined, limit: 5 };
  expect(queryOf(addressOf(iosTopKeywords, params, words).path)).toEqual({ date: ["2026-08-10"], limit: ["5"] });
});

test("the words for the stores change the template and nothing else", () => {
  const swapped = { ios: "androidstore", android: "iosstore" };
  const keyword = "iosstore";
  const path = addressOf(iosKeywordHistory, { ...who, keyword, ...days }, { ios: "apple", android: "goo" }).path;
  expect(segmentsOf(path)).toEqual(["apple-keyword-ranking", "6446318020", "US", "iosstore", "keywordrankings"]);
  expect(withStoreWords(iosKeywordRanking.path, swapped)).toMatch(/^\/androidstore-keyword-ranking/);
  expect(withStoreWords(androidKeywordRanking.path, swapped)).toMatch(/^\/iosstore-keyword-ranking/);
});

describe("a body", () => {
  const inBody = <S extends z.ZodType>(schema: S) => ({ in: "body", required: true, schema, doc: "a field" }) as const;
  const invented = {
    id: "test.invented",
    name: "Invented",
    store: null,
    method: "POST",
    path: "/things/{id}",
    cost: 1,
    range: null,
    paging: null,
    envelope: "bare",
    items: null,
    answer: z.unknown(),
    summary: "Not of this world.",
  } as const;

  test("is an object of its fields", () => {
    const params = { id: inPath(z.int(), "an id"), trackId: inBody(z.string()), keywords: inBody(z.array(z.string())) };
    const address = addressOf(
      defineOperation({ ...invented, params }),
      { id: 7, trackId: "1", keywords: ["a,b"] },
      words,
    );
    expect(address).toEqual({ method: "POST", path: "/things/7", body: '{"trackId":"1","keywords":["a,b"]}' });
  });

  test("is the value itself where the operation takes one thing", () => {
    const params = { id: inPath(z.int(), "an id"), body: inBody(z.array(z.string())) };
    const address = addressOf(defineOperation({ ...invented, params }), { id: 7, body: ["タスク"] }, words);
    expect(address.body).toBe('["タスク"]');
  });

  test("is not there without fields", () => {
    expect(addressOf(iosKeywordMetadata, { countryCode: "US", keyword: "x" }, words).body).toBeNull();
  });
});
