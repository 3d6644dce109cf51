import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../src/config/config.ts";
import { martShapes } from "../../src/postgres/mart-shapes.ts";
import { martViews } from "../../src/publish/mart-views.ts";

test("views come after those that they read", () => {
  const names = martViews().map(({ mart }) => mart);
  for (const { mart, reads } of martViews())
    for (const read of reads.filter((name) => names.includes(name) && name !== mart))
      expect(names.indexOf(read)).toBeLessThan(names.indexOf(mart));
  expect(names.indexOf("mart.search_ads_campaign_report")).toBeLessThan(names.indexOf("mart.search_ads_daily_default"));
});

test("the page names each mart that is a table there, and no other", async () => {
  const page = await readFile(path.join(projectRoot, "docs", "clickhouse.md"), "utf8");
  const [, sentence = ""] = /marts are tables instead[^:]*: ([^.]*)\./.exec(page) ?? [];
  const views = martViews().map(({ mart }) => mart.slice("mart.".length));
  const tables = Object.keys(martShapes).filter((name) => !views.includes(name));
  expect(
    [...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    "each mart has a view in src/publish/views, or its name in docs/clickhouse.md, in the list of marts that are tables there",
  ).toEqual(tables.sort());
});

test("no view joins the ranks to another table, since ClickHouse keeps what is joined in memory", () => {
  const joining = martViews().filter(({ query }) => /join\s+core\.fact_keyword_rank\b/.test(query));
  expect(joining.map(({ mart }) => mart)).toEqual([]);
  expect(martViews().filter(({ reads }) => reads.includes("core.fact_keyword_rank")).length).toBeGreaterThan(2);
});
