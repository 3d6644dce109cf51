import { expect, test } from "vitest";
import { rankingHistory } from "../../src/datasets/shared/ranking-history.ts";

const android = { store: "android", app: "app.one", country: "US" };
const of = (entries: readonly object[], scope: Record<string, string> = android) =>
  Object.fromEntries([...rankingHistory(scope, [entries])].map(([day, ranks]) => [day, Object.fromEntries(ranks)]));
const history = (...rankingHistoryOf: readonly unknown[]) => ({ rankingHistory: rankingHistoryOf });

test("has each whole rank by its day", () => {
  const entries = [
    { keyword: "a", countryCode: "us", ...history({ rank: 3, date: "2026-08-01" }, { rank: 4, date: "2026-08-02" }) },
    { keyword: "b", ...history({ rank: 9, date: "2026-08-02" }) },
  ];
  expect(of(entries)).toEqual({ "2026-08-01": { a: 3 }, "2026-08-02": { a: 4, b: 9 } });
});

test.each([
  [
    "a rank that is null or absent, which may mean that nothing was crawled",
    history({ rank: null, date: "2026-08-01" }, { date: "2026-08-02" }),
  ],
  [
    "a rank that is none",
    history({ rank: 0, date: "2026-08-01" }, { rank: 1.5, date: "2026-08-02" }, { rank: "7", date: "2026-08-03" }),
  ],
  [
    "an instant, whose day depends on a zone",
    history({ rank: 3, date: "2026-08-01T23:30:00" }, { rank: 3, date: 1_785_000_000_000 }),
  ],
  ["a day that is named twice", history({ rank: 3, date: "2026-08-01" }, { rank: 4, date: "2026-08-01" })],
  ["another country", { countryCode: "JP", ...history({ rank: 3, date: "2026-08-01" }) }],
  ["another shape", { rankingHistory: { "2026-08-01": 3 } }],
  ["no history", {}],
])("claims nothing of %s", (_, entry) => {
  expect(of([{ keyword: "a", ...entry }])).toEqual({});
});

test("claims nothing of a keyword that the list names twice, nor where a store has several devices", () => {
  const entry = { keyword: "a", ...history({ rank: 3, date: "2026-08-01" }) };
  expect(of([entry, entry])).toEqual({});
  expect(of([entry], { ...android, store: "ios" })).toEqual({});
});
