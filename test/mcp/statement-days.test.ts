import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { statementDays } from "../../src/mcp/statement-days.ts";

const today = day("2026-08-20");
const none = { columns: [], rows: [] };
const dates = (...rows: (string | null)[]) => ({
  columns: [
    { name: "app_name", type: "text" },
    { name: "date_day", type: "date" },
  ],
  rows: rows.map((one) => ["2020-01-01", one]),
});
const read = (one: Partial<Parameters<typeof statementDays>[0]>) =>
  statementDays({ given: {}, statement: "", answer: none, today, ...one });
const days = (one: Parameters<typeof read>[0]) => {
  const { window, from } = read(one);
  return [window.start, window.end, from];
};

test("the caller's days come first, both inclusive", () => {
  const given = { from: day("2026-07-01"), to: day("2026-07-03") };
  expect(days({ given, statement: "'2026-01-01'" })).toEqual(["2026-07-01", "2026-07-04", "arguments"]);
  expect(days({ given: { to: day("2026-07-28") } })).toEqual(["2026-07-01", "2026-07-29", "arguments"]);
});

test("days that the statement writes out are those from the first to the last, and up to yesterday where it is one", () => {
  const between = "date_day between date '2026-07-05' and '2026-07-01'::date";
  expect(days({ statement: between, answer: dates("2026-08-01") })).toEqual(["2026-07-01", "2026-07-06", "statement"]);
  expect(days({ statement: "date_day >= '2026-08-01'" })).toEqual(["2026-08-01", "2026-08-20", "statement"]);
  expect(days({ statement: "received_at > '2026-08-18 10:00'" })).toEqual(["2026-08-18", "2026-08-20", "statement"]);
});

test("else the days of the answer count: of its columns of days only", () => {
  expect(days({ answer: dates("2026-08-03", null, "2026-08-01") })).toEqual(["2026-08-01", "2026-08-04", "answer"]);
});

test("else the last four weeks count; days to come never do", () => {
  expect(days({ statement: "where x = '2026-13-45'" })).toEqual(["2026-07-23", "2026-08-20", "default"]);
  expect(days({ given: { from: day("2027-01-01"), to: day("2027-01-05") } })).toEqual([
    "2026-08-20",
    "2026-08-21",
    "arguments",
  ]);
});

test("a day that a statement reads up to is the end, and the weeks before it count", () => {
  expect(days({ statement: "date_day < '2026-07-01'" })).toEqual(["2026-06-03", "2026-07-01", "statement"]);
  expect(days({ statement: "date_day <= date '2026-06-30'" })).toEqual(["2026-06-03", "2026-07-01", "statement"]);
});

test("only the caller's days, and two that are written out, are all that a statement can read", () => {
  expect(read({ given: { to: day("2026-07-28") } }).isExact).toBe(true);
  expect(read({ statement: "date_day >= '2026-07-01' and date_day < date '2026-08-01'" }).isExact).toBe(true);
  for (const statement of [
    "date_day between '2026-07-01'::date - 90 and '2026-08-01'",
    "date_day < '2026-07-01'",
    "date_day >= '2026-07-01'",
    "date_day >= current_date - 90",
  ])
    expect([statement, read({ statement }).isExact]).toEqual([statement, false]);
  // a day before the first row or after the last one is not among those of the answer
  expect(read({ answer: dates("2026-08-03", "2026-08-01") }).isExact).toBe(false);
});
