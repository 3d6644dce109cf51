import { expect, test } from "vitest";
import { relationsNamed } from "../../src/mcp/relations-named.ts";

const relation = (name: string) => {
  const [schema = "", table = ""] = name.split(".");
  return { name, schema, table, isView: true, comment: "", columns: [], key: [], foreignKeys: [], checks: [] };
};
const all = ["mart.keyword_rank_daily", "mart.review_daily", "core.dim_app"].map(relation);
const named = (statement: string) => relationsNamed(statement, all).map(({ name }) => name);

test.each([
  ["select * from mart.keyword_rank_daily", ["mart.keyword_rank_daily"]],
  [
    "SELECT 1 FROM Keyword_Rank_Daily k JOIN core.dim_app a USING (app_key)",
    ["mart.keyword_rank_daily", "core.dim_app"],
  ],
  ['table "mart"."review_daily"', ["mart.review_daily"]],
  ["with x as (select * from mart.review_daily) select * from x", ["mart.review_daily"]],
  ["select 'it''s review_daily' -- review_daily\n, 1 /* review_daily */ from core.dim_app", ["core.dim_app"]],
  ["select $a$ review_daily $a$", []],
  [
    `select a.name as "app's name" from mart.review_daily join core.dim_app as a using (app_key) where store = 'ios'`,
    ["mart.review_daily", "core.dim_app"],
  ],
  [String.raw`select E'it\'s' from mart.review_daily where store = 'ios'`, ["mart.review_daily"]],
  ["select review_daily_count from my_review_daily", []],
])("%s", (statement, expected) => {
  expect(named(statement)).toEqual(expected);
});
