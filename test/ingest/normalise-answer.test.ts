import { describe, expect, test } from "vitest";
import { operationById } from "../../src/api/operations/all.ts";
import { readAnswer } from "../../src/api/read-answer.ts";
import { day } from "../../src/core/day.ts";
import type { Slice } from "../../src/core/slice.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { normaliseAnswer } from "../../src/ingest/normalise-answer.ts";
import { sliceOf } from "../support/ingest-slice.ts";

/** What each answer is about, and its body around an entry: the date and the figure of one cell. */
const answers: Readonly<
  Record<string, { slice: Partial<Slice>; figure: string; body: (entry: Record<string, unknown>) => unknown }>
> = {
  "ios.keyword-ranking": {
    slice: { items: ["yoga"] },
    figure: "rank",
    body: (entry) => [{ trackId: 42, keyword: "yoga", countryCode: "US", appKind: "IPHONE", ...entry }],
  },
  "android.keyword-history": {
    slice: { items: ["yoga"], scope: { store: "android", app: "com.one", country: "US" } },
    figure: "rank",
    body: (entry) => [{ trackId: "com.one", keyword: "yoga", countryCode: "US", ...entry }],
  },
  "dashboard.daily-keyword-rankings": {
    slice: { items: ["yoga"], scope: { store: "android", app: "com.one", country: "US" } },
    figure: "rank",
    body: (entry) => ({
      data: [{ keyword: "yoga", ...entry, date: undefined }],
      success: true,
    }),
  },
  "ios.organic-keywords": {
    slice: { dataset: "organic_keyword", scope: { store: "ios", app: "42", country: "US", device: "IPHONE" } },
    figure: "rank",
    body: ({ date, ...entry }) => ({
      trackId: 42,
      date,
      rankings: [{ keyword: "yoga", ...entry }],
    }),
  },
  "ios.category-ranking": {
    slice: {
      dataset: "category_rank",
      scope: { store: "ios", app: "42", country: "US", resolution: "daily", chart_version: "v1" },
    },
    figure: "ranking",
    body: (entry) => ({
      trackId: 42,
      ranksByCategory: { US: { "6007": [{ targetDevice: "IPAD", rankingType: "FREE", rankingsByDate: [entry] }] } },
    }),
  },
  "android.category-ranking": {
    slice: {
      dataset: "category_rank",
      scope: { store: "android", app: "com.one", country: "US", resolution: "daily" },
    },
    figure: "rank",
    body: (entry) => ({
      trackId: "com.one",
      ranksByCategoryNames: [{ categoryName: "WEATHER", rankings: [{ rankingType: 1, ranksByDate: [entry] }] }],
    }),
  },
  "ios.visibility-history": {
    slice: { dataset: "visibility", items: ["US:42"], scope: { store: "ios", kind: "history" } },
    figure: "score",
    body: (entry) => [{ trackId: 42, scores: { US: [entry] } }],
  },
};

const date = "2026-08-01";

/** How many rows an answer has, and why it has none. */
function read(operation: string, fields: object) {
  const { slice, body } = answers[operation] ?? { slice: {}, body: () => null };
  const { value, invalid, drift } = readAnswer(
    operationById(operation),
    Buffer.from(JSON.stringify(body({ date, ...fields }))),
  );
  const whole = sliceOf({ operation, window: { start: day(date), end: day("2026-08-02") }, ...slice });
  const fetched = { pages: [value], invalid, drift, fetchedAt: 0 };
  const normalised = normaliseAnswer(datasetNamed(whole.dataset), whole, fetched);
  return {
    rows: Object.values(normalised.rows).flat().length,
    invalid: normalised.invalid.map(({ reason }) => reason),
  };
}

describe.each(Object.entries(answers))("an answer of %s", (operation, { figure }) => {
  test("has no rows if the field with its figures has another name", () => {
    expect(read(operation, { position: 3 })).toEqual({
      rows: 0,
      invalid: [
        expect.stringMatching(
          new RegExp(`no entry has .*${figure}.*, but entries have unknown fields with numbers: position`),
        ),
      ],
    });
  });

  test("is read where the figure is null, absent, or next to an unknown field", () => {
    for (const fields of [
      {},
      { mood: "good" },
      { [figure]: null },
      { [figure]: 3, mood: 7 },
      { [figure]: null, mood: 7 },
    ]) {
      const { rows, invalid } = read(operation, fields);
      expect([fields, invalid]).toEqual([fields, []]);
      expect(rows).toBeGreaterThan(0);
    }
  });
});

test("the name that the field has in another operation of the dataset is not its own", () => {
  for (const [operation, other] of [
    ["ios.category-ranking", "rank"],
    ["android.category-ranking", "ranking"],
  ] as const)
    expect(read(operation, { [other]: 3 })).toMatchObject({ rows: 0, invalid: [expect.stringContaining(other)] });
});

test("an unknown field elsewhere in the answer says nothing about its figures", () => {
  const { slice } = answers["ios.organic-keywords"] ?? { slice: {} };
  const body = { trackId: 42, date, mood: 7, rankings: [{ keyword: "yoga" }] };
  const { value, invalid, drift } = readAnswer(
    operationById("ios.organic-keywords"),
    Buffer.from(JSON.stringify(body)),
  );
  const fetched = { pages: [value], invalid, drift, fetchedAt: 0 };
  const whole = sliceOf({ operation: "ios.organic-keywords", ...slice });
  expect(drift).toHaveLength(1);
  expect(normaliseAnswer(datasetNamed("organic_keyword"), whole, fetched).invalid).toEqual([]);
});
