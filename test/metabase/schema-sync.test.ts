import { expect, test } from "vitest";
import { openMetabaseStage } from "../support/metabase-stage.ts";

test("waits until Metabase has read the schema", async () => {
  await using stage = await openMetabaseStage();
  stage.metabase.state.slowSync = 8;
  expect((await stage.apply()).isComplete).toBe(true);
  expect(stage.said).toEqual([
    "Metabase is reading the schema; waiting up to 60 seconds.",
    expect.stringMatching(/^Describing \d+ tables and columns in Metabase\.$/),
  ]);
  expect(stage.slept()).toBeGreaterThanOrEqual(8000);
});

test("a schema that is not read in time stops before the dashboards, and the next run goes on from there", async () => {
  await using stage = await openMetabaseStage({ dashboards: ["reviews"] });
  stage.metabase.state.slowSync = 1000;
  await expect(stage.apply({ seconds: 20 })).rejects.toThrow(
    /^metabase_missing_table: Metabase did not find mart\.\w+ within 20 seconds; run the command again/,
  );
  expect(stage.metabase.state.dashboards.size).toBe(0);
  stage.metabase.state.slowSync = 0;
  expect((await stage.apply()).isComplete).toBe(true);
  expect(stage.metabase.state.databases.size).toBe(1);
});

test("a column of a later migration makes Metabase read the schema; where nothing is missing, it is not requested", async () => {
  await using stage = await openMetabaseStage();
  await stage.apply();
  await stage.warehouse.pool.query("alter table core.dim_country add column motto text");
  await stage.warehouse.pool.query("comment on column core.dim_country.motto is 'What it says of itself.'");
  const { changes } = await stage.apply();
  expect(changes).toEqual([
    { what: "schema", name: "Storehouse", action: "update", properties: ["core.dim_country.motto"] },
  ]);
  expect((await stage.apply()).changes).toEqual([]);
});

test("a table that no dashboard needs and that Metabase does not find is reported and stops nothing", async () => {
  await using stage = await openMetabaseStage();
  await stage.apply();
  const { state } = stage.metabase;
  state.tables = state.tables.filter(({ name }) => name !== "freshness");
  state.slowSync = 1000;
  expect((await stage.apply({ seconds: 3 })).isComplete).toBe(true);
  expect(stage.said.at(-1)).toBe("Metabase did not find 1 tables or columns, among them ops.freshness.");
});
