import fc from "fast-check";
import { sql } from "../../src/postgres/sql.ts";
import { beforeEach, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { clearTable } from "../../src/load/clear.ts";
import type { Database } from "../../src/postgres/database.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { prepareLoad, runLoads } from "../../src/load/load.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { Load } from "../../src/load/ready-load.ts";
import { isSummed, keepSums } from "../../src/load/sums.ts";
import type { Table } from "../../src/load/table.ts";
import { until } from "../support/ingest-stage.ts";
import { seed as testSeed } from "../support/long.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const [table] = keywordRank.tables;
if (table === undefined || !isSummed(table)) throw new Error("there is no table of ranks with sums");
const summed = table;
const summary: Table = { ...summed, name: "core.fact_keyword_rank_summary" };

type Answer = {
  readonly at?: number;
  readonly date?: string;
  readonly app?: string;
  readonly ranks: Readonly<Record<string, number | null>>;
};

const stage = forTests(openWarehouseStage);

beforeEach(() => stage.empty(summed, summary));

function loadOf({ at = 1_000, date = "2026-08-01", app = "ios:1", ranks }: Answer): Load {
  const rows = Object.entries(ranks).map(([keyword_key, rank]) => ({
    app_key: app,
    date_day: date,
    country_key: "US",
    keyword_key,
    device_key: "IPHONE",
    rank,
    observed_at: null,
  }));
  return { table: summed, rows, sliceId: "1", fetchedAt: at, day: day(date), scope: {}, complete: true };
}

/** Loads answers in one transaction; `meanwhile` happens before it is committed. */
async function load(answers: readonly Answer[], meanwhile?: (transaction: Database) => Promise<void>): Promise<void> {
  const dimensions = createDimensions(stage.db);
  const partitions = createPartitions(stage.db);
  const ready = await Promise.all(answers.map((answer) => prepareLoad(loadOf(answer), dimensions, partitions)));
  await stage.db.transaction().execute(async (transaction) => {
    await runLoads(transaction, ready, dimensions);
    await meanwhile?.(transaction);
  });
}

/** The sums of the ranks that are there. */
const due = `
  select r.app_key, r.date_day, r.country_key, r.device_key, count(*), count(r.rank), count(*) filter (where r.rank <= 1), count(*) filter (where r.rank <= 3),
         count(*) filter (where r.rank <= 10), count(*) filter (where r.rank <= 50), coalesce(sum(r.rank), 0), coalesce(sum(1000000000 / nullif(r.rank, 0)), 0)
  from   core.fact_keyword_rank as r
  group  by 1, 2, 3, 4`;

/** Rows in which the sums that are kept differ from those. */
async function differences(): Promise<readonly unknown[]> {
  const kept =
    "select app_key, date_day, country_key, device_key, answered_keyword_count, ranked_keyword_count, top_1_keyword_count, top_3_keyword_count, top_10_keyword_count, top_50_keyword_count, rank_sum, voice_billionths from core.fact_keyword_rank_summary";
  const { rows } = await sql.raw(`(${kept} except all ${due}) union all (${due} except all ${kept})`).execute(stage.db);
  return rows;
}

const requested = () =>
  stage.rows(
    summary,
    "date_day, answered_keyword_count::int as requested, ranked_keyword_count::int as ranked, rank_sum::int as ranks",
  );

test("sums follow what is new, what changes, what becomes unranked, and answers that come together", async () => {
  await load([{ ranks: { plan: 1, habit: 4 } }, { date: "2026-08-02", ranks: { plan: 2 } }]);
  expect(await requested()).toEqual([
    { date_day: "2026-08-01", requested: 2, ranked: 2, ranks: 5 },
    { date_day: "2026-08-02", requested: 1, ranked: 1, ranks: 2 },
  ]);
  await load([{ at: 2_000, ranks: { habit: null, diary: 50 } }]);
  // of two answers with one cell the later one wins, in whichever order they stand
  await load([
    { at: 4_000, ranks: { plan: 7 } },
    { at: 3_000, ranks: { plan: 9, note: 3 } },
  ]);
  expect(await requested()).toEqual([
    { date_day: "2026-08-01", requested: 4, ranked: 3, ranks: 60 },
    { date_day: "2026-08-02", requested: 1, ranked: 1, ranks: 2 },
  ]);
  expect(await differences()).toEqual([]);
});

test("an older answer moves no sum, and neither an old nor an equal one is written", async () => {
  await load([{ at: 2_000, ranks: { plan: 1, habit: null } }]);
  const before = await stage.versions(summary);
  await load([{ at: 1_000, ranks: { plan: 5, habit: 5 } }]);
  await load([{ at: 3_000, ranks: { plan: 1, habit: null } }]);
  expect(await stage.versions(summary)).toEqual(before);
  expect(await differences()).toEqual([]);
});

test("a rank that cannot be one is counted and has no voice", async () => {
  await load([{ ranks: { plan: 0, habit: 2 } }]);
  const rows = await stage.rows(
    summary,
    "answered_keyword_count::int as requested, (voice_billionths / 1e9)::float as voice",
  );
  expect(rows).toEqual([{ requested: 2, voice: 0.5 }]);
  expect(await differences()).toEqual([]);
});

test("two loads of one cell at the same moment count it once, as the one that is written last", async () => {
  await load([{ ranks: { plan: 1 } }]);
  let second: Promise<void> | undefined;
  await load([{ at: 2_000, ranks: { plan: 10 } }], async (transaction) => {
    second = load([{ at: 3_000, ranks: { plan: 100 } }]);
    await waitsForUs(transaction);
  });
  await second;
  expect(await requested()).toEqual([{ date_day: "2026-08-01", requested: 1, ranked: 1, ranks: 100 }]);
  expect(await differences()).toEqual([]);
});

/** Resolves when another connection waits for a lock that this transaction holds; read from outside, where the answer is not kept. */
async function waitsForUs(transaction: Database): Promise<void> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
  await until(async () => {
    const waiting =
      await sql`select from pg_stat_activity where ${rows[0]?.pid}::int = any (pg_blocking_pids(pid))`.execute(
        stage.db,
      );
    return waiting.rows.length > 0;
  });
}

test("what is rolled back leaves no sum", async () => {
  await load([{ ranks: { plan: 1 } }]);
  await expect(load([{ at: 2_000, ranks: { plan: 2 } }], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await requested()).toEqual([{ date_day: "2026-08-01", requested: 1, ranked: 1, ranks: 1 }]);
});

test("where days are cleared to be rebuilt their sums go, and no others", async () => {
  await load([
    { ranks: { plan: 1 } },
    { date: "2026-08-02", ranks: { plan: 2 } },
    { app: "ios:2", ranks: { plan: 3 } },
  ]);
  const within = { start: day("2026-08-01"), end: day("2026-08-02") };
  await stage.db.transaction().execute((transaction) => clearTable(transaction, summed, { within, keepPruned: false }));
  expect(await requested()).toEqual([{ date_day: "2026-08-02", requested: 1, ranked: 1, ranks: 2 }]);
  expect(await differences()).toEqual([]);
});

test("sums whose ranks were removed stay, and start from scratch where a rank of the same app, country and day returns", async () => {
  const days = { start: day("2026-08-01"), end: day("2026-09-01") };
  await load([
    { ranks: { plan: 1, note: 2 } },
    { date: "2026-08-02", ranks: { plan: 2 } },
    { app: "ios:2", date: "2026-09-01", ranks: { plan: 3 } },
  ]);
  await stage.db.transaction().execute(async (transaction) => {
    await keepSums(transaction, summed, days);
    await sql`delete from core.fact_keyword_rank where date_day < ${days.end}::date`.execute(transaction);
  });
  const kept = [
    { date_day: "2026-08-01", requested: 2, ranked: 2, ranks: 3 },
    { date_day: "2026-08-02", requested: 1, ranked: 1, ranks: 2 },
    { date_day: "2026-09-01", requested: 1, ranked: 1, ranks: 3 },
  ];
  expect(await requested()).toEqual(kept);
  await stage.db
    .transaction()
    .execute((transaction) => clearTable(transaction, summed, { within: {}, keepPruned: false }));
  expect(await requested()).toEqual(kept.slice(0, 2));
  await load([{ ranks: { plan: 4 } }]);
  expect(await requested()).toEqual([{ date_day: "2026-08-01", requested: 1, ranked: 1, ranks: 4 }, kept[1]]);
  await load([{ ranks: { note: 5 } }]);
  expect(await requested()).toEqual([{ date_day: "2026-08-01", requested: 2, ranked: 2, ranks: 9 }, kept[1]]);
});

test("what is counted here is what Postgres counts, for any ranks", async () => {
  const dimensions = createDimensions(stage.db);
  const partitions = createPartitions(stage.db);
  const rank = fc.oneof(
    fc.constantFrom(null, 0, 1, 2, 3, 4, 10, 11, 50, 51, -1, 2 ** 31 - 1, -(2 ** 31) + 1),
    fc.integer({ min: 1, max: 300 }),
  );
  const cell = fc.record({ rank, device: fc.constantFrom("IPHONE", "IPAD"), app: fc.constantFrom("ios:1", "ios:2") });
  await fc.assert(
    fc.asyncProperty(fc.array(cell, { minLength: 1, maxLength: 12 }), async (cells) => {
      await stage.empty(summed, summary);
      const answer = loadOf({ ranks: Object.fromEntries(cells.map((one, place) => [`word ${place}`, one.rank])) });
      const rows = answer.rows.map((row, place) => ({
        ...row,
        app_key: cells[place]?.app ?? "",
        device_key: cells[place]?.device ?? "",
      }));
      const ready = await prepareLoad({ ...answer, rows }, dimensions, partitions);
      expect(ready.sums?.length).toBe(new Set(cells.map((one) => `${one.app} ${one.device}`)).size);
      await stage.db.transaction().execute((transaction) => runLoads(transaction, [ready], dimensions));
      expect(await differences()).toEqual([]);
    }),
    { numRuns: 40, seed: testSeed },
  );
});

test("for any answers in any groups, the sums are those of the rows", async () => {
  const keywords = ["plan", "habit", "diary", "note"];
  const answer = fc.record({
    at: fc.integer({ min: 1, max: 5 }).map((at) => at * 1_000),
    date: fc.constantFrom("2026-08-01", "2026-08-02", "2026-09-01"),
    app: fc.constantFrom("ios:1", "ios:2"),
    ranks: fc.dictionary(fc.constantFrom(...keywords), fc.option(fc.integer({ min: 1, max: 60 })), { minKeys: 1 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(answer, { minLength: 1, maxLength: 3 }), { maxLength: 6 }), async (groups) => {
      await stage.empty(summed, summary);
      for (const group of groups) await load(group);
      expect(await differences()).toEqual([]);
    }),
    { numRuns: 15, seed: testSeed },
  );
});
