import { readFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { dbtSources } from "../../src/export/dbt-sources.ts";
import type { Relation } from "../../src/postgres/relations.ts";
import { dbtProblems } from "../support/dbt-schema.ts";
import { openExportStage } from "../support/export-stage.ts";
import { long } from "../support/long.ts";
import { runCommand } from "../support/command.ts";
import { forTests } from "../support/for-tests.ts";

/** A source file as dbt Core from 1.10.5 on and Fusion take it: arguments below `arguments`, tags and freshness below `config`, nothing that one of them would not know. */
const withArguments = <S extends z.ZodRawShape>(shape: S) => z.strictObject({ arguments: z.strictObject(shape) });
const Test = z.union([
  z.enum(["unique", "not_null"]),
  z.strictObject({ unique: withArguments({ column_name: z.string() }) }),
  z.strictObject({ accepted_values: withArguments({ values: z.array(z.string()).min(1) }) }),
  z.strictObject({
    relationships: withArguments({ to: z.string().regex(/^source\('\w+', '\w+'\)$/), field: z.string() }),
  }),
]);
const Period = z.strictObject({ count: z.int().positive(), period: z.enum(["minute", "hour", "day"]) });
const Sources = z.strictObject({
  version: z.literal(2),
  sources: z.array(
    z.strictObject({
      name: z.string().regex(/^\w+$/),
      schema: z.string(),
      description: z.string().min(1),
      config: z.strictObject({ tags: z.array(z.string()) }),
      tables: z.array(
        z.strictObject({
          name: z.string(),
          description: z.string().min(1),
          config: z
            .strictObject({
              tags: z.array(z.string().regex(/^\w+$/)).optional(),
              loaded_at_field: z.enum(["fetched_at", "date_day::timestamp"]).optional(),
              freshness: z.strictObject({ warn_after: Period, error_after: Period }).optional(),
            })
            .optional(),
          data_tests: z.array(Test).optional(),
          columns: z.array(
            z.strictObject({
              name: z.string(),
              description: z.string().min(1),
              data_type: z.string(),
              data_tests: z.array(Test).optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});
type Sources = z.output<typeof Sources>;

const stage = forTests(openExportStage);

async function dbt(options: readonly string[] = [], settings = {}) {
  const behind = { databaseUrl: stage.url, sandbox: { url: "http://127.0.0.1:1", token: "none" } };
  const ended = await runCommand(behind, ["dbt", ...options], {
    settings,
    variables: { API_TOKEN: "", API_BASE_URL: "" },
  });
  expect(ended.code).toBe(0);
  return ended.stdout;
}

function tableIn({ sources }: Sources, name: string) {
  const [schema, table] = name.split(".");
  return sources.find((source) => source.schema === schema)?.tables.find((one) => one.name === table);
}

describe("storehouse dbt", () => {
  let text: string;
  let sources: Sources;
  beforeAll(async () => {
    text = await dbt();
    sources = Sources.parse(parse(text, { version: "1.1" }));
  });

  test("is what dbt's own schema allows", () => {
    expect(dbtProblems(parse(text, { version: "1.1" }))).toEqual([]);
    // what was written before dbt Core 1.10.5 is refused
    const old = {
      version: 2,
      sources: [
        { name: "a", tables: [{ name: "b", tags: ["c"], data_tests: [{ unique: { column_name: "d", values: [] } }] }] },
      ],
    };
    expect(dbtProblems(old)).toEqual([
      ".sources[0].tables[0].tags is nothing that a table has",
      ".sources[0].tables[0].data_tests[0].unique.values is nothing that a test has",
    ]);
  });

  test("names every table and view of core and mart with every column, as YAML that dbt takes", async () => {
    const { rows } = await stage.pool.query<{ name: string; columns: string[] }>(`
      select table_schema || '.' || table_name as name, array_agg(column_name::text order by ordinal_position) as columns
      from information_schema.columns where table_schema in ('core', 'mart') group by 1`);
    const reported = sources.sources.flatMap(({ schema, tables }) =>
      tables.map(({ name, columns }) => ({ name: `${schema}.${name}`, columns: columns.map((column) => column.name) })),
    );
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(reported.sort(byName)).toEqual(rows.sort(byName));
  });

  test("has the keys, the tables that they lead to, and the values that a column may have", () => {
    expect(tableIn(sources, "core.fact_keyword_rank")?.data_tests).toEqual([
      { unique: { arguments: { column_name: "(app_key, date_day, country_key, keyword_key, device_key)" } } },
    ]);
    const [key, store] = tableIn(sources, "core.dim_app")?.columns ?? [];
    expect([key?.data_tests, store?.data_tests]).toEqual([
      ["unique", "not_null"],
      [{ accepted_values: { arguments: { values: ["ios", "android"] } } }],
    ]);
    expect(tableIn(sources, "core.fact_keyword_rank")?.columns[3]?.data_tests).toEqual([
      "not_null",
      { relationships: { arguments: { to: "source('storehouse_core', 'dim_keyword')", field: "keyword_key" } } },
    ]);
    const device = tableIn(sources, "mart.keyword_rank_daily")?.columns.find(({ name }) => name === "device_code");
    expect(device?.data_tests).toEqual([
      "not_null",
      { accepted_values: { arguments: { values: ["ALL", "IPHONE", "IPAD"] } } },
    ]);
  });

  test("every test is a query that the database answers, and on an empty warehouse none finds anything", async () => {
    for (const { schema, tables } of sources.sources)
      for (const { name, data_tests = [], columns } of tables) {
        const all = [
          ...data_tests.map((one) => ["", one] as const),
          ...columns.flatMap((column) => (column.data_tests ?? []).map((one) => [column.name, one] as const)),
        ];
        // to plan a mart takes longest: of each kind of test one, and in the long run all
        const isAll = long || schema !== "mart";
        const tried = isAll ? all : [...new Map(all.map((each) => [kindOf(each[1]), each])).values()];
        for (const [column, one] of tried) {
          const { rows } = await stage.pool.query(asDbtAsks(`${schema}.${name}`, column, one));
          expect({ name, column, one, rows }).toEqual({ name, column, one, rows: [] });
        }
      }
  });

  test("freshness is checked on tables that get rows for new days, by the timing of the datasets that are switched on", async () => {
    expect(tableIn(sources, "core.fact_keyword_rank")?.config).toMatchObject({
      tags: ["keyword_rank"],
      loaded_at_field: "fetched_at",
      freshness: { warn_after: { count: 3, period: "day" }, error_after: { count: 8, period: "day" } },
    });
    expect(tableIn(sources, "core.dim_country")?.config?.freshness).toBeUndefined();
    expect(tableIn(sources, "core.tracked_keyword")?.config?.freshness).toBeUndefined();
    const other = Sources.parse(parse(await dbt([], { datasets: { keyword_rank: { on: false } } })));
    expect(tableIn(other, "core.fact_keyword_rank")?.config?.freshness).toBeUndefined();
    const packed = Sources.parse(parse(await dbt([], { datasets: { keyword_rank: { pack_days: 7 } } })));
    expect(tableIn(packed, "core.fact_keyword_rank")?.config?.freshness?.warn_after.count).toBe(9);
  });

  test("marts have their grain, their columns that are never null, and freshness by their newest day", () => {
    const ranks = tableIn(sources, "mart.keyword_rank_daily");
    expect(ranks?.data_tests).toEqual([
      { unique: { arguments: { column_name: "(store, track_id, country_code, keyword, device_code, date_day)" } } },
    ]);
    expect(ranks?.columns.filter(({ data_tests: tests = [] }) => tests.includes("not_null"))).toHaveLength(6);
    expect(ranks?.config).toMatchObject({
      tags: ["keyword_rank"],
      loaded_at_field: "date_day::timestamp",
      freshness: { warn_after: { count: 5, period: "day" }, error_after: { count: 10, period: "day" } },
    });
    expect(tableIn(sources, "mart.chart_movement_daily")?.config).toEqual({ tags: ["top_chart"] });
    expect(tableIn(sources, "mart.app_page_change")?.config?.freshness).toBeUndefined();
    const nullable = tableIn(sources, "mart.data_freshness")?.columns.find(({ name }) => name === "track_id");
    expect(nullable?.data_tests).toBeUndefined();
    const without = sources.sources
      .filter(({ schema }) => schema === "mart")
      .flatMap(({ tables }) => tables.filter(({ data_tests: tests = [] }) => tests.length === 0));
    expect(
      without.map(({ name }) => name),
      "keys are in src/postgres/mart-shapes.ts",
    ).toEqual([]);
  });

  test("says the same twice, printed or into a folder that it makes", async () => {
    const folder = path.join(stage.out, "models", "storehouse");
    expect(await dbt(["--out", folder])).toBe("");
    expect(await readFile(path.join(folder, "sources.yml"), "utf8")).toBe(text);
  });
});

test("words that mean something to YAML or to dbt's templates stay words", () => {
  const comments = [
    '"quoted": it\'s',
    "{{ secret }} and {% raw %} and {# gone #}",
    "no",
    "- a\n- b",
    "a: b # c",
    "12:30",
    "日本語 😀",
    "{plain}",
  ];
  const relation: Relation = {
    name: "core.odd",
    schema: "core",
    table: "odd",
    isView: false,
    comment: "yes",
    columns: comments.map((comment, index) => ({ name: `c${index}`, type: "text", comment, isNullable: true })),
    key: [],
    foreignKeys: [],
    checks: [],
  };
  const text = dbtSources({ relations: [relation], facts: new Map(), fixed: new Map() });
  const read = Sources.parse(parse(text, { version: "1.1" }));
  const reported = tableIn(read, "core.odd");
  // what dbt's templates make of a text in quotes
  const rendered = reported?.columns.map(({ description }) => description.replaceAll(/\{\{ '(.*?)' \}\}/g, "$1"));
  expect(rendered).toEqual(comments);
  expect(reported?.description).toBe("yes");
  for (const { description } of reported?.columns ?? [])
    expect(description.replaceAll(/\{\{ '..' \}\}/g, "")).not.toMatch(/\{[{%#]/);
});

/** Which of dbt's own tests it is. */
const kindOf = (one: z.output<typeof Test>) => (typeof one === "string" ? one : Object.keys(one)[0]);

/** The query of each of dbt's own tests: rows are failures. */
function asDbtAsks(table: string, column: string, one: z.output<typeof Test>): string {
  if (one === "not_null") return `select * from ${table} where ${column} is null`;
  if (one === "unique" || "unique" in one) {
    const by = one === "unique" ? column : one.unique.arguments.column_name;
    return `select ${by} as unique_field, count(*) as n from ${table} where ${by} is not null group by ${by} having count(*) > 1`;
  }
  if ("accepted_values" in one)
    return `select ${column} from ${table} where ${column} not in (${one.accepted_values.arguments.values.map((value) => `'${value}'`).join(", ")})`;
  const [, to] = /, '(\w+)'/.exec(one.relationships.arguments.to) ?? [];
  return `select c.${column} from ${table} as c left join core.${to} as p on c.${column} = p.${one.relationships.arguments.field} where c.${column} is not null and p.${one.relationships.arguments.field} is null`;
}
