import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { openExportStage, type ExportStage } from "../support/export-stage.ts";

let stage: ExportStage;
beforeEach(async () => {
  stage = await openExportStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

const typesOf = async (table: string) =>
  Object.fromEntries(
    await stage.read(`select column_name, column_type from (describe select * from 'OUT/mart/${table}/*.parquet')`),
  );

test("amounts are decimals and counts are whole numbers, as long as that holds every value", async () => {
  await stage.pool.query(`
    create table mart.spent (id integer primary key, spend numeric, tap_count numeric, goal_count numeric, share numeric, odd numeric);
    insert into mart.spent values
      (1, 12345678901234567.01, 9007199254740993, 1, 0.5, 'NaN'), (2, 0.000000000000000001, 2.0, 0.25, 1::numeric / 3, 1), (3, null, null, null, null, null);
    create view mart.spent_sum as select 1 as n, sum(big) as tap_count from (values (9007199254740993::bigint)) as v (big)`);
  await stage.export(["mart.spent", "mart.spent_sum"]);
  expect(await typesOf("spent")).toEqual({
    id: "INTEGER",
    spend: "DECIMAL(38,18)",
    tap_count: "BIGINT",
    goal_count: "DECIMAL(38,18)",
    // twenty digits behind the point
    share: "DOUBLE",
    odd: "DOUBLE",
  });
  expect(await typesOf("spent_sum")).toMatchObject({ tap_count: "BIGINT" });
  const read = await stage.read(
    "select cast(spend as varchar), cast(tap_count as varchar) from 'OUT/mart/spent/*.parquet' order by id",
  );
  expect(read).toEqual([
    ["12345678901234567.010000000000000000", "9007199254740993"],
    ["0.000000000000000001", "2"],
    [null, null],
  ]);
  const { columns } = await stage.manifest("mart.spent");
  expect(columns[1]).toMatchObject({ name: "spend", type: "DECIMAL(38,18)", postgres: "numeric" });
});

test("engines that read the folder find rows only: all other names begin with a line", async () => {
  await stage.ranks("2026-05-03", 2);
  await stage.export(["core.fact_keyword_rank"]);
  const names = await readdir(path.join(stage.out, "core"), { recursive: true, withFileTypes: true });
  const files = names.filter((one) => one.isFile()).map(({ name }) => name.replace(/[\da-f]{16}/, "X"));
  expect(files.sort()).toEqual(["_manifest.json", "rows-X.parquet"]);
});

test("CSV has a heading, and every value as Postgres writes it; null is empty, an empty text is not", async () => {
  await stage.pool.query(`
    create table mart.written (id integer primary key, date_day date, words text, tags text[], spend numeric, is_so boolean);
    insert into mart.written values (1, '2026-05-03', E'a "b", c\\nd', '{x,"y,z"}', 1.50, true), (2, '2026-05-04', null, null, null, null), (3, '2026-06-01', '', '{}', 0, false)`);
  const exported = () => stage.export(["mart.written"], {}, undefined, "csv");
  expect(await exported()).toMatchObject([{ written: 2, rows: 3 }]);
  const { files, file_format: format } = await stage.manifest("mart.written");
  expect(format).toBe("csv");
  const texts = await Promise.all(
    files.map((file) => readFile(path.join(stage.out, "mart/written", file.path), "utf8")),
  );
  expect(texts).toEqual([
    'id,date_day,words,tags,spend,is_so\n1,2026-05-03,"a ""b"", c\nd","[""x"",""y,z""]",1.50,true\n2,2026-05-04,,,,\n',
    'id,date_day,words,tags,spend,is_so\n3,2026-06-01,"",[],0,false\n',
  ]);
  expect(await exported()).toMatchObject([{ written: 0, unchanged: 2 }]);
  await stage.pool.query("update mart.written set words = 'new' where id = 3");
  expect(await exported()).toMatchObject([{ written: 1, unchanged: 1 }]);
});

test("a folder keeps one format, and the command takes --format", async () => {
  const behind = { databaseUrl: stage.url, sandbox: { url: "http://127.0.0.1:1", token: "none" } };
  const run = async (format: string) => {
    return runCommand(behind, ["export", "--table", "dim_device", "--out", stage.out, "--format", format]);
  };
  expect(await run("csv")).toMatchObject({ code: 0 });
  const [file] = (await stage.manifest("core.dim_device")).files;
  expect(file?.path).toMatch(/^rows-[\da-f]{16}\.csv$/);
  const refused = await run("parquet");
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toMatch(/holds an export as csv/);
  expect((await stage.manifest("core.dim_device")).files).toEqual([file]);
});
