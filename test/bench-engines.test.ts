import { expect, test } from "vitest";
import { firstApart, inClickHouse, rowsRead } from "../bench/scale-engine-rows.ts";
import { martQuestions } from "../bench/scale-mart-questions.ts";
import { accountOf, ranksOf, scaleSizes } from "../bench/scale-size.ts";

const columns = ["share", "day"].map((name) => ({ name, type: "numeric", comment: "", isNullable: true }));

test.each([
  ["the same digits", ["2", "2", "0.5", "2", "9"], ["2", "2", "0.5", "2", "9"], null],
  ["more digits of one", ["2", "2", "0.333333333333333333", "2", "9"], ["2", "2", "0.3333333333333", "2", "9"], null],
  ["a row more", ["2", "2", "0.5", "2", "9"], ["3", "3", "0.5", "3", "9"], "rows"],
  ["a null more", ["2", "2", "0.5", "2", "9"], ["2", "2", "0.5", "1", "9"], "day"],
  ["another sum", ["2", "2", "0.5", "2", "9"], ["2", "2", "0.500001", "2", "9"], "share"],
  ["no answer", ["2", "2", "0.5", "2", "9"], [], "rows"],
])("sums of two databases: %s", (_, ours, theirs, differs) => {
  expect(firstApart({ columns }, ours, theirs)).toBe(differs);
});

test("rows that a plan reads are those of its scans, each time, with what a filter removes", () => {
  const table = (rows: number, loops: number, removed: number) => ({
    "Relation Name": "fact_keyword_rank",
    "Actual Rows": rows,
    "Actual Loops": loops,
    "Rows Removed by Filter": removed,
  });
  const join = { "Actual Rows": 1000, "Actual Loops": 1, Plans: [table(10, 1, 90), table(2.5, 4, 0)] };
  expect(rowsRead(join)).toBe(110);
});

test("no question has words of Postgres alone once it is in those of ClickHouse, and each column has a name", () => {
  const questions = martQuestions(scaleSizes.full.engines);
  expect(questions.length).toBeGreaterThan(5);
  for (const { query } of questions) {
    expect(inClickHouse(query)).not.toMatch(/bool_and|date_trunc|::/);
    expect(query).not.toMatch(/\)(,| from)(?! generate)/);
  }
});

test.each([
  ["29200", 2, 1],
  ["5,000,000", 2, 171],
  ["20000000", 2, 685],
  ["100_000_000", 5, 1370],
])("%s ranks are those of %i apps", (ranks, apps, keywords) => {
  expect(accountOf(ranks)).toMatchObject({ apps, keywords });
  expect(ranksOf(accountOf(ranks)) / Number(ranks.replaceAll(/[,_]/g, ""))).toBeCloseTo(1, 1);
});

test.each(["29199", "1.5e3.2", "many", "-1"])("%s ranks are refused, with the least number", (ranks) => {
  expect(() => accountOf(ranks)).toThrow(/^--ranks takes a whole number from 29200, /);
});
