import { readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import type { Manifest } from "../../src/export/manifest.ts";
import { reportTable } from "../../src/datasets/shared/report-table.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { openExportStage, sha256, type ExportStage } from "../support/export-stage.ts";

const ranks = "core.fact_keyword_rank";
let stage: ExportStage;

beforeEach(async () => {
  stage = await openExportStage();
  await stage.ranks("2026-05-04", 3);
  // a month in partitions of days is exported as any other
  await stage.ranks("2026-06-04", 4, "day");
  await stage.ranks("2026-06-30", 1, "day");
  await stage.ranks("2026-07-01", 2);
});
afterEach(() => stage[Symbol.asyncDispose]());

async function counts(within = {}) {
  const [done] = await stage.export([ranks], within);
  return { written: done?.written, unchanged: done?.unchanged, removed: done?.removed, rows: done?.rows };
}

test("writes a file a month, and a manifest that has for each the window, the rows and the checksum", async () => {
  expect(await counts()).toEqual({ written: 3, unchanged: 0, removed: 0, rows: 10 });
  const manifest = await stage.manifest(ranks);
  expect(manifest.files.map(({ window, rows }) => ({ window, rows }))).toEqual([
    { window: { from: "2026-05-01", to: "2026-05-31" }, rows: 3 },
    { window: { from: "2026-06-01", to: "2026-06-30" }, rows: 5 },
    { window: { from: "2026-07-01", to: "2026-07-31" }, rows: 2 },
  ]);
  expect(manifest).toMatchObject({
    table: ranks,
    key: ["app_key", "date_day", "country_key", "keyword_key", "device_key"],
  });
  expect(manifest.columns[6]).toEqual({
    name: "observed_at",
    type: "TIMESTAMP",
    postgres: "timestamp without time zone",
    comment: expect.stringMatching(/^When the service crawled/),
  });
  for (const file of manifest.files) {
    expect(file.path).toMatch(new RegExp(`^date_month=${file.window?.from.slice(0, 7)}/rows-[0-9a-f]{16}\\.parquet$`));
    expect(await sha256(path.join(stage.out, "core", "fact_keyword_rank", file.path))).toBe(file.sha256);
  }
});

test("writes no file at all when nothing changed, and the declared key of a mart into its manifest", async () => {
  await stage.export([ranks, "dim_country", "mart.keyword_rank_daily"]);
  const { key } = await stage.manifest("mart.keyword_rank_daily");
  expect(key).toEqual(["store", "track_id", "country_code", "keyword", "device_code", "date_day"]);
  const before = await stage.files();
  const done = await stage.export([ranks, "dim_country", "mart.keyword_rank_daily"]);
  expect(done.map(({ written, removed }) => [written, removed])).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
  expect(await stage.files()).toEqual(before);
});

test("writes the month again in which anything changed, and that one only", async () => {
  await counts();
  for (const change of [
    // by hand, with the time of receipt as it was
    "update core.fact_keyword_rank set rank = 9 where date_day = '2026-06-30'",
    "update core.fact_keyword_rank set rank = null where date_day = '2026-06-30'",
    // two values of one row for another
    "update core.fact_keyword_rank set rank = 5 - rank where date_day = '2026-06-04' and rank in (2, 3)",
    "delete from core.fact_keyword_rank where date_day = '2026-06-30'",
  ]) {
    const before = await stage.manifest(ranks);
    await stage.pool.query(change);
    expect([change, await counts()]).toEqual([change, expect.objectContaining({ written: 1, unchanged: 2 })]);
    const { files } = await stage.manifest(ranks);
    const isAgain = ({ path: name, written_at: at }: Manifest["files"][number], index: number) =>
      name !== before.files[index]?.path && at !== before.files[index]?.written_at;
    expect([change, files.map(isAgain)]).toEqual([change, [false, true, false]]);
    expect(await readdir(path.join(stage.out, "core/fact_keyword_rank/date_month=2026-06"))).toHaveLength(1);
  }
});

test("the same rows give the same bytes, in any order of writing", async () => {
  await counts();
  const [, before] = (await stage.manifest(ranks)).files;
  await stage.pool.query(`
    create temp table kept as select * from core.fact_keyword_rank where date_day >= '2026-06-01' and date_day < '2026-07-01';
    delete from core.fact_keyword_rank where date_day >= '2026-06-01' and date_day < '2026-07-01';
    insert into core.fact_keyword_rank select * from kept order by keyword_key desc`);
  expect(await counts()).toMatchObject({ written: 0, unchanged: 3 });
  await rm(path.join(stage.out, "core"), { recursive: true });
  await counts();
  const [, after] = (await stage.manifest(ranks)).files;
  expect(after?.sha256).toBe(before?.sha256);
});

/** Takes May out of a table, as retention does. */
async function remove(table: string): Promise<void> {
  await stage.pool.query(
    `insert into ops.dropped_month select 'any', $1, '2026-05-01', 'drop', count(*), 0, current_user, '2026-08-20 01:30Z', false
     from ${table} where date_day between '2026-05-01' and '2026-05-31'`,
    [table],
  );
  await stage.pool.query("select ops.remove_month($1::regclass, '2026-05-01', false)", [table]);
  await stage.pool.query("update ops.dropped_month set is_done = true");
}

test("a month that retention took away stays as it was exported last, of the table and of what reads it", async () => {
  const tables = [ranks, "mart.keyword_rank_daily"];
  const folders = (done: Awaited<ReturnType<typeof stage.export>>) =>
    done.map(({ removed, unchanged, rows }) => ({ removed, unchanged, rows }));
  await stage.export(tables);
  const before = await stage.files();
  await remove(ranks);
  const stays = { removed: 0, unchanged: 3, rows: 10 };
  expect(folders(await stage.export(tables))).toEqual([stays, stays]);
  expect(await stage.files()).toEqual(before);
  // nor do rows that are loaded again take the place of the whole month, however many they are
  await stage.ranks("2026-05-04", 1);
  await stage.ranks("2026-05-05", 9);
  expect(await stage.export(tables)).toMatchObject([
    { ...stays, again: ["2026-05-01"] },
    { ...stays, again: [] },
  ]);
  expect(await stage.files()).toEqual(before);
  const [file] = (await stage.manifest(ranks)).files;
  await rm(path.join(stage.out, "core/fact_keyword_rank", file?.path ?? ""));
  expect(await stage.export([ranks])).toMatchObject([{ written: 1, unchanged: 2, again: [] }]);
  // from then on it is a month like any other
  await stage.pool.query("delete from core.fact_keyword_rank where date_day = '2026-05-04'");
  expect(await counts()).toMatchObject({ written: 1, unchanged: 2, removed: 0 });
});

test("a month that is back with the very same rows, or that had none, is like any other", async () => {
  await stage.export([ranks]);
  await stage.pool.query(`create table public.kept as select * from ${ranks} where date_day < '2026-06-01'`);
  await remove(ranks);
  await stage.pool.query(`select ops.make_partition('${ranks}'::regclass, '2026-05-01')`);
  await stage.pool.query(`insert into ${ranks} select * from public.kept`);
  expect(await stage.export([ranks])).toMatchObject([{ written: 0, unchanged: 3, again: [] }]);

  const review = (id: string) =>
    stage.pool.query(`
      insert into core.review (app_key, review_id, source, reviewed_at, country_key, language_code, rating, slice_id, fetched_at)
      values (1, '${id}', 'v2', '2026-05-05 10:00', 840, '', 4, 1, now())`);
  const written = async () => (await stage.export(["mart.app_overview_daily"])).map((one) => one.written);
  await stage.pool.query(`
    delete from ops.dropped_month;
    insert into core.tracked_app (app_key, valid_from, is_current, slice_id, fetched_at) values (1, '2026-05-01', true, 1, now());
    select ops.make_partition('core.fact_visibility'::regclass, '2026-05-01')`);
  await review("a");
  await written();
  await remove("core.fact_visibility");
  await review("b");
  expect(await written()).toEqual([1]);
});

test("a mart keeps the file of a month of which one of its tables has lost its rows", async () => {
  await stage.pool.query(`
    insert into core.tracked_app (app_key, valid_from, is_current, slice_id, fetched_at) values (1, '2026-05-01', true, 1, now());
    select ops.make_partition('core.fact_visibility'::regclass, '2026-05-01');
    insert into core.fact_visibility (app_key, date_day, country_key, kind, score, slice_id, fetched_at)
    values (1, '2026-05-05', 840, 'history', 50, 1, now());
    insert into core.review (app_key, review_id, source, reviewed_at, country_key, language_code, rating, slice_id, fetched_at)
    values (1, 'a', 'v2', '2026-05-05 10:00', 840, '', 4, 1, now())`);
  const table = "mart.app_overview_daily";
  const score = async () => {
    await stage.export([table]);
    return stage.read(
      `select visibility_score, review_count from read_parquet('OUT/mart/app_overview_daily/*/*.parquet') where date_day = '2026-05-05'`,
    );
  };
  const before = await score();
  expect(before).toEqual([["50.000000000000000000", "1"]]);
  await remove("core.fact_visibility");
  expect(await score()).toEqual(before);
});

test("a mart keeps the file of a month that it compares with a removed one", async () => {
  await stage.pool.query(`
    insert into core.tracked_app (app_key, valid_from, is_current, slice_id, fetched_at) values (1, '2026-05-01', true, 1, now());
    select ops.make_partition('core.fact_download_revenue'::regclass, m) from unnest('{2026-05-01,2026-06-01}'::date[]) as m;
    insert into core.fact_download_revenue (app_key, date_day, country_key, device_key, is_total, download_count, slice_id, fetched_at)
    select 1, d::date, 840, 0, false, 1, 1, now() from generate_series(timestamp '2026-05-01', '2026-06-30', interval '1 day') as d`);
  const table = "mart.download_revenue_monthly";
  await stage.export([table]);
  const { files } = await stage.manifest(table);
  expect(files.map(({ window }) => window?.from)).toEqual(["2026-05-01", "2026-06-01"]);
  await remove("core.fact_download_revenue");
  expect(await stage.export([table])).toMatchObject([{ written: 0, unchanged: 2, removed: 0 }]);
});

test("search volumes are the newest in each month of a mart, also where retention removed the volumes of that month", async () => {
  const volume = (on: string, value: number) =>
    stage.pool.query(`
      select ops.make_partition('core.fact_keyword_metadata'::regclass, '${on}');
      insert into core.fact_keyword_metadata (keyword_key, date_day, country_key, store, search_volume, slice_id, fetched_at)
      values (1, '${on}', 840, 'ios', ${value}, 1, now())`);
  await stage.pool.query(
    "insert into core.fact_keyword_rank_summary select 1, '2026-05-04', 840, 1, 1, 1, 1, 1, 1, 1, 1, 1000000000",
  );
  const table = "mart.weighted_share_of_voice_daily";
  const volumes = async () => {
    await stage.export([table]);
    return stage.read(
      "select search_volume_sum from read_parquet('OUT/mart/weighted_share_of_voice_daily/*/*.parquet')",
    );
  };
  await volume("2026-05-10", 10);
  expect(await volumes()).toEqual([["10.000000000000000000"]]);
  await volume("2026-07-10", 20);
  await remove("core.fact_keyword_metadata");
  expect(await volumes()).toEqual([["20.000000000000000000"]]);
});

test("a month that has no rows any more goes from the manifest, and its folder with it", async () => {
  await counts();
  await stage.pool.query("delete from core.fact_keyword_rank where date_day < '2026-06-01'");
  expect(await counts()).toEqual({ written: 0, unchanged: 2, removed: 1, rows: 7 });
  expect(await readdir(path.join(stage.out, "core/fact_keyword_rank"))).toEqual([
    "_manifest.json",
    "date_month=2026-06",
    "date_month=2026-07",
  ]);
});

test("rows of a period are in the month in which it starts, also those without a day of their own", async () => {
  const days = ["2026-05-04", "2026-06-29"].map((text) => day(text));
  await createPartitions(stage.db).cover(reportTable, days);
  const texts = reportTable.key.filter((name) => reportTable.columns[name] === "text" && name !== "grain");
  await stage.pool.query(`
    insert into ${reportTable.name} (${texts.join(", ")}, grain, period_start, period_end, date_day, is_total, country_key, slice_id, fetched_at)
    select ${texts.map(() => "''").join(", ")}, p.*, false, 0, 1, now()
    from   (values ('day', date '2026-05-04', date '2026-05-04', date '2026-05-04'), ('week', '2026-06-29', '2026-07-05', null)) as p`);
  const [done] = await stage.export([reportTable.name]);
  expect(done).toMatchObject({ written: 2, rows: 2 });
  const { files } = await stage.manifest(reportTable.name);
  expect(files.map(({ window }) => window?.from)).toEqual(["2026-05-01", "2026-06-01"]);
});

test("rows without any day are compared by every export, also by one with --from", async () => {
  await stage.pool.query("create table public.own as values (1, date '2026-05-04'), (2, null)");
  await stage.pool.query(
    "create view mart.own_figure as select column1 as figure, column2 as date_day from public.own",
  );
  const rows = async (within = {}) => {
    const [done] = await stage.export(["mart.own_figure"], within);
    return { written: done?.written, unchanged: done?.unchanged, removed: done?.removed, rows: done?.rows };
  };
  expect(await rows()).toEqual({ written: 2, unchanged: 0, removed: 0, rows: 2 });
  const june = { start: day("2026-06-01") };
  expect(await rows(june)).toEqual({ written: 0, unchanged: 2, removed: 0, rows: 2 });
  await stage.pool.query("update public.own set column1 = 3");
  expect(await rows(june)).toEqual({ written: 1, unchanged: 1, removed: 0, rows: 2 });
});

test("with --from and --to whole months are updated, and all others are left as they were", async () => {
  await counts();
  await stage.pool.query(
    "update core.fact_keyword_rank set rank = 100; delete from core.fact_keyword_rank where date_day < '2026-06-01'",
  );
  const june = { start: day("2026-06-15"), end: day("2026-06-21") };
  expect(await counts(june)).toEqual({ written: 1, unchanged: 2, removed: 0, rows: 10 });
  expect(await counts({ start: day("2026-07-31") })).toMatchObject({ written: 1, removed: 0 });
  expect(await counts({ end: day("2026-06-01") })).toMatchObject({ written: 0, removed: 1 });
  expect(await counts()).toMatchObject({ written: 0, unchanged: 2 });
});

test("a file that is gone or cut is written again, and what a killed export left behind is taken away", async () => {
  await counts();
  const folder = path.join(stage.out, "core", "fact_keyword_rank");
  const [may, june] = (await stage.manifest(ranks)).files;
  await rm(path.join(folder, may!.path));
  await writeFile(path.join(folder, june!.path), "PAR1");
  const unlisted = [
    "date_month=2026-07/rows-0123456789abcdef.parquet.part",
    "date_month=2026-07/rows-fedcba9876543210.parquet",
  ];
  for (const name of unlisted) await writeFile(path.join(folder, name), "PAR1");
  await writeFile(path.join(folder, "mine.txt"), "not ours");
  expect(await counts()).toMatchObject({ written: 2, unchanged: 1 });
  expect(await readdir(path.join(folder, "date_month=2026-07"))).toHaveLength(1);
  expect(await readdir(folder)).toContain("mine.txt");
  for (const file of (await stage.manifest(ranks)).files)
    expect(await sha256(path.join(folder, file.path))).toBe(file.sha256);
});

test("another type of a column makes another file, another comment another manifest alone", async () => {
  await stage.export(["core.dim_device"]);
  const before = await stage.manifest("core.dim_device");
  await stage.pool.query("comment on column core.dim_device.device_name is 'Its name.'");
  expect((await stage.export(["core.dim_device"]))[0]).toMatchObject({ written: 0, unchanged: 1 });
  const commented = await stage.manifest("core.dim_device");
  expect([commented.files, commented.columns[2]?.comment]).toEqual([before.files, "Its name."]);
  await stage.pool.query("alter table core.dim_device alter column device_name type varchar(99)");
  expect((await stage.export(["core.dim_device"]))[0]).toMatchObject({ written: 0 });
  await stage.pool.query("alter table core.dim_device add column weight integer");
  expect((await stage.export(["core.dim_device"]))[0]).toMatchObject({ written: 1 });
});
