import { datasets } from "../../src/datasets/shared/all.ts";
import { planningSourcesOf } from "../../src/datasets/shared/define-dataset.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { openCatalogue, type SeenColumn, type SeenKey, type SeenTable } from "../support/bi-catalogue.ts";
import { columnRules, misnamed, type ColumnRule } from "../support/column-rules.ts";
import { forTests } from "../support/for-tests.ts";

const catalogue = forTests(openCatalogue);
let tables: readonly SeenTable[];
let columns: readonly SeenColumn[];

beforeAll(async () => {
  tables = await catalogue.tables();
  columns = await catalogue.columns();
});

const nameOf = ({ schema, table, name }: SeenColumn) => `${schema}.${table}.${name}`;

describe("what a driver's metadata calls report to a reader", () => {
  test("are the marts, the tables of core and the views of ops, and neither partitions nor bookkeeping", () => {
    expect(new Set(tables.map(({ schema }) => schema))).toEqual(new Set(["core", "mart", "ops"]));
    expect(tables.filter(({ schema, type }) => schema !== "core" && type !== "VIEW")).toEqual([]);
    expect(tables.filter(({ name }) => /_\d{4}_\d{2}$/.test(name))).toEqual([]);
    expect(tables.length).toBeGreaterThan(70);
  });

  test("have a remark for every table and every column", () => {
    expect(tables.filter(({ remarks }) => !remarks)).toEqual([]);
    expect(columns.filter(({ remarks }) => !remarks).map(nameOf)).toEqual([]);
    expect(columns.length).toBeGreaterThan(900);
  });

  test("say of each return on spend that it is revenue per unit of spend", () => {
    const returns = columns.filter(({ name }) => name.startsWith("goal_roas"));
    expect(returns.map(({ name }) => name)).toContain("goal_roas_7d");
    expect(
      returns.filter(({ remarks }) => !/^Revenue .* per unit of spend\.$/.test(remarks ?? "")).map(nameOf),
    ).toEqual([]);
  });

  test("are what Metabase finds readable, and a tool that hides nothing meets no partition in these schemas either", async () => {
    const named = (all: readonly Pick<SeenTable, "schema" | "name">[]) =>
      all.map(({ schema, name }) => `${schema}.${name}`).sort();
    expect(named(await catalogue.readable())).toEqual(named(tables));
    const leaves = await catalogue.query(
      "select distinct relnamespace::regnamespace::text as schema from pg_catalog.pg_class where relispartition and relkind = 'r'",
    );
    expect(leaves).toEqual([{ schema: "parts" }]);
  });

  test("name of each mart its grain and two questions", () => {
    const form = /^One row per [^?]+\. [^?]+\? [^?]+\?$/;
    const marts = tables.filter(({ schema }) => schema === "mart");
    expect(marts.length).toBeGreaterThan(20);
    expect(marts.filter(({ remarks }) => !form.test(remarks ?? "")).map(({ name }) => name)).toEqual([]);
  });

  test("say of each mart what may be added up", () => {
    const says = /\b(add(ed)? up|averaged?|counted)\b/i;
    const marts = tables.filter(({ schema }) => schema === "mart");
    expect(marts.filter(({ remarks }) => !says.test(remarks ?? "")).map(({ name }) => name)).toEqual([]);
  });

  test("hold a key of one column for each dimension, and for each of their keys in a fact the way to it", async () => {
    const own = Map.groupBy(await catalogue.primaryKeys(), ({ schema, table }: SeenKey) => `${schema}.${table}`);
    const dimensions = tables.filter(({ name }) => name.startsWith("dim_")).map(({ name }) => `core.${name}`);
    expect(dimensions.map((name) => own.get(name)?.map(({ column }) => column))).toEqual(
      dimensions.map((name) => [name === "core.dim_date" ? "date_day" : name.replace("core.dim_", "") + "_key"]),
    );
    const ways = new Map(
      (await catalogue.importedKeys()).map(({ schema, table, column, to }) => [`${schema}.${table}.${column}`, to]),
    );
    const keyed = columns.filter(
      ({ schema, table, name }) =>
        schema === "core" && !table.startsWith("dim_") && /^(app|country|keyword|device)_key$/.test(name),
    );
    expect(keyed.length).toBeGreaterThan(60);
    // a rank that names no app, and the halves of a match, are given as texts beside it
    const without = keyed.filter(
      (column) => ways.get(nameOf(column)) !== `core.dim_${column.name.replace("_key", "")}.${column.name}`,
    );
    expect(without.map(nameOf)).toEqual([]);
    const days = columns.filter(
      ({ schema, table, name }) => schema === "core" && table.startsWith("fact_") && name === "date_day",
    );
    expect(days.filter((column) => ways.get(nameOf(column)) !== "core.dim_date.date_day").map(nameOf)).toEqual([]);
  });

  test("return the same tables, columns and keys, imported ones as well, through information_schema", async () => {
    const walked = await catalogue.query(`
      select table_schema || '.' || table_name || '.' || column_name as name from information_schema.columns
      where  table_schema in ('core', 'mart', 'ops') order by table_schema, table_name, ordinal_position`);
    expect(new Set(walked.map(({ name }) => name))).toEqual(new Set(columns.map(nameOf)));
    expect(await catalogue.walkedKeys()).toEqual(await catalogue.importedKeys());
    const keys = await catalogue.query(`
      select k.table_name as name from information_schema.table_constraints as t
      join   information_schema.key_column_usage as k using (constraint_schema, constraint_name, table_schema, table_name)
      where  t.constraint_type = 'PRIMARY KEY' and k.table_schema = 'core' and k.table_name like 'dim\\_%' order by 1`);
    expect(keys.map(({ name }) => name)).toEqual(["dim_app", "dim_country", "dim_date", "dim_device", "dim_keyword"]);
  });

  test.each([
    "raw.answer",
    "ops.request",
    "ops.slice",
    "ops.credit_account",
    "ops.restated_value",
    "graphile_worker.jobs",
  ])("%s is closed", async (name) => {
    await expect(catalogue.query(`select * from ${name} limit 1`)).rejects.toThrow(/permission denied/);
  });

  test("former values are read through ops.reported_at, of tables of core alone", async () => {
    const reported = (name: string) => catalogue.query(`select * from ops.reported_at('${name}', now())`);
    expect(await reported("core.fact_search_ads_report")).toEqual([]);
    await expect(reported("ops.credit_account")).rejects.toThrow(/permission denied|is no table of core/);
    await expect(reported("pg_catalog.pg_authid")).rejects.toThrow(/is no table of core/);
  });

  test("the shape of reports is closed but for a view, since readers see plans", async () => {
    expect(tables.filter(({ name }) => name === "search_ads_report_shape")).toEqual([]);
    await expect(catalogue.query("select * from ops.search_ads_report_shape")).rejects.toThrow(/permission denied/);
  });

  test("a reader can read all that plans are made from", async () => {
    const sources = datasets.flatMap(planningSourcesOf);
    expect(sources.map(({ name }) => name)).toContain("search_ads_report_week");
    for (const { table, view = table.name } of sources)
      await expect(catalogue.query(`select * from ${view} limit 0`)).resolves.toEqual([]);
  });

  test("every mart and every view of ops answers", async () => {
    const views = tables.filter(({ type }) => type === "VIEW").map(({ schema, name }) => `${schema}.${name}`);
    expect(views.length).toBeGreaterThan(60);
    for (const view of views)
      expect([view, await catalogue.query(`select * from ${view} limit 1`)]).toEqual([view, []]);
  });
});

const measures =
  /(_count|_share|_sum|_score|_rank|_rating|_revenue|_spend|_volume|_popularity|_bid|_rate|^spend|^rating|^chance|^days_back|^days_behind|^places_(gained|ahead)|^change_number|^card_number|^return_on_spend)$|^(before_|after_)?cost_per_/;

/** What names promise of values in marts, beside what they promise everywhere. */
const martRules: readonly ColumnRule[] = [
  { says: "a mart holds no JSON and no lists", holds: ({ type }) => !/json|\[\]|record|uuid/.test(type) },
  { says: "a mart spells keys out", holds: ({ name }) => !name.endsWith("_key") },
  {
    says: "a figure of a mart is called by what it is, ..._count, ..._share, ..._revenue (`measures` in test/mart/catalogue.test.ts)",
    holds: ({ name, type }) =>
      !["smallint", "integer", "bigint", "numeric", "double precision"].includes(type) || measures.test(name),
  },
  {
    says: "a mart calls a country country_code, an app app_name and a store id track_id",
    holds: ({ name }) => !/^(country|app|app_id|store_id|day|date)$/.test(name),
  },
];

test.each([
  ["core and mart", columnRules, ["core", "mart"]],
  ["mart", martRules, ["mart"]],
])("names of columns of %s say what their values are", (_, rules, schemas) => {
  const broken = columns
    .filter(({ schema }) => schemas.includes(schema))
    .flatMap((column) => misnamed(`${column.schema}.${column.table}`, [column], rules));
  expect(broken).toEqual([]);
});
