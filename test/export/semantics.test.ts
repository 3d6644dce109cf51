import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { z } from "zod";
import { martMetrics } from "../../src/export/mart-metrics.ts";
import { martShapes } from "../../src/postgres/mart-shapes.ts";
import { readRelations, type Relation } from "../../src/postgres/relations.ts";
import { openExportStage } from "../support/export-stage.ts";
import { runCommand } from "../support/command.ts";
import { dbtProblems } from "../support/dbt-schema.ts";
import { forTests } from "../support/for-tests.ts";
import { SemanticFile, type SemanticModel, type SharedModel } from "../support/dbt-semantic-file.ts";

const stage = forTests(openExportStage);
let relations: ReadonlyMap<string, Relation>;
let folder: string;
let entities: readonly z.output<typeof SharedModel>[];
let problems: readonly string[];
let models: readonly z.output<typeof SemanticModel>[];

async function dbt(options: readonly string[]) {
  const behind = { databaseUrl: stage.url, sandbox: { url: "http://127.0.0.1:1", token: "none" } };
  return runCommand(behind, ["dbt", ...options], { variables: { API_TOKEN: "", API_BASE_URL: "" } });
}

beforeAll(async () => {
  relations = new Map((await readRelations(stage.db)).map((one) => [one.name, one]));
  folder = path.join(stage.out, "models");
  await dbt(["--semantic-layer", "--out", folder]);
  const text = await readFile(path.join(folder, "semantic_models.yml"), "utf8");
  const file: unknown = parse(text, { version: "1.1" });
  problems = dbtProblems(file);
  const [, app, country, ...all] = SemanticFile.parse(file).models;
  entities = [app, country];
  models = all;
});

const martOf = (model: string) => model.replace(/^storehouse_/, "");

describe("the semantic layer of the marts", () => {
  test("has a model with its SQL for each semantic model, and the days", async () => {
    const files = [
      "semantic_models.yml",
      "sources.yml",
      "storehouse_days.sql",
      ...[...entities, ...models].map(({ name }) => `${name}.sql`),
    ];
    expect((await readdir(folder)).sort()).toEqual(files.sort());
    expect(await readFile(path.join(folder, "storehouse_review_daily.sql"), "utf8")).toBe(
      "select * from {{ source('storehouse_mart', 'review_daily') }}\n",
    );
    const [spine] = (await readFile(path.join(folder, "storehouse_days.sql"), "utf8")).split(" from");
    expect(spine).toBe("select date_day");
  });

  test("is what dbt's own schema allows, and what dbt demands of names beyond it", () => {
    expect(problems).toEqual([]);
    for (const { name, primary_entity: primary, columns, derived_semantics: derived, metrics } of models) {
      // dimensions and entities of a semantic model share their names, and none is a grain
      const elements = [
        primary,
        ...columns.map((column) => column.name),
        ...(derived?.entities ?? []).map((entity) => entity.name),
      ];
      expect([name, new Set(elements).size]).toEqual([name, elements.length]);
      expect(elements.filter((one) => /^(metric_time|day|week|month|quarter|year)$/.test(one))).toEqual([]);
      // dbt takes the grain of a time from its column
      expect(
        columns.filter(({ dimension, granularity }) => (dimension.type === "time") !== (granularity !== undefined)),
      ).toEqual([]);
      expect(metrics.filter((one) => one.type === "simple" && one.agg === undefined)).toEqual([]);
    }
    const names = [...entities, ...models].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  test("joins metrics to apps with their groups and to countries with their regions, each of which is there once", async () => {
    await stage.pool.query(`
      insert into core.dim_app (store, track_id, app_name) values ('ios', 'own', 'Ours'), ('android', 'own', 'Ours as well');
      insert into core.grouped_app values ('b', 'ios', 'own'), ('a', 'ios', 'own')`);
    const sqlOf = async (name: string) =>
      (await readFile(path.join(folder, `${name}.sql`), "utf8")).replaceAll(
        /\{\{ source\('storehouse_(\w+)', '(\w+)'\) \}\}/g,
        "$1.$2",
      );
    for (const { name, columns } of entities) {
      const [{ name: key }] = columns;
      const select = await sqlOf(name);
      const { fields, rows } = await stage.pool.query(
        `select m.*, count(*) over (partition by m.${key}) = 1 as is_once from (${select}) as m`,
      );
      expect(fields.map((field) => field.name)).toEqual([...columns.map((column) => column.name), "is_once"]);
      expect(rows.every((row) => row["is_once"] === true)).toBe(true);
    }
    const groups = `select app_groups from (${await sqlOf("storehouse_app")}) as m where app in ('ios:own', 'android:own') order by app`;
    expect((await stage.pool.query(groups)).rows).toEqual([{ app_groups: null }, { app_groups: "a, b" }]);
    for (const { name, derived_semantics: derived } of models)
      for (const { name: entity, expr } of derived?.entities ?? []) {
        const { fields } = await stage.pool.query(
          `select s.* from mart.${martOf(name)} as m left join (${await sqlOf(`storehouse_${entity}`)}) as s on s.${entity} = ${expr.replaceAll(/\b(store|track_id|country_code)\b/g, "m.$1")} limit 1`,
        );
        expect(fields[0]?.name).toBe(entity);
      }
    expect(models.filter(({ derived_semantics: derived }) => derived === undefined).map(({ name }) => name)).toEqual([
      "storehouse_credit_spend_daily",
    ]);
  });

  test("computes every metric by a statement that Postgres runs, over columns and dimensions that are there", async () => {
    for (const { name, primary_entity: entity, agg_time_dimension: time, columns, metrics } of models) {
      const relation = relations.get(`mart.${martOf(name)}`);
      const found = new Set(relation?.columns.map((column) => column.name));
      expect([name, columns.filter((column) => !found.has(column.name))]).toEqual([name, []]);
      expect(columns.filter(({ dimension }) => dimension.type === "time").map((column) => column.name)).toEqual([time]);
      const simple = metrics.filter((one) => one.type === "simple");
      for (const { agg, expr, filter = "true" } of simple) {
        const where = filter.replaceAll(/\{\{ Dimension\('(\w+?)__(\w+)'\) \}\}/g, (_, own: string, column: string) => {
          expect([own, columns.map((one) => one.name)]).toEqual([entity, expect.arrayContaining([column])]);
          return column;
        });
        const { fields } = await stage.pool.query(
          `select ${time}, ${agg === "average" ? "avg" : agg}(${expr}) from mart.${martOf(name)} where ${where} group by 1`,
        );
        expect(fields).toHaveLength(2);
      }
      const names = new Set(simple.map((one) => one.name));
      for (const one of metrics)
        if (one.type === "ratio") expect([names.has(one.numerator), names.has(one.denominator)]).toEqual([true, true]);
    }
    const all = models.flatMap(({ metrics }) => metrics.map(({ name }) => name));
    expect(new Set(all).size).toBe(all.length);
  });

  test("says of the devices, currencies and days that never add up that one is chosen, and leaves out days that are incomplete", () => {
    const review = models.find(({ name }) => name === "storehouse_review_daily")?.metrics;
    expect(review?.map(({ name }) => name)).toContain("review_daily_average_rating");
    const metrics = new Map(models.flatMap((model) => model.metrics.map((one) => [one.name, one])));
    expect(metrics.get("organic_share_of_voice_daily_ranked_keyword_count")).toMatchObject({
      agg: "sum",
      filter:
        "{{ Dimension('organic_share_of_voice_daily_row__device_code') }} in ('IPHONE', 'ALL') and {{ Dimension('organic_share_of_voice_daily_row__is_complete') }} is true",
      config: { meta: { adds_up_over: "everything", one_value_of: ["device_code"] } },
    });
    expect(metrics.get("app_overview_daily_review_count")).toMatchObject({
      // as review_daily_review_count
      filter: "{{ Dimension('app_overview_daily_row__is_review_answered') }} is true",
      config: {
        meta: {
          adds_up_over:
            "everything, but never country ALL together with countries, as long as is_review_answered is true for every row",
        },
      },
    });
    // as search_ads_daily_default_spend, which leaves out days without the reports of all organisations
    expect(metrics.get("app_overview_daily_search_ads_spend")).toMatchObject({
      filter: "{{ Dimension('app_overview_daily_row__is_search_ads_answered') }} is true",
    });
    // as of the newest day of each app it cannot be said
    expect(metrics.get("app_overview_daily_rating_count")).toBeUndefined();
    expect(metrics.get("category_rank_daily_category_rank")).toMatchObject({ agg: "average" });
    // rows of single ranks do not say whether their day is complete; sums of the day do
    expect([...metrics.keys()].filter((name) => name.startsWith("keyword_rank_daily"))).toEqual([]);
    expect(metrics.get("organic_share_of_voice_daily_average_rank")).toMatchObject({
      type: "ratio",
      numerator: "organic_share_of_voice_daily_rank_sum",
      denominator: "organic_share_of_voice_daily_ranked_keyword_count",
    });
    expect(metrics.get("review_daily_rating_sum")).toMatchObject({
      filter: "{{ Dimension('review_daily_row__is_answered') }} is true",
    });
  });

  test("names no folder, and is refused", async () => {
    expect(await dbt(["--semantic-layer"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--out") as string,
    });
  });
});

describe("what is declared of the figures of marts", () => {
  test.each(Object.entries(martMetrics))(
    "%s is what its comment says",
    (mart, { sums, averages = [], ratios = {}, choose = {}, only = {} }) => {
      const { comment = "", columns = [] } = relations.get(`mart.${mart}`) ?? {};
      const isNumber = (name: string) =>
        /^(smallint|integer|bigint|numeric)/.test(columns.find((one) => one.name === name)?.type ?? "");
      expect([...sums, ...averages].filter((column) => !isNumber(column))).toEqual([]);
      if (sums.length > 0) expect(comment).toMatch(/may be added up/);
      expect(sums.filter((column) => !/_count$|_sum$|spend$|revenue$/.test(column))).toEqual([]);
      if (sums.length === 0) expect(comment).toMatch(/Do not add up|Nothing may be added up/);
      if (averages.length > 0) expect(comment).toMatch(/average|never shares, ranks or scores/);
      for (const column of Object.keys(choose)) {
        const words =
          column === "chart_version" ? "chart_version" : column.replace(/^is_(primary|default)_|_code$/g, "");
        expect(comment).toMatch(new RegExp(`(Choose|choose|over) one [^;]*${words}`));
      }
      const isPartial = columns.some(({ name }) => name === "is_complete") && mart !== "app_overview_daily";
      expect("is_complete" in only).toBe(isPartial);
      for (const parts of Object.values(ratios)) expect(parts.filter((column) => !sums.includes(column))).toEqual([]);
    },
  );

  test("is of every mart with rows for each day, but those whose figures another one has or that repeat them", () => {
    const daily = Object.entries(martShapes).flatMap(([name, { isDaily }]) => (isDaily ? [name] : []));
    expect(
      daily.filter((name) => martMetrics[name] === undefined).sort(),
      "a mart with isDaily in src/postgres/mart-shapes.ts has metrics in src/export/mart-metrics.ts",
    ).toEqual([
      "category_rank_vs_downloads_daily",
      "chart_movement_daily",
      "keyword_install_estimate",
      "keyword_rank_daily",
      "search_ads_ad_group_report",
      "search_ads_campaign_report",
      "search_ads_daily",
    ]);
  });
});
