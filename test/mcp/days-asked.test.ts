import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { daysAsked } from "../../src/mcp/days-asked.ts";

const today = day("2026-08-20");
const none = { columns: [], rows: [] };
const dates = (...rows: (string | null)[]) => ({
  columns: [
    { name: "app_name", type: "text" },
    { name: "date_day", type: "date" },
  ],
  rows: rows.map((one) => ["2020-01-01", one]),
});
const asked = (one: Partial<Parameters<typeof daysAsked>[0]>) => {
  const { window, from } = daysAsked({ given: {}, statement: "", answer: none, today, ...one });
  return [window.start, window.end, from];
};

test("the caller's days come first, both inclusive", () => {
  const given = { from: day("2026-07-01"), to: day("2026-07-03") };
  expect(asked({ given, statement: "'2026-01-01'" })).toEqual(["2026-07-01", "2026-07-04", "arguments"]);
  expect(asked({ given: { to: day("2026-07-28") } })).toEqual(["2026-07-01", "2026-07-29", "arguments"]);
});

test("days that the statement writes out are those from the first to the last, and up to yesterday where it is one", () => {
  const between = "date_day between date '2026-07-05' and '2026-07-01'::date";
  expect(asked({ statement: between, answer: dates("2026-08-01") })).toEqual(["2026-07-01", "2026-07-06", "statement"]);
  expect(asked({ statement: "date_day >= '2026-08-01'" })).toEqual(["2026-08-01", "2026-08-20", "statement"]);
  expect(asked({ statement: "received_at > '2026-08-18 10:00'" })).toEqual(["2026-08-18", "2026-08-20", "statement"]);
});

test("else the days of the answer count: of its columns of days only", () => {
  expect(asked({ answer: dates("2026-08-03", null, "2026-08-01") })).toEqual(["2026-08-01", "2026-08-04", "answer"]);
});

test("else the last four weeks count; days to come never do", () => {
  expect(asked({ statement: "where x = '2026-13-45'" })).toEqual(["2026-07-23", "2026-08-20", "default"]);
  expect(asked({ given: { from: day("2027-01-01"), to: day("2027-01-05") } })).toEqual([
    "2026-08-20",
    "2026-08-21",
    "arguments",
  ]);
});
