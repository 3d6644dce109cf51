import { beforeAll, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { readPlanningSource, type PlanningSource } from "../../src/load/planning-sources.ts";
import { defineTable } from "../../src/load/table.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const organisation = defineTable({
  name: "core.some_integration",
  columns: { org_id: "text", currency: "text" },
  key: ["org_id"],
  load: { kind: "history", scope: [], versioned: ["currency"] },
  partitioned: false,
});
const release = defineTable({
  name: "core.some_release",
  columns: { app_key: "app", country_key: "country", released_at: "timestamp" },
  key: ["app_key", "country_key", "released_at"],
  load: { kind: "upsert" },
  partitioned: false,
});

const house = defineTable({
  name: "core.some_house",
  columns: { house: "text", street: "text", city: "text" },
  key: ["house"],
  load: { kind: "upsert" },
  partitioned: false,
});

const building = defineTable({
  name: "core.some_building",
  columns: { house: "text", street: "text", built_on: "day" },
  key: ["house"],
  load: { kind: "upsert" },
  partitioned: false,
});

const rivalry = defineTable({
  name: "core.some_rivalry",
  columns: { app_key: "app", competitor_app_key: "app" },
  key: ["app_key", "competitor_app_key"],
  load: { kind: "upsert" },
  partitioned: false,
});

const stage = forTests(openWarehouseStage);
beforeAll(async () => {
  await stage.create(organisation);
  await stage.create(release);
  await stage.create(house);
  await stage.create(rivalry);
  await stage.create(building);
});

const found = (source: Omit<PlanningSource, "name">) =>
  readPlanningSource(stage.db, { name: "some", ...source }, { account: "", today: day("2026-08-31") });

test("members of a history are found as long as they are current, each once", async () => {
  const rows = ["9", "10", "7"].map((org_id) => ({ org_id, currency: "USD" }));
  await stage.load({ table: organisation, rows });
  expect(await found({ table: organisation, columns: ["org_id"] })).toEqual([
    { org_id: "10" },
    { org_id: "7" },
    { org_id: "9" },
  ]);
  expect(await found({ table: organisation, columns: ["currency"] })).toEqual([{ currency: "USD" }]);
  await stage.load({ table: organisation, rows: rows.slice(1), day: day("2026-08-02"), at: 2_000, sliceId: "2" });
  expect(await found({ table: organisation, columns: ["org_id"] })).toEqual([{ org_id: "10" }, { org_id: "7" }]);
});

test("apps and countries are returned in the words of a scope, with the newest value of a column", async () => {
  const rows = [
    { app_key: "ios:1", country_key: "US", released_at: "2026-08-01T10:00:00" },
    { app_key: "ios:1", country_key: "US", released_at: "2026-07-01T10:00:00" },
    { app_key: "android:a.b", country_key: "JP", released_at: "2026-06-01T10:00:00" },
  ];
  await stage.load({ table: release, rows });
  expect(await found({ table: release, columns: ["app_key", "country_key"], newest: "released_at" })).toEqual([
    { store: "android", app: "a.b", country: "JP", released_at: "2026-06-01 10:00:00" },
    { store: "ios", app: "1", country: "US", released_at: "2026-08-01 10:00:00" },
  ]);
});

test("a further app is returned under names of its own", async () => {
  await stage.load({ table: rivalry, rows: [{ app_key: "ios:1", competitor_app_key: "android:a.b" }] });
  expect(await found({ table: rivalry, columns: ["app_key", "competitor_app_key"] })).toEqual([
    { store: "ios", app: "1", competitor_store: "android", competitor_app: "a.b" },
  ]);
});

test("a member lacks what it may lack, and is none without what it needs", async () => {
  const rows = [
    { house: "a", street: "x", city: null },
    { house: "b", street: null, city: "y" },
  ];
  await stage.load({ table: house, rows });
  expect(await found({ table: house, columns: ["house", "street"], maybe: ["city"] })).toEqual([
    { house: "a", street: "x", city: "" },
  ]);
});

test("members that are read from recent rows alone leave once their last row is older", async () => {
  const rows = [
    { house: "old", street: "x", built_on: "2026-06-29" },
    { house: "young", street: "x", built_on: "2026-06-30" },
  ];
  await stage.load({ table: building, rows });
  const recent = { column: "built_on", days: 62 };
  expect(await found({ table: building, columns: ["house"], recent })).toEqual([{ house: "young" }]);
  expect(await found({ table: building, columns: ["house"] })).toHaveLength(2);
});
