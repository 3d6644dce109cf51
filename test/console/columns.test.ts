import { expect, test } from "vitest";
import { columnsOf, rolledUp, suitableWidth } from "../../src/console/grid/columns.ts";
import { selectionOf } from "../../src/console/grid/selection.ts";
import { csv } from "../../src/console/explore/csv.ts";
import { addDays, day } from "../../src/core/day.ts";
import { groupKey } from "../../src/core/partition-group.ts";
import { lastDay } from "../../src/core/window.ts";

// a Wednesday
const start = day("2026-03-04");
const window = { start, end: addDays(start, 14) };

test("a week is a column from Monday to Sunday; the first and the last are cut to the window, and no day is lost", () => {
  expect(columnsOf(window, "week").map((column) => [column.start, lastDay(column)])).toEqual([
    ["2026-03-04", "2026-03-08"],
    ["2026-03-09", "2026-03-15"],
    ["2026-03-16", "2026-03-17"],
  ]);
  expect(columnsOf(window, "day")).toHaveLength(14);
  expect(suitableWidth(window)).toBe("day");
  expect(suitableWidth({ start, end: addDays(start, 365) })).toBe("week");
});

test("a column has the cells of its days", () => {
  const days = new Map([
    [start, { loaded: 2, failed: 1 }],
    [addDays(start, 1), { loaded: 3 }],
    [addDays(start, 5), { missing: 1 }],
    [addDays(start, 99), { lost: 1 }],
  ]);
  expect(rolledUp(days, columnsOf(window, "week"))).toEqual([{ loaded: 5, failed: 1 }, { missing: 1 }, {}]);
});

test("a selection has the rows and days between its ends, whichever comes first", () => {
  const rows = ["US", "JP", "DE"].map((country) => ({ dataset: "keyword_rank", store: "ios", trackId: "1", country }));
  const [us, jp, de] = rows.map(groupKey) as [string, string, string];
  const ends = { first: de, last: jp, from: addDays(start, 3), to: start };
  expect(selectionOf(rows, ends)).toEqual({ groups: [rows[1], rows[2]], window: { start, end: addDays(start, 4) } });
  expect(selectionOf(rows, { ...ends, first: us, last: us })?.groups).toEqual([rows[0]]);
  expect(selectionOf(rows.slice(0, 2), ends)).toBeNull();
});

test("a text that a spreadsheet would run is text in a download, and one with commas, quotes or lines is one field", () => {
  const rows = [
    { keyword: "=1+1", rank: -2, note: null },
    { keyword: 'a "b", c\nd', rank: 3, note: "@x" },
  ];
  expect(csv(rows, ["keyword", "rank", "note"])).toBe(`keyword,rank,note\r\n'=1+1,-2,\r\n"a ""b"", c\nd",3,'@x\r\n`);
});
