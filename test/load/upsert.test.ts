import { sql } from "../../src/postgres/sql.ts";
import pg from "pg";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { prepareLoad, runLoads } from "../../src/load/load.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { Load } from "../../src/load/ready-load.ts";
import { defineTable } from "../../src/load/table.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const rank = defineTable({
  name: "core.fact_rank_of",
  columns: { app_key: "app", date_day: "day", keyword_key: "keyword", rank: "int", note: "text" },
  key: ["app_key", "date_day", "keyword_key"],
  load: { kind: "upsert" },
  partitioned: true,
});

const stage = forTests(openWarehouseStage);
beforeAll(async () => {
  await stage.create(rank);
});
beforeEach(() => stage.empty(rank));

type Answer = {
  readonly slice: string;
  readonly at: number;
  readonly day: string;
  readonly ranks: Readonly<Record<string, number | null>>;
};

const loadOf = ({ slice, at, day: date, ranks }: Answer): Load => ({
  table: rank,
  rows: Object.entries(ranks).map(([keyword, value]) => ({
    app_key: "ios:1",
    date_day: date,
    keyword_key: keyword,
    rank: value,
    note: value === null ? null : `"${value}", {}`,
  })),
  sliceId: slice,
  fetchedAt: at,
  day: day(date),
  scope: {},
  complete: true,
});

/** Loads answers in one transaction, as a group that is committed together. */
const together = (...answers: readonly Answer[]) => load(answers, false);

/** Loads answers in one transaction as a replay does. */
const inTurn = (...answers: readonly Answer[]) => load(answers, true);

async function load(answers: readonly Answer[], isInTurn: boolean): Promise<void> {
  const dimensions = createDimensions(stage.db);
  const partitions = createPartitions(stage.db);
  const ready = await Promise.all(answers.map((answer) => prepareLoad(loadOf(answer), dimensions, partitions)));
  await stage.db.transaction().execute((transaction) => runLoads(transaction, ready, dimensions, { inTurn: isInTurn }));
}

const cells = async () =>
  (
    await sql<{ cell: string }>`
      select concat_ws(' ', date_day, k.keyword, coalesce(f.rank::text, '-'), note, slice_id, extract(epoch from fetched_at)) as cell
      from   core.fact_rank_of as f join core.dim_keyword as k using (keyword_key) order by date_day, k.keyword`.execute(
      stage.db,
    )
  ).rows.map(({ cell }) => cell);

const first = { slice: "1", at: 1000, day: "2026-08-01", ranks: { a: 1, b: null } };
const second = { slice: "2", at: 2000, day: "2026-08-02", ranks: { a: 3 } };

test("rows of many slices go in together, each with its own slice and time", async () => {
  await together(first, second, { slice: "3", at: 3000, day: "2026-09-01", ranks: {} });
  expect(await cells()).toEqual([
    '2026-08-01 a 1 "1", {} 1 1.000000',
    "2026-08-01 b - 1 1.000000",
    '2026-08-02 a 3 "3", {} 2 2.000000',
  ]);
});

test.each([
  ["the later answer last", 0],
  ["the later answer first", 1],
])("of two slices of one group that hold the same cell the one received later wins, %s", async (_, turn) => {
  const both = [first, { slice: "2", at: 2000, day: "2026-08-01", ranks: { b: 7, c: 8 } }] as const;
  await together(...(turn === 0 ? both : both.toReversed()));
  expect(await cells()).toEqual([
    '2026-08-01 a 1 "1", {} 1 1.000000',
    '2026-08-01 b 7 "7", {} 2 2.000000',
    '2026-08-01 c 8 "8", {} 2 2.000000',
  ]);
});

test("in turn and together, equal values stay with the slice that had them first, and what returns with the one that had it again", async () => {
  const at = (slice: string, ranks: Answer["ranks"]) => ({ slice, at: Number(slice) * 1000, day: "2026-08-01", ranks });
  const answers = [
    at("1", { a: 1, b: 2, c: 3 }),
    at("2", { a: 1, b: 9 }),
    at("3", { b: 2, d: 4 }),
    at("4", { d: 4, e: 5 }),
  ];
  for (const answer of answers) await inTurn(answer);
  const oneByOne = await cells();
  for (const way of [inTurn, together]) {
    await stage.empty(rank);
    await way(...answers);
    expect(await cells()).toEqual(oneByOne);
  }
  expect(oneByOne).toEqual([
    '2026-08-01 a 1 "1", {} 1 1.000000',
    '2026-08-01 b 2 "2", {} 3 3.000000',
    '2026-08-01 c 3 "3", {} 1 1.000000',
    '2026-08-01 d 4 "4", {} 3 3.000000',
    '2026-08-01 e 5 "5", {} 4 4.000000',
  ]);
});

test("a group that is partly there already writes what is new or changed and nothing else", async () => {
  await together(first, second);
  const before = await stage.versions(rank);
  await together({ ...first, slice: "3", at: 3000 }, { ...second, slice: "4", at: 4000 });
  expect(await stage.versions(rank)).toEqual(before);
  await together(
    { ...first, slice: "5", at: 500, ranks: { a: 9 } },
    { slice: "6", at: 6000, day: "2026-08-02", ranks: { a: 4, b: 5 } },
  );
  expect(await cells()).toEqual([
    '2026-08-01 a 1 "1", {} 1 1.000000',
    "2026-08-01 b - 1 1.000000",
    '2026-08-02 a 4 "4", {} 6 6.000000',
    '2026-08-02 b 5 "5", {} 6 6.000000',
  ]);
});

test("a cell that another worker writes between read and insert fails the load whole, and tried again it is merged", async () => {
  await together({ slice: "1", at: 1000, day: "2026-08-09", ranks: { a: 1, z: 1 } });
  await stage.empty(rank);
  const other = new pg.Client({ connectionString: stage.url });
  await other.connect();
  try {
    await other.query("begin");
    await other.query(`
      insert into core.fact_rank_of select a.app_key, '2026-08-09', k.keyword_key, 50, 'other', 9, to_timestamp(9)
      from core.dim_app as a, core.dim_keyword as k where a.track_id = '1' and k.keyword = 'z'`);
    const answer = { slice: "2", at: 2000, day: "2026-08-09", ranks: { a: 2, z: 2 } };
    const racing = together(answer);
    const refused = racing.then(
      () => "nothing",
      (error: unknown) => error,
    );
    await expect.poll(waiting, { interval: 5, timeout: 10_000 }).toBe(1);
    await other.query("commit");
    expect(await refused).toMatchObject({ code: "23505" });
    expect(await cells()).toEqual(["2026-08-09 z 50 other 9 9.000000"]);
    await together(answer);
    expect(await cells()).toEqual(['2026-08-09 a 2 "2", {} 2 2.000000', "2026-08-09 z 50 other 9 9.000000"]);
  } finally {
    await other.end();
  }
});

test.each([
  ["older", 2_000, "50 other 9 9.000000"],
  ["newer", 20_000, '2 "2", {} 2 20.000000'],
])(
  "a cell that another worker writes during a merge is kept or replaced by which answer came later: %s",
  async (_, at, z) => {
    await together({ slice: "1", at: 1000, day: "2026-08-09", ranks: { a: 1, z: 1 } });
    await sql`delete from core.fact_rank_of where rank = 1 and keyword_key = (select keyword_key from core.dim_keyword where keyword = 'z')`.execute(
      stage.db,
    );
    const other = new pg.Client({ connectionString: stage.url });
    await other.connect();
    try {
      await other.query("begin");
      await other.query(`
      insert into core.fact_rank_of select a.app_key, '2026-08-09', k.keyword_key, 50, 'other', 9, to_timestamp(9)
      from core.dim_app as a, core.dim_keyword as k where a.track_id = '1' and k.keyword = 'z'`);
      const merging = together({ slice: "2", at, day: "2026-08-09", ranks: { a: 2, z: 2 } });
      await expect.poll(waiting, { interval: 5, timeout: 10_000 }).toBe(1);
      await other.query("commit");
      await merging;
      const time = `${at / 1000}.000000`;
      expect(await cells()).toEqual([`2026-08-09 a 2 "2", {} 2 ${time}`, `2026-08-09 z ${z}`]);
    } finally {
      await other.end();
    }
  },
);

async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    stage.db,
  );
  return rows[0]?.count ?? 0;
}

test("rows of two answers about one day are written in the order of the key", async () => {
  await together({ ...first, ranks: { a: 1, b: 2, c: 3, d: 4 } });
  await stage.empty(rank);
  await together(
    { slice: "1", at: 1000, day: "2026-08-01", ranks: { a: 1, d: 4 } },
    { slice: "2", at: 1000, day: "2026-08-01", ranks: { b: 2, c: 3 } },
  );
  const { rows } = await sql<{ keyword: string }>`
    select keyword from core.fact_rank_of as f join core.dim_keyword as k using (keyword_key) order by f.ctid`.execute(
    stage.db,
  );
  expect(rows.map(({ keyword }) => keyword)).toEqual(["a", "b", "c", "d"]);
});

test.each([
  ["of new days", []],
  ["of days that have rows", [first, second]],
])(
  "rows %s are written in the order of the key, each with what is its own, in whichever order they come",
  async (_, before) => {
    // the keywords have their keys now, in the order of their names
    await together({ ...first, ranks: { a: 1, b: 2, c: 3, d: 4 } });
    await stage.empty(rank);
    for (const answer of before) await together(answer);
    await together(
      { slice: "4", at: 4000, day: "2026-08-02", ranks: { d: 40, b: null, c: 30 } },
      { slice: "3", at: 4000, day: "2026-08-01", ranks: { d: 4, c: 3 } },
    );
    const { rows } = await sql<{ cell: string }>`
    select concat_ws(' ', extract(day from date_day), keyword, coalesce(f.rank::text, '-'), note) as cell
    from   core.fact_rank_of as f join core.dim_keyword as k using (keyword_key) where slice_id > 2 order by f.ctid`.execute(
      stage.db,
    );
    expect(rows.map(({ cell }) => cell)).toEqual([
      '1 c 3 "3", {}',
      '1 d 4 "4", {}',
      "2 b -",
      '2 c 30 "30", {}',
      '2 d 40 "40", {}',
    ]);
  },
);
