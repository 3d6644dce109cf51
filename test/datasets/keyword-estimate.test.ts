import { describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { oneDay } from "../../src/core/window.ts";
import { keywordEstimate } from "../../src/datasets/keyword-estimate.ts";
import { sliceOf } from "../support/ingest-slice.ts";

const words = ["to do", "to-do, list"];
const who = { store: "ios", app: "42", country: "US" };
const country = { country: "US", keywords: words, keywordCount: 2 };
const portfolio: Portfolio = {
  apps: [
    { store: "ios", trackId: "42", tracked: true, countries: [country, { ...country, country: "JP", keywords: [] }] },
  ],
};

test("what holds now is requested each week, the history only where it is chosen", () => {
  const kinds = (options?: unknown) =>
    keywordEstimate.partitions(portfolio, options).map(({ scope, timing }) => [scope["kind"], timing?.kind]);
  expect(kinds()).toEqual([["now", "snapshot"]]);
  expect(kinds({ kinds: ["now", "history"] })).toEqual([
    ["now", "snapshot"],
    ["history", undefined],
  ]);
});

describe("estimates as they are now", () => {
  const slice = sliceOf({
    scope: { ...who, kind: "now" },
    items: words,
    window: oneDay(day("2026-08-20")),
  });
  const normalised = (results: readonly unknown[], left: readonly { reason: string; item: unknown }[] = []) =>
    keywordEstimate.normalise(slice, [{ trackId: 42, country: "US", results }], left);

  test("are requested in a list, commas and all", () => {
    expect(keywordEstimate.request(slice)).toEqual({ trackId: "42", country: "US", keywords: words });
  });

  test("have the day of observation", () => {
    const { rows } = normalised([
      { keyword: "to-do, list", conversionRate: "0.0023", maxReach: 1000, installs: 2, odd: 1 },
    ]);
    expect(rows["core.fact_keyword_estimate"]?.[0]).toEqual({
      app_key: "ios:42",
      date_day: "2026-08-20",
      country_key: "US",
      keyword_key: "to-do, list",
      kind: "now",
      conversion_rate: 0.0023,
      max_reach_count: 1000,
      install_count: 2,
      extra: '{"odd":1}',
    });
  });

  test("of a keyword that is left out beside others are rows without figures, unless it may be one that did not fit", () => {
    const reach = (...given: Parameters<typeof normalised>) =>
      normalised(...given).rows["core.fact_keyword_estimate"]?.map((row) => [
        row["keyword_key"],
        row["max_reach_count"],
      ]);
    const reported = [{ keyword: "TO DO", maxReach: 1 }];
    expect(reach(reported)).toEqual([
      ["to do", 1],
      ["to-do, list", null],
    ]);
    expect(reach(reported, [{ reason: "odd", item: {} }])).toEqual([["to do", 1]]);
    expect(reach([...reported, { keyword: "todo list" }])).toEqual([["to do", 1]]);
    expect(reach([])).toEqual([]);
  });

  test("of a keyword are of others that are spelled alike as well, except where the answer names those", () => {
    const items = ["Notes", "notes"];
    const reach = (...spelled: readonly string[]) => {
      const results = spelled.map((keyword, place) => ({ keyword, maxReach: place + 1 }));
      const { rows } = keywordEstimate.normalise({ ...slice, items }, [{ trackId: 42, country: "US", results }], []);
      const all = rows["core.fact_keyword_estimate"] ?? [];
      return Object.fromEntries(all.map((row) => [row["keyword_key"], row["max_reach_count"]]));
    };
    for (const spelled of ["notes", "NOTES"]) expect(reach(spelled)).toEqual({ Notes: 1, notes: 1 });
    expect(reach("notes", "Notes")).toEqual({ Notes: 2, notes: 1 });
  });

  test("of a keyword that was not requested are invalid", () => {
    expect(normalised([{ keyword: "else" }])).toMatchObject({ invalid: [{ item: { keyword: "else" } }] });
  });
});

describe("estimates by day", () => {
  const slice = sliceOf({
    scope: { ...who, kind: "history" },
    items: ["to do"],
    window: { start: day("2026-07-01"), end: day("2026-07-31") },
  });
  const normalised = (result: object, more: object = {}) =>
    keywordEstimate.normalise(slice, [{ country: "US", keyword: "to do", results: [result], ...more }], []);

  test("are requested keyword by keyword, the last day inclusive", () => {
    expect(keywordEstimate.request(slice)).toEqual({
      trackId: "42",
      country: "US",
      keyword: "to do",
      startDate: "2026-07-01",
      endDate: "2026-07-30",
    });
  });

  test("have their own day and are kept beside those of an observation", () => {
    expect(normalised({ date: Date.UTC(2026, 6, 30), installs: 3 }).rows["core.fact_keyword_estimate"]).toMatchObject([
      { date_day: "2026-07-30", keyword_key: "to do", kind: "history", install_count: 3 },
    ]);
    expect(keywordEstimate.tables[0]?.key).toContain("kind");
  });

  test("of another day or keyword are invalid", () => {
    expect(normalised({ date: "2026-07-31" }).invalid).toHaveLength(1);
    expect(normalised({ date: "2026-07-30", keyword: "else" }).invalid).toHaveLength(1);
    expect(normalised({ date: "2026-07-30" }, { keyword: "else" }).invalid).toHaveLength(1);
  });
});
