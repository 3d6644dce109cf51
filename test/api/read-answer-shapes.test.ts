import { describe, expect, test } from "vitest";
import { z } from "zod";
import { listsAt, withLists } from "../../src/api/lists-at.ts";
import { operationById } from "../../src/api/operations/all.ts";
import { readAnswer } from "../../src/api/read-answer.ts";
import { invent } from "../support/api-invented.ts";

const readText = (id: string, text: string) => readAnswer(operationById(id), Buffer.from(text));
const read = (id: string, json: unknown) => readText(id, JSON.stringify(json));
const coded = (code: string) => expect.objectContaining({ code });

describe("an answer that may be bare text", () => {
  test.each([
    ["a package name as JSON", '"app.lumi.habit"', "app.lumi.habit"],
    ["a package name as text", "app.lumi.habit\n", "app.lumi.habit"],
    ["a number as JSON text", '"6446318020"', "6446318020"],
    ["a bare number", "6446318020", 6446318020],
    ["nothing", "null", null],
    ["an empty text", '""', ""],
    ["no body", "", ""],
    ["an empty line", " \n", ""],
  ])("is read as %s", (_, text, value) => {
    expect(readText("market.app-match", text).value).toBe(value);
  });

  test.each([
    ["a page of a proxy", "<html>502</html>"],
    ["words", "no match"],
  ])("is no id where it is %s", (_, text) => {
    expect(() => readText("market.app-match", text)).toThrow(coded("not_json"));
  });

  test("is not taken for text where the operation answers JSON only", () => {
    expect(() => readText("ios.app-discovery", "app.lumi.habit")).toThrow(coded("not_json"));
    expect(() => readText("ios.app-discovery", "")).toThrow(coded("not_json"));
  });
});

describe("null in the place of a list", () => {
  const about = { trackId: 1, countryCode: "US" };
  test.each([
    ["ios.organic-keywords", { ...about, date: "2026-08-19", rankings: null }, { rankings: [] }],
    ["ios.top-charts", { trackIds: null, date: "2026-08-19" }, { trackIds: [] }],
    ["ios.share-of-category", { keyword: "yoga", keywordShares: null }, { keywordShares: [] }],
    ["ios.featuring", { data: { ...about, cards: null }, success: true }, { cards: [] }],
    ["ios.reviews-v2", { content: null, totalElements: 0 }, { content: [] }],
    ["dashboard.keyword-estimation", { data: { trackId: "1", results: null }, success: true }, { results: [] }],
    ["search-ads.reports", { data: [{ pagination: null, tableData: null }], success: true }, [{ tableData: [] }]],
    ["search-ads.integrations", { data: [[{ id: 1, orgId: 2 }], null], success: true }, [[{ orgId: 2 }], []]],
    ["android.category-ranking", { trackId: "a.b", ranksByCategoryNames: null }, { ranksByCategoryNames: [] }],
    ["ios.category-ranking", { ...about, ranksByCategory: null }, { ranksByCategory: {} }],
    [
      "ios.global-category-rankings",
      { ...about, ranksByCategory: { US: null, DE: { "36": null } } },
      { ranksByCategory: { US: {}, DE: { "36": [] } } },
    ],
  ])("is an empty one in an answer of %s that names what it is about", (id, json, value) => {
    const answer = read(id, json);
    expect(answer).toMatchObject({ value, invalid: [] });
  });

  test("is none where the list is missing", () => {
    expect(() => read("ios.organic-keywords", { ...about, date: "2026-08-19" })).toThrow(coded("unknown_shape"));
  });
});

describe("an envelope that the contract leaves open", () => {
  const shares = { trackId: 1, shares: [{ keyword: "yoga", appShare: 0.5, slotShares: { "1": 0.2 } }] };

  test.each([
    ["bare", shares],
    ["wrapped", { data: shares, success: true, status: "OK" }],
  ])("is read when it comes %s", (_, json) => {
    expect(read("search-ads-insight.paid-keywords", json)).toEqual({ value: shares, invalid: [], drift: [] });
  });

  const creatives = { currentPage: 1, perPage: 50, total: 1, totalPages: 1, data: [{ trackId: "1", title: "Yoga" }] };
  test.each([
    ["bare, the flags of an envelope among its fields", { ...creatives, success: true }],
    ["wrapped as a whole", { data: creatives, success: true }],
  ])("is not taken for the page's own data when it comes %s", (_, json) => {
    const { value, drift } = read("ad-intelligence.creatives", json);
    expect(value).toMatchObject(creatives);
    expect(drift).toEqual([]);
  });
});

describe("an envelope that does not fit", () => {
  test.each([
    ["ad-intelligence.creative-type-distribution", { data: { imagePercent: "half" }, success: true }],
    ["ad-intelligence.creative-type-distribution", { data: [], success: true }],
    ["ad-intelligence.creative-type-distribution", { message: "try later" }],
    ["ad-intelligence.creative-type-distribution", {}],
    ["dashboard.company-url-search", { data: [], success: true }],
    ["dashboard.number-of-keywords", { data: null, status: null }],
  ])("is never taken for an answer of nothing: %s %j", (id, json) => {
    expect(() => read(id, json)).toThrow(coded("unknown_shape"));
  });

  test("holds amounts in every way that numbers are written", () => {
    const { value } = read("ad-intelligence.creative-type-distribution", {
      data: { imagePercent: "2.3E-4" },
      success: true,
    });
    expect(value).toMatchObject({ imagePercent: "2.3E-4" });
  });
});

describe("items deep inside an answer", () => {
  test("are sorted within arrays of arrays", () => {
    const good = { id: 1, orgId: 7, orgName: "Paperlantern" };
    expect(read("search-ads.integrations", { data: [[good, { id: 2 }], []], success: true })).toMatchObject({
      value: [[good], []],
      invalid: [{ item: { id: 2 }, reason: expect.stringMatching(/^orgId: /) as string }],
    });
  });

  test("are sorted on every report page", () => {
    const page = (offset: number, rows: readonly unknown[]) => ({
      pagination: { totalRowCount: 3, limit: 2, offset },
      tableData: rows,
    });
    const odd = { campaignId: 3, spend: "much" };
    expect(
      read("search-ads.reports", { success: true, data: [page(0, [{ campaignId: 1 }, odd]), page(2, [])] }),
    ).toMatchObject({ value: [{ tableData: [{ campaignId: 1 }] }, { tableData: [] }], invalid: [{ item: odd }] });
  });

  test("are sorted in each list of a map, and in each field of an object", () => {
    const size = { dimensions: "320x50", percentage: 12.5 };
    expect(
      read("ad-intelligence.publisher-dimension-distribution", { data: { image: [size, 5], video: [size] } }),
    ).toMatchObject({ value: { image: [size], video: [size] }, invalid: [{ item: 5 }] });
    const part = { name: "320x50", percent: "12.5" };
    expect(
      read("ad-intelligence.creative-dimension-distribution", {
        data: { imageCreative: [part], videoCreative: [{ percent: 1 }], htmlCreative: null },
        success: true,
      }),
    ).toMatchObject({ value: { imageCreative: [part], videoCreative: [] }, invalid: [{ item: { percent: 1 } }] });
  });

  const days = [
    { date: "2026-08-19T00:00:00", ranking: 3 },
    { ranking: 4 },
    { date: "2026-08-21T00:00:00", ranking: "high" },
  ];
  const [good] = days;
  const oddDays = [
    { item: days[1], reason: expect.stringMatching(/^date: /) as string },
    { item: days[2], reason: expect.stringMatching(/^ranking: /) as string },
  ];
  const oddChart = { rankingType: 9, rankingsByDate: [good] };

  test.each(["ios.category-ranking", "ios.global-category-rankings", "android.global-category-rankings"])(
    "are the days of each chart, and the charts that do not fit without them either (%s)",
    (id) => {
      const chart = { targetDevice: "IPHONE", rankingType: "FREE", rankingsByDate: days };
      expect(read(id, { trackId: 1, ranksByCategory: { US: { 36: [chart, oddChart] } } })).toMatchObject({
        value: { ranksByCategory: { US: { 36: [{ rankingsByDate: [good] }] } } },
        invalid: [...oddDays, { item: oddChart }],
      });
    },
  );

  test("are the days of each chart of each category by name, and the scores of each country", () => {
    const fits = { date: 1_787_184_000_000, rank: 3 };
    const odd = { date: null, rank: 4 };
    const rankings = [{ rankingType: 0, ranksByDate: [fits, odd] }];
    expect(
      read("android.category-ranking", { trackId: "a.b", ranksByCategoryNames: [{ categoryName: "TOOLS", rankings }] }),
    ).toMatchObject({
      value: { ranksByCategoryNames: [{ rankings: [{ ranksByDate: [fits] }] }] },
      invalid: [{ item: odd }],
    });
    const score = { date: "2026-08-19", score: 3 };
    expect(
      read("ios.visibility-history", [
        { trackId: "1", scores: { US: [score, { score: 4 }], DE: null } },
        { scores: { US: [score] } },
      ]),
    ).toMatchObject({
      value: [{ trackId: "1", scores: { US: [score], DE: [] } }],
      invalid: [{ item: { score: 4 } }, {}],
    });
  });

  test("are the charts of each country and category", () => {
    const chart = { rankingType: "FREE", rankingsByDate: [{ date: "2026-08-19T00:00:00", ranking: 3 }] };
    expect(
      read("android.global-category-rankings", {
        trackId: "a.b",
        ranksByCategory: { US: { TOOLS: [chart, { rankingType: 9, rankingsByDate: [] }] } },
      }),
    ).toMatchObject({
      value: { ranksByCategory: { US: { TOOLS: [chart] } } },
      invalid: [{ item: { rankingType: 9 } }],
    });
  });
});

describe("what nobody knows", () => {
  test("passes, is reported once, and stays in the value", () => {
    const row = { adGroupId: 5, spend: 1.5, somethingNew: { a: 1 } };
    const { value, drift } = read("search-ads.reports", { success: true, data: [{ tableData: [row, row] }] });
    expect(value).toEqual([{ tableData: [row, row] }]);
    expect(drift).toEqual([{ path: "[].tableData[].somethingNew", kind: "object" }]);
  });

  test("is reported inside the shape of several that fits", () => {
    const either = invent({
      answer: z.object({ of: z.union([z.string(), z.array(z.object({ id: z.int() }))]) }),
    });
    expect(readAnswer(either, Buffer.from('{"of":[{"id":1,"x":2}]}')).drift).toEqual([
      { path: "of[].x", kind: "number" },
    ]);
  });
});

test.each([
  [
    "an id as a number and as text",
    "ios.app-simple",
    [
      { trackId: 1, developerId: 5 },
      { trackId: "1", developerId: "5" },
    ],
  ],
  [
    "a price as a number, as digits, as a word",
    "android.app-simple",
    [0, "0.00", "Free"].map((price) => ({ trackId: "a.b", price })),
  ],
  [
    "a rating as a number and as a digit",
    "ios.reviews",
    [4, "4"].map((rating) => ({ id: 1, rating, date: "2026-08-01T10:00:00" })),
  ],
  [
    "a review without a title, and with an empty one",
    "ios.reviews",
    [{}, { title: "" }, { title: null }].map((more) => ({ id: 1, rating: 4, date: 1_787_184_000_000, ...more })),
  ],
  [
    "release notes as text and as a list",
    "ios.version-list",
    ["- mends", ["- mends"]].map((releaseNotes) => ({ versionDate: "2026-08-01T10:00:00", releaseNotes })),
  ],
  [
    "a chart's type as a number and as a word",
    "android.top-charts",
    [0, "FREE"].map((type) => ({ trackId: "a.b", rank: 1, category: 0, type })),
  ],
])("%s is taken in one list", (_, id, items) => {
  expect(read(id, items)).toEqual({ value: items, invalid: [], drift: [] });
});

test("lists are allowed where a path of keys, items and maps leads, and nowhere else", () => {
  const value = { a: { x: [1], y: [2], z: "no list" }, b: [[3], [4], 5] };
  expect(listsAt(value, ["a", "{}"])).toEqual([[1], [2]]);
  expect(listsAt(value, ["b", "[]"])).toEqual([[3], [4]]);
  expect(listsAt(value, ["b", "{}"])).toEqual([]);
  expect(listsAt(value, ["c"])).toEqual([]);
  expect(withLists(value, ["a", "{}"], () => [])).toEqual({ ...value, a: { x: [], y: [], z: "no list" } });
  expect(withLists(value, ["b", "[]"], (list) => [...list, 0])).toEqual({ ...value, b: [[3, 0], [4, 0], 5] });
});
