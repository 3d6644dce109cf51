import { sql } from "../../src/postgres/sql.ts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { defineTable, type Table } from "../../src/load/table.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const columns = { org_id: "text", date_day: "day", campaign_id: "text", spend: "number", name: "text" } as const;
const key = ["org_id", "date_day", "campaign_id"] as const;

/** Spend that is replaced as a whole, spend that is replaced row by row, and spend whose past nobody wants. */
const replaced = defineTable({
  name: "core.fact_spend",
  columns,
  key,
  load: { kind: "replace", scope: ["org_id", "date_day"] },
  partitioned: false,
  restated: true,
});
/** Spend that two sources report. */
const sourced = defineTable({
  ...replaced,
  name: "core.fact_reported_spend",
  columns: { ...columns, source: "text" },
  load: { kind: "replace", scope: ["org_id", "date_day"], source: "source" },
});
const upserted = defineTable({ ...replaced, name: "core.fact_cost", load: { kind: "upsert" } });
const forgotten = defineTable({
  name: "core.fact_price",
  columns,
  key,
  load: { kind: "upsert" },
  partitioned: false,
});

const row = (campaign: string, spend: number, name = "a", date = "2026-08-01") => ({
  org_id: "7",
  date_day: date,
  campaign_id: campaign,
  spend,
  name,
});
const scope = { org_id: "7", date_day: "2026-08-01" };
const until = day("2026-08-03");

const stage = forTests(openWarehouseStage);

beforeAll(async () => {
  for (const table of [replaced, sourced, upserted, forgotten]) await stage.create(table);
});
beforeEach(async () => {
  await stage.empty(replaced, sourced, upserted, forgotten);
  await sql`truncate ops.restated_value`.execute(stage.db);
});

const load = (table: Table, at: number, rows: object[], complete: boolean | "cut" = true) =>
  stage.load({
    table,
    rows: rows as never,
    scope,
    until,
    at: at * 1000,
    sliceId: String(at),
    complete: complete === true,
    isCut: complete === "cut",
  });

async function noted() {
  const { rows } = await sql<Record<string, unknown>>`
    select table_name, row_key ->> 'campaign_id' as campaign, date_day::text, extract(epoch from seen_at)::int as seen,
           extract(epoch from changed_at)::int as changed, slice_id::int, was, became
    from   ops.restated_value order by changed_at, campaign`.execute(stage.db);
  return rows;
}

/** Campaigns with their spend as they stood at a moment, `2 b: 3`. */
async function reportedAt(name: string, at: number): Promise<string[]> {
  const { rows } = await sql<{ reported: string }>`
    select concat(r ->> 'campaign_id', ' ', r ->> 'name', ': ', r ->> 'spend') as reported
    from   ops.reported_at(${name}::regclass, to_timestamp(${at})) as r order by 1`.execute(stage.db);
  return rows.map(({ reported }) => reported);
}

describe.each([
  ["replaced as a whole", replaced],
  ["replaced row by row", upserted],
] as const)("of a fact that is %s", (_, table) => {
  test("what changed is kept with what it was and became, and nothing else is written", async () => {
    await load(table, 1, [row("1", 10), row("2", 20)]);
    expect(await noted()).toEqual([]);
    await load(table, 2, [row("1", 10), row("2", 25), row("3", 30)]);
    const entry = { table_name: table.name, campaign: "2", date_day: "2026-08-01", seen: 1, changed: 2, slice_id: 2 };
    expect(await noted()).toEqual([{ ...entry, was: { spend: 20 }, became: { spend: 25 } }]);
    await load(table, 3, [row("1", 10), row("2", 25), row("3", 30)]);
    expect(await noted()).toHaveLength(1);
  });

  test("an answer that comes too late restates nothing", async () => {
    await load(table, 2, [row("1", 10)]);
    await load(table, 1, [row("1", 9)]);
    expect(await noted()).toEqual([]);
  });

  test("a query returns what was reported when", async () => {
    await load(table, 1, [row("1", 10, "a"), row("2", 20)]);
    await load(table, 3, [row("1", 11, "b"), row("2", 20)]);
    await load(table, 5, [row("1", 12, "b"), row("2", 20), row("3", 30)]);
    expect(await reportedAt(table.name, 0)).toEqual([]);
    expect(await reportedAt(table.name, 2)).toEqual(["1 a: 10", "2 a: 20"]);
    expect(await reportedAt(table.name, 4)).toEqual(["1 b: 11", "2 a: 20"]);
    expect(await reportedAt(table.name, 6)).toEqual(["1 b: 12", "2 a: 20", "3 a: 30"]);
  });
});

describe("a row that an answer no longer reports", () => {
  test("is kept whole, and was reported until then, also where it comes back", async () => {
    await load(replaced, 1, [row("1", 10), row("2", 20), row("9", 90, "a", "2026-08-02")]);
    await load(replaced, 3, [row("1", 10), row("9", 90, "a", "2026-08-02")]);
    expect(await noted()).toMatchObject([{ campaign: "2", was: { name: "a", spend: 20 }, became: null }]);
    await load(replaced, 5, [row("1", 10), row("2", 22, "b"), row("9", 90, "a", "2026-08-02")]);
    expect(await noted()).toHaveLength(1);
    expect(await reportedAt(replaced.name, 2)).toEqual(["1 a: 10", "2 a: 20", "9 a: 90"]);
    expect(await reportedAt(replaced.name, 4)).toEqual(["1 a: 10", "9 a: 90"]);
    expect(await reportedAt(replaced.name, 6)).toEqual(["1 a: 10", "2 b: 22", "9 a: 90"]);
  });

  test("stays where the answer reports nothing of the scope, and goes where it reports another day alone", async () => {
    await load(replaced, 1, [row("1", 10), row("9", 90, "a", "2026-08-02")]);
    await load(replaced, 3, []);
    expect(await noted()).toEqual([]);
    expect(await reportedAt(replaced.name, 4)).toEqual(["1 a: 10", "9 a: 90"]);
    await load(replaced, 4, [{ ...row("1", 10), org_id: "8" }]);
    expect(await reportedAt(replaced.name, 5)).toEqual(["1 a: 10", "1 a: 10", "9 a: 90"]);
    await load(replaced, 5, [row("9", 90, "a", "2026-08-02")]);
    expect((await noted()).map(({ campaign }) => campaign)).toEqual(["1"]);
  });

  test("goes where another source reports its day, whole or not, and stays on other days", async () => {
    const by = (source: string, ...rows: object[]) => rows.map((one) => ({ ...one, source }));
    await load(sourced, 1, by("daily", row("1", 10), row("2", 20), row("9", 90, "a", "2026-08-02")));
    await load(sourced, 3, by("report", row("1", 10), row("3", 20)), false);
    expect(await reportedAt(sourced.name, 4)).toEqual(["1 a: 10", "3 a: 20", "9 a: 90"]);
    expect(await reportedAt(sourced.name, 2)).toEqual(["1 a: 10", "2 a: 20", "9 a: 90"]);
    await load(sourced, 5, by("report", row("4", 5)), "cut");
    expect(await reportedAt(sourced.name, 6)).toEqual(["1 a: 10", "3 a: 20", "4 a: 5", "9 a: 90"]);
    await load(sourced, 2, by("daily", row("2", 21)), false);
    expect(await reportedAt(sourced.name, 6)).toEqual(["1 a: 10", "3 a: 20", "4 a: 5", "9 a: 90"]);
  });

  test("goes where another source reports its day though its own is unknown", async () => {
    await load(sourced, 1, [row("1", 10), row("2", 20)]);
    await load(sourced, 3, [{ ...row("1", 10), source: "report" }], "cut");
    expect(await reportedAt(sourced.name, 4)).toEqual(["1 a: 10"]);
  });

  test("stays where pages of the answer were not read", async () => {
    await load(replaced, 1, [row("1", 10), row("2", 20)]);
    await load(replaced, 3, [row("1", 11)], "cut");
    expect((await noted()).map(({ campaign }) => campaign)).toEqual(["1"]);
    expect(await reportedAt(replaced.name, 4)).toEqual(["1 a: 11", "2 a: 20"]);
  });

  test("goes from a day that an answer with invalid items reports, is kept as it was, and stays on other days", async () => {
    await load(replaced, 1, [row("1", 10), row("2", 20), row("9", 90, "a", "2026-08-02")]);
    await load(replaced, 3, [row("1", 11)], false);
    expect((await noted()).map(({ campaign }) => campaign)).toEqual(["1", "2"]);
    expect(await reportedAt(replaced.name, 2)).toEqual(["1 a: 10", "2 a: 20", "9 a: 90"]);
    expect(await reportedAt(replaced.name, 4)).toEqual(["1 a: 11", "9 a: 90"]);
  });
});

test("a fact that does not say so keeps no past", async () => {
  await load(forgotten, 1, [row("1", 10)]);
  await load(forgotten, 2, [row("1", 11)]);
  expect(await noted()).toEqual([]);
});

test("an older answer about more days is taken where there is no younger one, and nowhere else", async () => {
  await load(replaced, 5, [row("1", 10, "young", "2026-08-02")]);
  await load(replaced, 3, [row("1", 7, "old"), row("2", 8, "old", "2026-08-02")]);
  expect(await reportedAt(replaced.name, 9)).toEqual(["1 old: 7", "1 young: 10"]);
  await load(replaced, 2, [row("3", 6, "oldest")]);
  expect(await reportedAt(replaced.name, 9)).toEqual(["1 old: 7", "1 young: 10"]);
});
