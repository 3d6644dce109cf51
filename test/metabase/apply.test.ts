import { expect, test } from "vitest";
import { openMetabaseStage } from "../support/metabase-stage.ts";

test("a new Metabase gets its administrator, the database, descriptions and the collection; a second run changes nothing, nor does one after the database was renamed", async () => {
  await using stage = await openMetabaseStage({ isSetUp: false, dashboards: ["keyword-performance"] });
  const { metabase } = stage;
  const first = await stage.apply();
  expect(first.isComplete).toBe(true);
  expect(metabase.state.admin?.email).toBe("admin@example.com");
  expect([...metabase.state.databases.values()].map(({ name }) => name)).toEqual(["Storehouse"]);
  expect([...metabase.state.dashboards.values()].map(({ name }) => name)).toContain("Keyword performance");
  metabase.forgetWrites();
  const second = await stage.apply();
  expect(second.changes).toEqual([]);
  expect(metabase.writes()).toEqual([]);
  expect(metabase.state.sessions.size).toBe(0);
  // it is found by its address
  const { databases } = metabase.state;
  for (const one of databases.values()) one.name = "Warehouse of apps";
  expect((await stage.apply()).changes).toEqual([]);
  expect(databases.size).toBe(1);
});
