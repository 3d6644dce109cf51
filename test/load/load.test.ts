import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defineTable } from "../../src/load/table.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const score = defineTable({
  name: "core.fact_score",
  columns: { app_key: "app", country_key: "country", score: "number", note: "text" },
  key: ["app_key", "country_key"],
  load: { kind: "upsert" },
  partitioned: false,
});

/** A table whose rows are nothing but their key. */
const member = defineTable({
  name: "core.fact_member",
  columns: { keyword_key: "keyword", device_key: "device" },
  key: ["keyword_key", "device_key"],
  load: { kind: "upsert" },
  partitioned: false,
});

function row(country: string, value: number | null, note: string | null = null) {
  return { app_key: "ios:1", country_key: country, score: value, note };
}

describe("an upsert", () => {
  const stage = forTests(openWarehouseStage);
  const scores = () =>
    stage.rows(score, "country_key, score::text, note, slice_id::int, extract(epoch from fetched_at)::int as at");

  beforeAll(async () => {
    await stage.create(score);
    await stage.create(member);
  });

  beforeEach(async () => {
    await stage.empty(score, member);
    await stage.load({ table: score, rows: [row("US", 1, "a"), row("DE", 2)], sliceId: "1", at: 1_000_000 });
  });

  test("writes new rows with the slice and the moment that imported them", async () => {
    expect(await scores()).toEqual([
      { country_key: 276, score: "2", note: null, slice_id: 1, at: 1000 },
      { country_key: 840, score: "1", note: "a", slice_id: 1, at: 1000 },
    ]);
  });

  test("writes changed rows and new ones, and leaves the others alone", async () => {
    const before = await stage.versions(score);
    await stage.load({
      table: score,
      rows: [row("US", 1, "a"), row("DE", 3), row("JP", 4)],
      sliceId: "2",
      at: 2_000_000,
    });
    expect(await scores()).toEqual([
      { country_key: 276, score: "3", note: null, slice_id: 2, at: 2000 },
      { country_key: 392, score: "4", note: null, slice_id: 2, at: 2000 },
      { country_key: 840, score: "1", note: "a", slice_id: 1, at: 1000 },
    ]);
    const [german, american] = before;
    expect(await stage.versions(score)).toContainEqual(american);
    expect(await stage.versions(score)).not.toContainEqual(german);
  });

  test("writes nothing when the same rows come again", async () => {
    const before = await stage.versions(score);
    await stage.load({ table: score, rows: [row("DE", 2), row("US", 1, "a")], sliceId: "2", at: 2_000_000 });
    expect(await stage.versions(score)).toEqual(before);
  });

  test("takes a value that became null, and one that was null", async () => {
    await stage.load({ table: score, rows: [row("US", null, null), row("DE", 2, "")], at: 2_000_000 });
    expect((await scores()).map(({ score: value, note }) => [value, note])).toEqual([
      ["2", ""],
      [null, null],
    ]);
  });

  test("lets no older answer win that arrives late, and adds what only the older one knew", async () => {
    await stage.load({ table: score, rows: [row("US", 9, "late"), row("JP", 9)], sliceId: "2", at: 999_999 });
    expect((await scores()).map(({ score: value, slice_id }) => [value, slice_id])).toEqual([
      ["2", 1],
      ["9", 2],
      ["1", 1],
    ]);
  });

  test("takes the later of two answers of the same moment", async () => {
    await stage.load({ table: score, rows: [row("US", 9)], sliceId: "2", at: 1_000_000 });
    expect((await scores())[1]).toMatchObject({ score: "9", slice_id: 2 });
  });

  test("removes nothing when an answer is empty or names fewer rows", async () => {
    await stage.load({ table: score, rows: [], at: 2_000_000 });
    await stage.load({ table: score, rows: [row("US", 1, "a")], at: 2_000_000 });
    expect(await scores()).toHaveLength(2);
  });

  test("keeps rows that are nothing but their key", async () => {
    const rows = [
      { keyword_key: "b", device_key: "IPAD" },
      { keyword_key: "a", device_key: "ALL" },
    ];
    await stage.load({ table: member, rows });
    const before = await stage.versions(member);
    await stage.load({ table: member, rows, at: 2_000 });
    expect(before).toHaveLength(2);
    expect(await stage.versions(member)).toEqual(before);
  });

  test("writes nothing of a load that cannot be written whole", async () => {
    const before = await scores();
    await expect(
      stage.load({ table: score, rows: [row("JP", 5), row("US", 5), row("US", 6)], at: 2_000_000 }),
    ).rejects.toThrow(/second time/);
    expect(await scores()).toEqual(before);
  });
});
