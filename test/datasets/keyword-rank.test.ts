import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { iosKeywordRanking } from "../../src/api/operations/keyword.ts";
import { readAnswer } from "../../src/api/read-answer.ts";
import { day } from "../../src/core/day.ts";
import type { Slice } from "../../src/core/slice.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { sliceOf } from "../support/ingest-slice.ts";

type Entry = Record<string, unknown>;

const table = "core.fact_keyword_rank";

const entry = (chosen: Entry = {}): Entry => ({
  trackId: 42,
  keyword: "yoga",
  countryCode: "US",
  appKind: "IPHONE",
  date: "2026-08-01T05:00:00",
  rank: 7,
  ...chosen,
});

/** Rows as `keyword device day rank observed_at`, sorted. */
function rowsOf(slice: Slice, entries: readonly Entry[], invalid: readonly { reason: string; item: unknown }[] = []) {
  const normalised = keywordRank.normalise(slice, [entries], invalid);
  const rows = (normalised.rows[table] ?? []).map((row) =>
    [row["keyword_key"], row["device_key"], row["date_day"], row["rank"], row["observed_at"]].join(" "),
  );
  return { rows: rows.sort(), invalid: normalised.invalid };
}

const yoga = sliceOf({ items: ["yoga"] });
const noIpad = "yoga IPAD 2026-08-01  ";

describe("keyword ranks", () => {
  test("take the latest crawl of a day, in any order of the answer", () => {
    const crawls = [
      entry({ date: "2026-08-01T05:00:00", rank: 7 }),
      entry({ date: "2026-08-01T21:30:00", rank: 9 }),
      entry({ date: "2026-08-01T12:00:00", rank: 1 }),
    ];
    const expected = [noIpad, "yoga IPHONE 2026-08-01 9 2026-08-01T21:30:00"];
    fc.assert(
      fc.property(fc.shuffledSubarray(crawls, { minLength: 3 }), (shuffled) => {
        expect(rowsOf(yoga, shuffled).rows).toEqual(expected);
      }),
    );
  });

  test("take the better rank of two crawls at one instant, in any order", () => {
    const pair = [entry({ rank: 12 }), entry({ rank: 3 }), entry({ rank: null })];
    for (const entries of [pair, pair.toReversed()])
      expect(rowsOf(yoga, entries).rows).toContain("yoga IPHONE 2026-08-01 3 2026-08-01T05:00:00");
  });

  test("keep apart two keywords that differ in case only, when the answer names both", () => {
    const both = sliceOf({ items: ["Yoga", "yoga"] });
    const { rows } = rowsOf(both, [entry({ keyword: "Yoga", rank: 3 }), entry({ keyword: "yoga", rank: 9 })]);
    expect(rows).toContain("Yoga IPHONE 2026-08-01 3 2026-08-01T05:00:00");
    expect(rows).toContain("yoga IPHONE 2026-08-01 9 2026-08-01T05:00:00");
  });

  test("give both spellings of a keyword the rank of the one that the answer names", () => {
    const { rows } = rowsOf(sliceOf({ items: ["YOGA", "Yoga"] }), [entry({ rank: 3 })]);
    expect(rows).toContain("YOGA IPHONE 2026-08-01 3 2026-08-01T05:00:00");
    expect(rows).toContain("Yoga IPHONE 2026-08-01 3 2026-08-01T05:00:00");
  });

  test("give them to a spelling that the answer leaves out where it names the other one", () => {
    const slice = sliceOf({ items: ["Yoga", "run", "yoga"] });
    const { rows, invalid } = rowsOf(slice, [entry({ rank: 3 }), entry({ keyword: "run", rank: 8 })]);
    expect(invalid).toEqual([]);
    expect(rows.filter((row) => row.includes("IPHONE"))).toEqual([
      "Yoga IPHONE 2026-08-01 3 2026-08-01T05:00:00",
      "run IPHONE 2026-08-01 8 2026-08-01T05:00:00",
      "yoga IPHONE 2026-08-01 3 2026-08-01T05:00:00",
    ]);
    // and of a crawl that cannot be taken neither has anything
    expect(rowsOf(slice, [entry({ date: "2026-07-01T05:00:00" })]).rows).toEqual([
      "run IPAD 2026-08-01  ",
      "run IPHONE 2026-08-01  ",
    ]);
  });

  test("claim nothing from an answer without any rank about the newest day, and say not ranked the day after", () => {
    const items = ["a", "b", "c", "d", "e"];
    expect(rowsOf(sliceOf({ items, asOf: day("2026-08-02") }), []).rows).toEqual([]);
    expect(rowsOf(sliceOf({ items, asOf: day("2026-08-03") }), []).rows).toHaveLength(10);
    expect(rowsOf(sliceOf({ items: ["a"], asOf: day("2026-08-02") }), []).rows).toHaveLength(2);
  });

  test("say requested and not ranked for a keyword that the answer leaves out, on every device and day", () => {
    const slice = sliceOf({ items: ["yoga"], window: { start: day("2026-08-01"), end: day("2026-08-03") } });
    expect(rowsOf(slice, [entry()]).rows).toEqual([
      "yoga IPAD 2026-08-01  ",
      "yoga IPAD 2026-08-02  ",
      "yoga IPHONE 2026-08-01 7 2026-08-01T05:00:00",
      "yoga IPHONE 2026-08-02  ",
    ]);
  });

  test("claim nothing of the other keywords where bytes of the answer are not UTF-8", () => {
    const broken = Buffer.from(JSON.stringify([entry(), entry({ keyword: "caf?" })]).replaceAll("?", "\xe9"), "latin1");
    const { value, invalid } = readAnswer(iosKeywordRanking, broken);
    const slice = sliceOf({ items: ["café", "run", "yoga"] });
    expect(rowsOf(slice, value as Entry[], invalid).rows).toEqual(["yoga IPHONE 2026-08-01 7 2026-08-01T05:00:00"]);
  });

  test("keep when an unranked keyword was crawled, where the answer says so", () => {
    expect(rowsOf(yoga, [entry({ rank: null })]).rows).toContain("yoga IPHONE 2026-08-01  2026-08-01T05:00:00");
    expect(rowsOf(yoga, [entry({ rank: undefined })]).rows).toContain("yoga IPHONE 2026-08-01  2026-08-01T05:00:00");
  });

  test("have one device on Android", () => {
    const slice = sliceOf({ items: ["yoga"], scope: { store: "android", app: "com.yoga", country: "US" } });
    const { appKind: _, ...reported } = entry({ trackId: "com.yoga" });
    expect(rowsOf(slice, [reported]).rows).toEqual(["yoga ALL 2026-08-01 7 2026-08-01T05:00:00"]);
    expect(rowsOf(slice, []).rows).toEqual(["yoga ALL 2026-08-01  "]);
  });

  test.each([
    ["a keyword", { keyword: "boxing" }],
    ["an app", { trackId: 43 }],
    ["a country", { countryCode: "DE" }],
    ["a day", { date: "2026-08-02T00:00:00" }],
  ])("refuse %s that was not requested", (what, odd) => {
    const { rows, invalid } = rowsOf(yoga, [entry(), entry(odd)]);
    expect(invalid).toEqual([{ reason: expect.stringContaining(what), item: entry(odd) }]);
    expect(rows).toContain("yoga IPHONE 2026-08-01 7 2026-08-01T05:00:00");
  });

  test("accept the requested country in lower case", () => {
    const { rows, invalid } = rowsOf(yoga, [entry({ countryCode: "us" })]);
    expect(invalid).toEqual([]);
    expect(rows).toContain("yoga IPHONE 2026-08-01 7 2026-08-01T05:00:00");
  });

  test("claim nothing of a keyword about which something came that does not fit", () => {
    const slice = sliceOf({ items: ["run", "yoga"] });
    const about = (item: unknown) => rowsOf(slice, [], [{ reason: "rank: is no number", item }]).rows;
    expect(about({ keyword: "YOGA ", rank: "x" })).toEqual(["run IPAD 2026-08-01  ", "run IPHONE 2026-08-01  "]);
    expect(about({ rank: "x" })).toEqual([]);
    expect(rowsOf(slice, [entry({ trackId: 43 })]).rows).toEqual(["run IPAD 2026-08-01  ", "run IPHONE 2026-08-01  "]);
  });

  test("find the keyword again that the service spells otherwise, for each spelling that was requested", () => {
    const slice = sliceOf({ items: ["Café  Noir", "café noir"] });
    const { rows, invalid } = rowsOf(slice, [entry({ keyword: "cafe\u0301 NOIR" })]);
    expect(invalid).toEqual([]);
    expect(rows.filter((row) => row.includes(" 7 "))).toEqual([
      "Café  Noir IPHONE 2026-08-01 7 2026-08-01T05:00:00",
      "café noir IPHONE 2026-08-01 7 2026-08-01T05:00:00",
    ]);
  });

  test.each([
    ["habit+tracker", "habit tracker"],
    ["caf%C3%A9", "café"],
    ["to do list", "to-do, list"],
    ["cafe", "café"],
    ["FUSSBALL", "fußball"],
    ["ISIK", "ışık"],
  ])("say nothing of a keyword that the answer may mean by %s", (name, keyword) => {
    const { rows, invalid } = rowsOf(sliceOf({ items: [keyword, "yoga"] }), [entry({ keyword: name })]);
    expect(invalid.map(({ reason }) => reason)).toEqual(["a keyword that was not requested"]);
    expect(rows).toEqual([noIpad, "yoga IPHONE 2026-08-01  "]);
    // one that is named as well is known
    const named = rowsOf(sliceOf({ items: [keyword] }), [entry({ keyword: name }), entry({ keyword })]);
    expect(named.rows).toHaveLength(2);
  });

  test("ask by list for a day, and by keyword for a stretch whose end counts", () => {
    const window = { start: day("2026-08-01"), end: day("2026-08-11") };
    expect(keywordRank.request(sliceOf({ items: ["a", "b"] }))).toEqual({
      trackId: "42",
      countryCode: "US",
      keywords: ["a", "b"],
      date: "2026-08-01",
    });
    expect(keywordRank.request(sliceOf({ items: ["a"], window, operation: "ios.keyword-history" }))).toEqual({
      trackId: "42",
      countryCode: "US",
      keyword: "a",
      startDate: "2026-08-01",
      endDate: "2026-08-10",
    });
  });
});
