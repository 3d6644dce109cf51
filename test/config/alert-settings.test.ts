import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readSettings } from "../../src/config/read-yaml.ts";
import { settingsFor, type Settings } from "../../src/config/settings.ts";
import { folderForTests } from "../support/folder.ts";

const folder = folderForTests();

async function read(yaml: string): Promise<Settings> {
  const file = path.join(folder, "storehouse.yaml");
  await writeFile(file, yaml);
  return readSettings(file, settingsFor({}));
}

/** An alert of a mart, its conditions in the third line. */
const onMart = (mart: string, when: string) => `alerts:\n  one:\n    when: ${when}\n    mart: ${mart}\n`;

describe("alerts in the configuration", () => {
  test("are refused where they cannot fire, with the line and what fits", async () => {
    const cases: readonly (readonly [string, string])[] = [
      ["alerts:\n  One: { kind: keyword_fell }", "line 2: alerts.One: the name of an alert consists"],
      ["alerts:\n  one: {}", "line 2: alerts.one names neither a kind nor a mart"],
      [
        "alerts:\n  one:\n    kind: keyword_rose",
        "line 3: alerts.one.kind must be one of keyword_fell, keyword_left_top",
      ],
      [
        "alerts:\n  one:\n    kind: keyword_fell\n    top: 3",
        "line 4: alerts.one.top is not an option of keyword_fell",
      ],
      [
        "alerts:\n  one:\n    kind: keyword_fell\n    mart: review_daily",
        "line 4: alerts.one.mart is only for an alert without",
      ],
      [
        "alerts:\n  one:\n    mart: dim_app",
        "line 3: alerts.one.mart is not a mart for alerts; choose one of keyword_rank_daily",
      ],
      ["alerts:\n  one:\n    mart: review_daily", "line 2: alerts.one has no condition"],
      ["alerts:\n  one:\n    mart: review_daily\n    by: 3", "line 4: alerts.one.by is an option of a kind"],
      [
        onMart("review_daily", "{ stars: { is: 1 } }"),
        "alerts.one.when.stars is not a column of mart.review_daily for alerts; choose one of review_count",
      ],
      [onMart("review_daily", "{ review_count: {} }"), "alerts.one.when.review_count names no condition"],
      [onMart("review_daily", "{ review_count: { above: 3 } }"), "alerts.one.when.review_count.above is not a setting"],
      [
        onMart("keyword_rank_daily", "{ keyword_rank: { rises_by_percent: 3 } }"),
        "rises_by_percent cannot be used for this column; use at_least, at_most",
      ],
      [
        onMart("keyword_rank_daily", "{ keyword: { changes: true } }"),
        "changes cannot be used for this column; use is, is_not",
      ],
      [
        onMart("app_page_change", "{ new_value: { changes: true } }"),
        "changes cannot be used for this column; use is, is_not",
      ],
      [
        onMart("keyword_rank_daily", "{ is_ranked: { is: yes } }"),
        "alerts.one.when.is_ranked.is is not a value of this column: yes is not true or false",
      ],
      [
        onMart("app_overview_daily", "{ rating: { is_not: [4, many] } }"),
        "alerts.one.when.rating.is_not is not a value of this column: many is not a number",
      ],
      [
        "alerts:\n  one:\n    kind: rating_fell\n    for:\n      keywords: [plan]",
        "line 5: alerts.one.for.keywords cannot be used: mart.app_overview_daily has none",
      ],
      [
        "alerts:\n  one:\n    kind: keyword_fell\n    for:\n      keyword_groups: [brand]",
        "line 5: alerts.one.for.keyword_groups.0 names brand, which is not a group",
      ],
      [
        "portfolio: { groups: { apps: { casual: ['1'] } } }\nalerts:\n  one:\n    kind: rating_fell\n    for:\n      app_groups: [casuals]",
        "line 6: alerts.one.for.app_groups.0 names casuals, which is not a group, did you mean casual?",
      ],
      [
        "alerts:\n  one:\n    kind: one_star_reviews\n    days: 7",
        "line 4: alerts.one.days has no effect: no condition compares",
      ],
    ];
    for (const [yaml, problem] of cases)
      expect([yaml, await read(yaml).then(String, String)]).toEqual([yaml, expect.stringContaining(problem)]);
  });

  test("take kinds with their options, marts with conditions, and groups", async () => {
    const { alerts } = await read(`
portfolio: { groups: { keywords: { brand: [plan] } } }
alerts:
  fell: { kind: keyword_fell, by: 3, days: 7, for: { keyword_groups: [brand] }, send: morning }
  spend: { mart: search_ads_daily_default, when: { spend: { rises_by_percent: 50, at_least: 100 } } }
  featured: { mart: featuring_daily, for: { countries: [US] } }
`);
    expect(Object.keys(alerts)).toEqual(["fell", "spend", "featured"]);
    expect(alerts["fell"]).toMatchObject({ by: 3, days: 7, send: "morning", for: { keyword_groups: ["brand"] } });
  });
});
