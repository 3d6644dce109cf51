import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { createTokenRemover } from "../../src/core/secret.ts";
import { checkAnswer } from "../../src/archive/check-answer.ts";
import { AnswerFile, answerText, pagesOf, parseFile } from "../../src/archive/answer-file.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { long } from "../support/long.ts";

const [writtenAt, now] = [Date.UTC(2026, 7, 20, 6), Date.UTC(2026, 7, 20, 12)];

const entry = {
  trackId: 42,
  keyword: "chess",
  countryCode: "US",
  date: "2026-08-19T03:00:00",
  appKind: "IPHONE",
  rank: 3,
};

/** The least that a file written by hand has to hold. */
const least = {
  dataset: "keyword_rank",
  operation: "ios.keyword-ranking",
  class: "daily",
  as_of: "2026-08-20",
  scope: { store: "ios", app: "42", country: "US" },
  window: { from: "2026-08-19", to: "2026-08-19" },
  items: ["go", "chess"],
  body: [entry],
};

/** A file of what holds on one day. */
const snapshot = {
  dataset: "tracked_app",
  operation: "dashboard.apps",
  class: "snapshot",
  as_of: "2026-08-18",
  scope: {},
  window: { from: "2026-08-18", to: "2026-08-18" },
  body: [],
};

const strike = createTokenRemover("a-token-that-was-echoed");
const check = (file: unknown) => checkAnswer(JSON.stringify(file), { writtenAt, now, strike });
const without = (name: keyof typeof least) => Object.fromEntries(Object.entries(least).filter(([key]) => key !== name));

describe("a file written by hand", () => {
  test("names what an export names; the file's own time is that of its answer", async () => {
    const { draft, pages, timed } = await check(least);
    expect(draft).toEqual({
      dataset: "keyword_rank",
      operation: "ios.keyword-ranking",
      scope: least.scope,
      items: ["chess", "go"],
      window: { start: "2026-08-19", end: "2026-08-20" },
      class: "daily",
      requests: 1,
      credits: 3,
      asOf: "2026-08-20",
      fingerprint: "",
    });
    expect(pages).toEqual([{ body: Buffer.from(JSON.stringify([entry])), fetchedAt: writtenAt }]);
    expect(timed).toBe(false);
  });

  test("of several days and one keyword is an answer of the history", async () => {
    const window = { from: "2026-08-01", to: "2026-08-19" };
    const { draft } = await check({ ...least, operation: "ios.keyword-history", items: ["chess"], window });
    expect(draft).toMatchObject({
      operation: "ios.keyword-history",
      window: { start: "2026-08-01", end: "2026-08-20" },
    });
  });

  test("of a snapshot represents the day it names", async () => {
    const file = { ...snapshot, body: { data: [], success: true } };
    expect((await check(file)).draft).toMatchObject({ class: "snapshot", asOf: "2026-08-18", items: null });
  });

  test("may hold its body as text or base64 and keeps it byte for byte", async () => {
    const text = `[ ${JSON.stringify(entry)} ]\n`;
    const rest = without("body");
    for (const body of [{ body_text: text }, { body_base64: Buffer.from(text).toString("base64") }])
      expect((await check({ ...rest, ...body })).pages[0]?.body.toString()).toBe(text);
  });

  test("says when it was received, if it knows", async () => {
    const { pages, timed } = await check({ ...least, fetched_at: "2026-08-20T07:30:00+02:00" });
    expect(pages[0]?.fetchedAt).toBe(Date.UTC(2026, 7, 20, 5, 30));
    expect(timed).toBe(true);
  });

  test("is taken when some of its rows do not fit, as an answer of the API is", async () => {
    expect((await check({ ...least, body: [entry, { ...entry, trackId: 43 }] })).draft.dataset).toBe("keyword_rank");
  });
});

test("strikes the token out of a body that echoes it", async () => {
  const body = { data: [entry], success: true, message: "called with a-token-that-was-echoed" };
  const { pages } = await check({ ...least, body });
  expect(pages[0]?.body.toString()).toContain("called with [hidden]");
});

test("strikes it out of a file as an export writes it, and does not read what stood there", async () => {
  const body = Buffer.from(JSON.stringify([{ ...entry, keyword: "a-token-that-was-echoed" }]));
  const window = { start: day("2026-08-19"), end: day("2026-08-20") };
  const slice = sliceOf({ items: ["[hidden]", "chess"], window });
  const text = answerText(slice, [{ body, fetchedAt: writtenAt }]);
  const { pages, rows } = await checkAnswer(text, { writtenAt, now, strike });
  expect(pages[0]?.body.toString()).toContain('"keyword":"[hidden]"');
  expect(rows.loads[0]?.rows[0]).toMatchObject({ keyword_key: "[hidden]", rank: 3 });
});

test("a file that was written is read as the same slice with the same bytes", async () => {
  const texts = fc.oneof(fc.json(), fc.string({ unit: "binary" }), fc.constant('[1.0, {"b":1,"a":2,"b":3}, 1e400]\n'));
  const bodies = fc.oneof(
    texts.map((text) => Buffer.from(text)),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(bodies, { minLength: 1, maxLength: 3 }), async (all) => {
      const pages = all.map((body, index) => ({ body, fetchedAt: writtenAt + index }));
      const text = answerText(sliceOf({ items: ["a,b", "Ä"] }), pages);
      const parsed = parseFile(text);
      expect(parsed.json).toEqual(JSON.parse(text));
      const file = AnswerFile.parse(parsed.json);
      const read = pagesOf(file, 0, parsed.body).map(({ body, fetchedAt }) => ({ body, fetchedAt }));
      expect(read).toEqual(pages);
      expect(file).toMatchObject({ dataset: "keyword_rank", items: ["a,b", "Ä"], as_of: "2026-08-20", class: "daily" });
    }),
    { numRuns: long ? 100 : 20 },
  );
});

test.each([
  ["of a number that is written otherwise", '{\n"a": 1,\n"body": [1.0]\n}\n'],
  ["of a number that is too large", '{\n"a": 1,\n"body": [1e400]\n}\n'],
  ["that goes on after its body", '{\n"a": 1,\n"body": [1],\n"b": 2\n}\n'],
  ["with two bodies", '{\n"body": [2],\n"body": [1]\n}\n'],
  ["whose body is inside something else", '{"a": {"x": 1,\n"body": [1]\n}}\n'],
])("a file %s is parsed as JSON is", (_, text) => {
  expect(parseFile(text).json).toEqual(JSON.parse(text));
});

test.each(['{\n"a": {"x": 1,\n"body": [1]\n}\n', '{\n"a": 1,\n"body": [1\n}\n', '{\n"a": 1,,\n"body": [1]\n}\n'])(
  "half a file is none: %j",
  (text) => {
    expect(() => parseFile(text)).toThrow(SyntaxError);
  },
);

describe("an answer of more pages than its file has", () => {
  const paged = (pages: number, more: object = {}) => ({
    ...without("items"),
    body: undefined,
    dataset: "review",
    operation: "ios.reviews-v2",
    scope: { store: "ios", app: "42", source: "v2", regions: "all" },
    pages: Array.from({ length: pages }, (_, page) => ({
      body: {
        content: [{ reviewId: page, date: "2026-08-19T10:00:00", countryCode: "US", rating: 5 }],
        totalElements: 4,
        totalPages: 4,
      },
    })),
    ...more,
  });

  test.each([1, 2, 3])("is refused with %i of its pages, and names the first one that is missing", async (pages) => {
    const missing = `pages: page ${pages + 1} is missing: the answer continues after ${pages}`;
    await expect(check(paged(pages))).rejects.toThrow(missing);
    expect((await check(paged(4))).rows.invalid).toEqual([]);
  });

  test("is taken where the file says that no more were paid for", async () => {
    const { draft, rows } = await check(paged(3, { is_cut: true }));
    expect(draft.requests).toBe(3);
    expect(rows.invalid).toEqual([expect.objectContaining({ reason: expect.stringContaining("after 3 pages") })]);
  });
});

describe("a file is refused", () => {
  test("is refused where it nests deeper than any answer", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const text = JSON.stringify({ ...least, body: "?" }).replace('"?"', deep);
    await expect(checkAnswer(text, { writtenAt, now, strike })).rejects.toThrow(
      "it nests lists and objects deeper than 103 levels",
    );
    const body = (levels: number) => Buffer.from(`${"[".repeat(levels)}${"]".repeat(levels)}`);
    const written = (levels: number) =>
      answerText(sliceOf({ items: ["chess"] }), [{ body: body(levels), fetchedAt: writtenAt }]);
    for (const levels of [101, 2000])
      await expect(checkAnswer(written(levels), { writtenAt, now, strike })).rejects.toThrow(/deeper than 10\d levels/);
  });

  test.each([
    ["that is half a file", '{"dataset": "keyw', "not JSON"],
    ["that is no object", "[]", "it must be an object with keys, not a list"],
    ["with a field that nobody knows", { ...least, token: "abc" }, "token"],
    ["with a window that has one more field", { ...least, window: { ...least.window, end: "x" } }, "window"],
    ["of a dataset that nobody knows", { ...least, dataset: "keyword_ranks" }, "no dataset is named keyword_ranks"],
    ["of another form", { ...least, format: "storehouse-answer-2" }, "format"],
    ["without a body", without("body"), "one of body, body_text and body_base64"],
    ["with two bodies", { ...least, body_text: "[]" }, "one of body, body_text and body_base64"],
    ["without items, where they belong to the question", without("items"), "the requested items are missing"],
    ["with an item that no table can hold", { ...least, items: ["a\0b"] }, "no table can store"],
    ["with an item twice", { ...least, items: ["go", "go"] }, "listed twice"],
    [
      "with a scope that lacks a name",
      { ...least, scope: { store: "ios", app: "42" } },
      "keyword_rank needs the fields app, country, store",
    ],
    [
      "with a scope that has one too many",
      { ...least, scope: { ...least.scope, device: "IPAD" } },
      "scope.device: is not a field",
    ],
    ["of a store that nobody knows", { ...least, scope: { ...least.scope, store: "web" } }, "must be ios or android"],
    [
      "of an app of the other store",
      { ...least, scope: { ...least.scope, app: "com.example" } },
      "not an app of the store",
    ],
    ["of a country that is none", { ...least, scope: { ...least.scope, country: "usa" } }, "countryCode"],
    ["with a day that is none", { ...least, window: { from: "2026-02-30", to: "2026-03-01" } }, "is not a day"],
    [
      "with a window that ends before it starts",
      { ...least, window: { from: "2026-08-19", to: "2026-08-18" } },
      "before",
    ],
    ["of a future day", { ...least, window: { from: "2026-08-21", to: "2026-08-21" } }, "a future day"],
    ["planned on a future day", { ...least, as_of: "2026-08-21" }, "a future day"],
    ["planned before its window", { ...least, as_of: "2026-08-18" }, "before the last day"],
    ["received before its window", { ...least, fetched_at: "2026-08-17T23:59:59Z" }, "before the last day"],
    ["received in the future", { ...least, fetched_at: "2026-08-20T12:00:01Z" }, "in the future"],
    [
      "of more days than any call may span",
      { ...least, window: { from: "2026-08-01", to: "2026-08-19" } },
      "window: has 19 days and 2 items; one call covers at most 1 day and 100 items (none with a comma) by ios.keyword-ranking",
    ],
    ["without its operation", without("operation"), "operation"],
    ["without its class", without("class"), "class"],
    ["without the day of its plan", without("as_of"), "as_of"],
    [
      "of an operation of another dataset",
      { ...least, operation: "ios.top-keywords" },
      "operation: for this scope it must be ios.keyword-ranking",
    ],
    [
      "of an operation that cannot bring so much",
      { ...least, operation: "ios.keyword-history" },
      "window: has 1 day and 2 items; one call covers at most 30 days and 1 item by ios.keyword-history",
    ],
    ["whose body is an error", { ...least, body: { success: false, message: "no" } }, "success: false"],
    ["whose body has another shape", { ...least, body: { a: 1 } }, "shape"],
    ["with a page too many", { ...without("body"), pages: [{ body: [entry] }, { body: [entry] }] }, "ends after 1"],
    [
      "of a snapshot of several days",
      { ...snapshot, window: { from: "2026-08-18", to: "2026-08-19" } },
      "window: has 2 days; one call covers at most 1 day by dashboard.apps",
    ],
    ["of a snapshot of another class", { ...snapshot, class: "daily" }, "must be snapshot for tracked_app"],
    ["of a snapshot of an earlier day", { ...snapshot, as_of: "2026-08-19" }, "which is as_of"],
    [
      "of which nothing belongs to the slice",
      {
        ...without("items"),
        dataset: "organic_keyword",
        operation: "ios.organic-keywords",
        scope: { ...least.scope, device: "IPHONE" },
        window: least.window,
        body: { trackId: 7, countryCode: "US", deviceType: "IPHONE", date: "2026-08-19", rankings: [] },
      },
      "nothing in it belongs",
    ],
  ] as const)("%s", async (_, file, problem) => {
    const text = typeof file === "string" ? file : JSON.stringify(file);
    await expect(checkAnswer(text, { writtenAt, now, strike })).rejects.toThrow(problem);
  });
});
