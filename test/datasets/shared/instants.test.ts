import { expect, test } from "vitest";
import { bestFirst } from "../../../src/datasets/shared/values.ts";
import { readInstant } from "../../../src/datasets/shared/instants.ts";

test.each([
  [Date.UTC(2026, 7, 2, 0, 45, 18), "2026-08-02", "2026-08-02T00:45:18"],
  [Date.UTC(2026, 7, 2, 23, 59, 59, 250), "2026-08-02", "2026-08-02T23:59:59.250"],
  [Date.UTC(2026, 9, 10, 10, 10, 10, 10), "2026-10-10", "2026-10-10T10:10:10.010"],
  [0, "1970-01-01", "1970-01-01T00:00:00"],
  ["2026-08-02T00:45:18", "2026-08-02", "2026-08-02T00:45:18"],
  ["2026-08-02 00:45:18", "2026-08-02", "2026-08-02T00:45:18"],
  ["2026-08-02T23:45", "2026-08-02", "2026-08-02T23:45:00"],
  ["2026-08-02T23:45:00Z", "2026-08-02", "2026-08-02T23:45:00"],
  ["2026-08-02T01:45:00+02:00", "2026-08-01", "2026-08-01T23:45:00"],
  ["2026-08-02 23:45:00.250-0030", "2026-08-03", "2026-08-03T00:15:00.250"],
  ["2026-08-02", "2026-08-02", "2026-08-02T00:00:00"],
])("reads %s as a clock reading without zone", (value, day, at) => {
  expect(readInstant(value)).toEqual({ day, at });
});

test("keeps one entry a keyword, the better rank, in any order", () => {
  const entries = [
    { keyword: "b", rank: 4 },
    { keyword: "a", rank: null },
    { keyword: "b", rank: 2 },
    { keyword: "a" },
    { keyword: "c", rank: 1 },
    { keyword: "b", rank: null },
  ];
  for (const given of [entries, entries.toReversed()])
    expect(bestFirst(given).map(({ keyword, rank }) => [keyword, rank ?? null])).toEqual([
      ["a", null],
      ["b", 2],
      ["c", 1],
    ]);
});
