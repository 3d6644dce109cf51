import { expect, test } from "vitest";
import { openMetabaseStage } from "../support/metabase-stage.ts";

// one stage: to describe all tables and columns costs more than all that is asserted
test("a schema that is not read in time stops before the dashboards, and the next run waits for it and goes on; later it is read where a column or a table is missing, and only there", async () => {
  await using stage = await openMetabaseStage({ dashboards: ["reviews"] });
  const { state } = stage.metabase;
  state.slowSync = 1000;
  await expect(stage.apply({ seconds: 20 })).rejects.toThrow(
    /^metabase_missing_table: Metabase did not find mart\.\w+ within 20 seconds; run the command again/,
  );
  expect(state.dashboards.size).toBe(0);

  state.slowSync = 8;
  const [said, slept] = [stage.said.length, stage.slept()];
  expect((await stage.apply()).isComplete).toBe(true);
  expect(state.databases.size).toBe(1);
  expect(stage.said.slice(said)).toEqual([
    "Metabase is reading the schema; waiting up to 60 seconds.",
    expect.stringMatching(/^Describing \d+ tables and columns in Metabase\.$/),
  ]);
  expect(stage.slept() - slept).toBeGreaterThanOrEqual(8000);

  // of a later migration
  state.slowSync = 0;
  await stage.warehouse.pool.query("alter table core.dim_country add column motto text");
  await stage.warehouse.pool.query("comment on column core.dim_country.motto is 'What it says of itself.'");
  expect((await stage.apply()).changes).toEqual([
    { what: "schema", name: "Storehouse", action: "update", properties: ["core.dim_country.motto"] },
  ]);
  expect((await stage.apply()).changes).toEqual([]);

  // one that no dashboard needs is reported and stops nothing
  state.tables = state.tables.filter(({ name }) => name !== "freshness");
  state.slowSync = 1000;
  expect((await stage.apply({ seconds: 3 })).isComplete).toBe(true);
  expect(stage.said.at(-1)).toBe("Metabase did not find 1 tables or columns, among them ops.freshness.");
});
