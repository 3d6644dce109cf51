import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { leavesRowsOut, readsOnly } from "../../src/mcp/statement-bounds.ts";
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

test.each([
  "-- since '2020-01-01'\n",
  "/* '2020-01-01' */",
  "'see ''2020-01-01'' '",
  "$$ '2020-01-01' $$",
  `"'2020-01-01'"`,
])("a day in a comment, a name or another string is not one that the statement reads: %s", (aside) => {
  const statement = `select ${aside} from m where date_day >= /* from */ '2026-08-01'`;
  expect(days({ statement })).toEqual(["2026-08-01", "2026-08-20", "statement"]);
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

test("only the caller's days, and those between two bounds on the day, are all that a statement can read", () => {
  expect(read({ given: { to: day("2026-07-28") } }).isExact).toBe(true);
  for (const [statement, start, end] of [
    ["select 1 from m where date_day >= '2026-07-01' and date_day < date '2026-08-01'", "2026-07-01", "2026-08-01"],
    [
      "select 1 from m where m.date_day between '2026-07-01'::date and '2026-07-31' and rank is not null",
      "2026-07-01",
      "2026-08-01",
    ],
    ["select 1 from m where date_day > '2026-07-01' and date_day <= '2026-07-31'", "2026-07-02", "2026-08-01"],
    ["select 1 from m where date_day = '2026-07-05' and app_name = 'This or that'", "2026-07-05", "2026-07-06"],
    ["select 1 from m where date_day = '2026-07-05' and keyword = '--' -- or so", "2026-07-05", "2026-07-06"],
    // a row of a month is about all its days
    ["select 1 from m where month_start between '2026-06-01' and '2026-07-01'", "2026-06-01", "2026-08-01"],
    ["select 1 from m where month_start >= '2026-06-01' and month_start < '2026-07-01'", "2026-06-01", "2026-07-01"],
    ["select 1 from m where month_start >= '2026-06-01' and month_start < '2026-07-15'", "2026-06-01", "2026-08-01"],
    // and so is one of a week or month
    ["select 1 from m where period_kind = 'month' and period_start = '2026-07-01'", "2026-07-01", "2026-08-01"],
    [
      "select 1 from m where period_start between '2026-07-06' and '2026-07-22' and period_kind = 'week'",
      "2026-07-06",
      "2026-07-27",
    ],
    [
      "select 1 from m where period_kind = 'week' and period_start >= '2026-07-06' and period_start < '2026-07-27'",
      "2026-07-06",
      "2026-07-27",
    ],
  ] as const)
    expect([statement, days({ statement }), read({ statement }).isExact]).toEqual([
      statement,
      [start, end, "statement"],
      true,
    ]);
  // a day before the first row or after the last one is not among those of the answer
  expect(read({ answer: dates("2026-08-03", "2026-08-01") }).isExact).toBe(false);
  const months = { columns: [{ name: "month_start", type: "date" }], rows: [["2026-06-01"], ["2026-07-01"]] };
  expect(days({ answer: months })).toEqual(["2026-06-01", "2026-08-01", "answer"]);
});

test.for([
  "date_day between '2026-07-01'::date - 90 and '2026-08-01'",
  "date_day < '2026-07-01'",
  "date_day >= '2026-07-01'",
  "date_day >= current_date - 90",
  "date_day < '2026-07-01' or date_day > '2026-07-31'",
  "not (date_day >= '2026-07-01' and date_day <= '2026-07-31')",
  "date_day not between '2026-07-01' and '2026-07-31'",
  "date_day >= '2026-07-01' and date_day >= '2026-07-31'",
  "date_day in ('2026-07-01', '2026-07-31')",
  "period_start between '2026-07-06' and '2026-07-20'",
  "period_start = '2026-07-06' and period_kind = 'fortnight'",
  "date_day - 30 >= '2026-07-01' and date_day < '2026-08-01'",
  "date_day >= '2026-07-01' and '2026-08-01' > date_day",
  "date_day >= '2026-07-01' and date_day < '2026-08-01' and released_at > '2025-01-01'",
  "released_at >= '2026-07-01' and released_at < '2026-08-01'",
  "date_day >= '2026-07-01' and date_day < '2026-08-01' union all select 1 from n",
  "date_day between '2026-07-01' and '2026-07-31' is false",
  "true /* date_day between '2026-07-01' and '2026-07-31' */",
  "date_day between '2026-07-01' and '2026-07-31' and keyword <> '--' or true",
  "date_day between '2026-07-01' and '2026-07-31' and keyword <> '/*' or keyword = '*/'",
  "date_day between '2026-07-01' and '2026-07-31' and keyword <> e'\\'' or keyword = 'a'",
  "date_day between '2026-07-01' and '2026-07-31' and keyword <> $$'$$ or keyword = $$'$$",
])("a statement that may read other days is not exact: %s", (where) => {
  expect(read({ statement: `select 1 from m where ${where}` }).isExact).toBe(false);
});

test("nor is one that compares days in its answer and reads all of them", () => {
  const july = "date_day between '2026-07-01' and '2026-07-31'";
  for (const statement of [
    `select ${july} as is_july, count(*) from m group by 1`,
    `select ${july} as is_july, 'where' as place, count(*) from m where rank <= 10 group by 1, 2`,
    `select count(*) from m order by ${july}`,
    `select count(*) from m where rank <= 10 group by ${july}`,
    `select keyword from m where rank <= 10 order by ${july} desc`,
  ])
    expect([statement, read({ statement }).isExact]).toEqual([statement, false]);
  const byCountry = "select country_code = 'US' as is_us, count(*) from m group by 1";
  expect(readsOnly(byCountry, { apps: [], countries: ["US"] })).toBe(false);
  const britainFirst =
    "select country_code, count(*) from m where rank <= 10 group by 1 order by country_code = 'GB' desc";
  expect(readsOnly(britainFirst, { apps: [], countries: ["GB"] })).toBe(false);
});

test("nor is one of which a second relation may have other days", () => {
  const july = "where date_day between '2026-07-01' and '2026-07-31'";
  for (const statement of [
    `select 1 from m join n using (track_id) ${july}`,
    `select 1 from m, n ${july}`,
    `select 1 from m as a , n ${july}`,
    `select (select count(*) from n) from m ${july}`,
    `with n as (select 1 from m ${july}) select 1 from o`,
    `select 1 as "app's" from m ${july} or country_code = 'US'`,
    `select 1 from m as "app's", n ${july}`,
    `select 1 from only m as a (b, c), n ${july}`,
  ])
    expect([statement, read({ statement }).isExact]).toEqual([statement, false]);
});

test("coverage of some apps or countries is that of a statement which names no others itself", () => {
  const only = (where: string, apps: readonly string[], countries: readonly string[] = []) =>
    readsOnly(`select 1 from m where ${where}`, { apps, countries });
  expect(only("true", [])).toBe(true);
  expect(only("true", ["ios:1"])).toBe(false);
  expect(only("track_id = '1'", ["ios:1"])).toBe(true);
  expect(only("track_id in ('1', '2') and country_code = 'US'", ["1", "ios:2"], ["US", "JP"])).toBe(true);
  expect(only("track_id = '2'", ["ios:1"])).toBe(false);
  expect(only("track_id = '1'", ["ios:1"], ["US"])).toBe(false);
  expect(only("track_id = '1' or true", ["ios:1"])).toBe(false);
  expect(only("country_code <> 'US'", [], ["US"])).toBe(false);
});

test("a statement leaves rows out by a limit that is reached, an offset, a sample or one of alike rows", () => {
  for (const [statement, rows, isLeftOut] of [
    ["select 1 from m", 100, false],
    ["select 1 from m limit 100", 99, false],
    ["select 1 from m limit 100;", 100, true],
    ["select 1 from m limit 10 offset 20", 5, true],
    ["select 1 from m fetch first 3 rows only", 3, true],
    ["select distinct on (keyword) 1 from m", 3, true],
    ["select 1 from m tablesample system (10)", 3, true],
    ["with n as (select 1 from m limit 100) select 1 from n", 3, true],
    ["select 1 from m where keyword = 'no limit 5' -- limit", 3, false],
  ] as const)
    expect([statement, leavesRowsOut(statement, rows)]).toEqual([statement, isLeftOut]);
});
