import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { clearTable } from "../../src/load/clear.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { prepareLoad, runLoads } from "../../src/load/load.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { defineTable, extraOf, jsonOf } from "../../src/load/table.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const thing = {
  name: "core.some_thing",
  columns: { thing_id: "int", reported_by: "text", label: "text" },
  key: ["thing_id"],
  load: { kind: "upsert", ranked: { column: "reported_by", sources: ["hearsay", "list", "page"] } },
  partitioned: false,
} as const;
const ofList = defineTable({ ...thing, owned: { reported_by: ["hearsay", "list"] } });
const ofPage = defineTable({ ...thing, owned: { reported_by: ["page"] } });

const pair = defineTable({
  name: "core.some_pair",
  columns: { one: "text", other: "text" },
  key: ["one", "other"],
  load: { kind: "upsert" },
  partitioned: false,
});

const loose = defineTable({
  name: "core.some_loose",
  columns: { row_id: "int", at: "timestamptz", day: "date", extra: "json" },
  key: ["row_id"],
  load: { kind: "upsert" },
  partitioned: false,
});

const stage = forTests(openWarehouseStage);
beforeAll(async () => {
  for (const table of [ofList, pair, loose]) await stage.create(table);
});
beforeEach(() => stage.empty(ofList, pair, loose));

describe("a table that two datasets write", () => {
  const fromList = { thing_id: 1, reported_by: "list", label: "of the list" };
  const fromPage = { thing_id: 1, reported_by: "page", label: "of the page" };

  test("keeps what the better source reported, however late the other comes", async () => {
    await stage.load({ table: ofList, rows: [fromList] });
    await stage.load({ table: ofPage, rows: [fromPage], at: 2_000 });
    await stage.load({ table: ofList, rows: [fromList], at: 3_000 });
    expect(await stage.rows(ofList, "thing_id, label")).toEqual([{ thing_id: 1, label: "of the page" }]);
  });

  test("takes the better source's word whenever that comes, and of one source the later", async () => {
    const rumour = { thing_id: 1, reported_by: "hearsay", label: "rumour" };
    const words = [
      { table: ofList, rows: [rumour], at: 3_000 },
      { table: ofPage, rows: [fromPage], at: 1_000 },
      { table: ofPage, rows: [{ ...fromPage, label: "of the newer page" }], at: 2_000 },
      { table: ofList, rows: [fromList], at: 4_000 },
    ];
    for (const order of [words, words.toReversed()]) {
      await stage.empty(ofList);
      for (const word of order) await stage.load(word);
      expect(await stage.rows(ofList, "thing_id, label")).toEqual([{ thing_id: 1, label: "of the newer page" }]);
    }
  });

  test("takes it as well where both come together", async () => {
    const whole = { table: ofList, day: day("2026-08-01"), scope: {}, complete: true };
    const rumour = { ...fromList, reported_by: "hearsay", label: "rumour later" };
    const loads = [
      { ...whole, rows: [fromList], fetchedAt: 1_000, sliceId: "1" },
      { ...whole, rows: [rumour], fetchedAt: 2_000, sliceId: "2" },
    ];
    const dimensions = createDimensions(stage.db);
    const ready = await Promise.all(loads.map((load) => prepareLoad(load, dimensions, createPartitions(stage.db))));
    await stage.db.transaction().execute((transaction) => runLoads(transaction, ready, dimensions));
    expect(await stage.rows(ofList, "thing_id, label")).toEqual([{ thing_id: 1, label: "of the list" }]);
  });

  test("still takes the other where the better one reported nothing", async () => {
    await stage.load({ table: ofList, rows: [fromList] });
    await stage.load({ table: ofList, rows: [{ ...fromList, label: "renamed" }], at: 2_000 });
    expect(await stage.rows(ofList, "thing_id, label")).toEqual([{ thing_id: 1, label: "renamed" }]);
  });

  test("is emptied of the rows of one of them when that is rebuilt", async () => {
    await stage.load({ table: ofList, rows: [{ ...fromList, thing_id: 2 }] });
    await stage.load({ table: ofPage, rows: [fromPage] });
    await clearTable(stage.db, ofList, { within: {}, keepPruned: false });
    expect(await stage.rows(ofList, "thing_id, reported_by")).toEqual([{ thing_id: 1, reported_by: "page" }]);
  });
});

test("a row that is nothing but its key belongs to the answer that came first, whichever is loaded first", async () => {
  const rows = [{ one: "a", other: "b" }];
  for (const order of [
    [1_000, 2_000],
    [2_000, 1_000],
  ]) {
    await stage.empty(pair);
    for (const at of order) await stage.load({ table: pair, rows, at, sliceId: String(at) });
    expect(await stage.rows(pair, "one, slice_id::text")).toEqual([{ one: "a", slice_id: "1000" }]);
  }
});

test("JSON, instants and dates come back as they went in, and unchanged ones are not written", async () => {
  const item = { name: 'a "b" \\ {c,d}', list: [1, null, "é😀"], none: null };
  const rows = [
    { row_id: 1, at: "2026-08-02T00:45:18.123Z", day: "2026-08-02", extra: jsonOf(item) },
    { row_id: 2, at: null, day: null, extra: null },
  ];
  await stage.load({ table: loose, rows });
  expect(await stage.rows(loose, "row_id, extra, at at time zone 'UTC' = '2026-08-02 00:45:18.123' as same")).toEqual([
    { row_id: 1, extra: item, same: true },
    { row_id: 2, extra: null, same: null },
  ]);
  const before = await stage.versions(loose);
  const reordered = jsonOf(Object.fromEntries(Object.entries(item).toReversed()));
  await stage.load({ table: loose, rows: rows.slice(0, 1).map((row) => ({ ...row, extra: reordered })), at: 2_000 });
  expect(await stage.versions(loose)).toEqual(before);
});

test("what of an item has no column is kept, and nothing is made of nothing", () => {
  expect(extraOf({ id: 1, newField: { a: [1] }, gone: null }, ["id"])).toBe('{"newField":{"a":[1]}}');
  expect(extraOf({ id: 1, gone: null, left: undefined }, ["id"])).toBeNull();
});
