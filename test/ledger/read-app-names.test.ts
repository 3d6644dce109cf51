import { expect, test } from "vitest";
import { readAppNames } from "../../src/ledger/read-app-names.ts";
import { forTests } from "../support/for-tests.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";

const stage = forTests(() => openWarehouseStage(1));

test("names of apps are those of the apps that are shown, of every other app that was ever seen none", async () => {
  await stage.pool.query(
    `insert into core.dim_app (store, track_id, app_name)
     values ('ios', '1', 'Ours'), ('android', 'com.ours', 'Ours too'), ('ios', '2', null), ('ios', '3', 'Theirs')`,
  );
  const apps = [
    { store: "ios", trackId: "1" },
    { store: "ios", trackId: "1" },
    { store: "android", trackId: "com.ours" },
    { store: "ios", trackId: "2" },
    { store: "ios", trackId: null },
    { store: null, trackId: null },
  ];
  expect([...(await readAppNames(stage.db, apps))].toSorted()).toEqual([
    ["android:com.ours", "Ours too"],
    ["ios:1", "Ours"],
  ]);
  expect((await readAppNames(stage.db, [])).size).toBe(0);
});
