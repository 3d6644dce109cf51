import { expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { day } from "../../src/core/day.ts";
import { keptTables } from "../../src/runs/kept-tables.ts";

const kept = (settings: object) =>
  keptTables(Settings.parse(settings), day("2026-08-20")).map((one) => [one.table, one.keptFrom, one.cut]);

test("a table of days keeps whole months, and one of periods those that end in a kept month as well", () => {
  const keep_months = 2;
  expect(kept({ datasets: { keyword_rank: { keep_months }, paid_keyword: { keep_months } } })).toEqual([
    ["core.fact_keyword_rank", "2026-06-01", "2026-06-01"],
    ["core.fact_paid_keyword", "2026-06-01", "2026-05-01"],
  ]);
});

test("a table without a number of months keeps all of them", () => {
  expect(kept({})).toEqual([]);
});
