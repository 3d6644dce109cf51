import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { openClickHouse, type ClickHouse } from "../../src/publish/clickhouse.ts";
import { checkOrigin, prepare } from "../../src/publish/published-months.ts";
import { withPublishedCheck } from "../../src/publish/verify-month.ts";
import { enginePath, leftOut } from "../support/clickhouse-engine.ts";
import { runCommand } from "../support/command.ts";
import { openPublishStage, ranks, type PublishStage } from "../support/publish-stage.ts";

describe.skipIf(enginePath === null)(`months that retention removes${leftOut}`, () => {
  let stage: PublishStage["stage"];
  let on: PublishStage;
  beforeEach(async () => {
    on = await openPublishStage();
    ({ stage } = on);
  });
  afterEach(() => on[Symbol.asyncDispose]());

  const behind = () => ({ databaseUrl: stage.url, sandbox: { url: "http://127.0.0.1:1", token: "none" } });

  /** Removes and records January 2025 of a table as retention does, without the checks of its command. */
  const removeJanuary = (dataset: string, table: string) =>
    stage.pool.query(`
      insert into ops.dropped_month (dataset, table_name, month_start, action, rows_gone, bytes_gone, dropped_by, dropped_at, is_done)
      values ('${dataset}', '${table}', '2025-01-01', 'drop', 1, 1, 'a', now(), false);
      select ops.remove_month('${table}', '2025-01-01', false);
      update ops.dropped_month set is_done = true`);

  test("retention takes a month only once it is published and its sums are the same", async () => {
    await stage.ranks("2025-01-01", 3);
    await stage.ranks("2025-02-01", 3);
    const retention = async () => {
      const { code, stdout, stderr } = await runCommand(behind(), ["retention", "--yes", "--json"], {
        settings: { retention: { keep_months: 3 } },
        variables: on.environment,
      });
      expect(stderr).toBe("");
      const { months: all } = JSON.parse(stdout) as { months: { table: string; month: string; outcome: string }[] };
      return {
        code,
        outcomes: all.filter(({ table }) => table === ranks).map(({ month, outcome }) => `${month} ${outcome}`),
      };
    };
    const waits = { code: 1, outcomes: ["2025-01-01 not published", "2025-02-01 not published"] };
    expect(await retention()).toEqual(waits);
    await on.published();
    await stage.pool.query(`update ${ranks} set rank = 50 where date_day = '2025-02-01' and rank = 2`);
    expect(await retention()).toEqual({ code: 1, outcomes: ["2025-01-01 gone", "2025-02-01 not published"] });
    await on.published();
    expect(await retention()).toEqual({ code: 0, outcomes: ["2025-02-01 gone"] });
    // what retention took stays there
    expect(await on.published()).toEqual({ swapped: 0, unchanged: 2, removed: 0, rows: 6 });

    // and so does the rest of a month of which some is loaded again
    await stage.ranks("2025-01-01", 1);
    await stage.ranks("2025-01-02", 1);
    await stage.pool.query(`update ${ranks} set rank = 60, slice_id = 2`);
    // with a later month, of a slice that had days of both
    await stage.ranks("2025-03-01", 1);
    expect(await on.published()).toEqual({ swapped: 2, unchanged: 1, removed: 0, rows: 8 });
    expect(await on.months()).toEqual([
      { month: 202501, count: 4 },
      { month: 202502, count: 3 },
      { month: 202503, count: 1 },
    ]);
    const january = `select toString(date_day) as day, rank from ${ranks} where date_day < '2025-02-01' order by day, keyword_key`;
    const all = [60, 2, 3].map((rank) => ({ day: "2025-01-01", rank })).concat({ day: "2025-01-02", rank: 60 });
    expect(await on.there.ask(january)).toEqual(all);
    expect(await on.published()).toEqual({ swapped: 0, unchanged: 3, removed: 0, rows: 8 });
    await stage.pool.query(`update ${ranks} set rank = 61 where date_day = '2025-01-02'`);
    expect(await retention()).toEqual({ code: 1, outcomes: ["2025-01-01 not published", "2025-03-01 not published"] });
    expect(await on.published()).toEqual({ swapped: 1, unchanged: 2, removed: 0, rows: 8 });
    expect(await retention()).toEqual({ code: 0, outcomes: ["2025-01-01 gone", "2025-03-01 gone"] });
    expect(await on.published()).toEqual({ swapped: 0, unchanged: 3, removed: 0, rows: 8 });
  });

  test("a month that only ClickHouse has stays where the record of published months is lost", async () => {
    await stage.ranks("2025-01-01", 3);
    await on.published();
    await removeJanuary("keyword_rank", ranks);
    await stage.ranks("2025-01-02", 1);
    await stage.pool.query(`update ${ranks} set slice_id = 2`);
    await on.there.ask("truncate table storehouse.published_month");
    expect(await on.published()).toMatchObject({ removed: 0, rows: 4 });
    expect(await on.months()).toEqual([{ month: 202501, count: 4 }]);
  });

  /** Publishes the ranks with the command. */
  const publishRanks = () => runCommand(behind(), ["publish", "--table", ranks], { variables: on.environment });

  test("a month that a person drops in ClickHouse is published again; one of which retention removed rows is named, once", async () => {
    await stage.ranks("2025-01-01", 3);
    await stage.ranks("2025-02-01", 2);
    await on.published();
    await on.there.ask(`alter table ${ranks} drop partition 202502`);
    expect(await on.published()).toEqual({ swapped: 1, unchanged: 1, removed: 0, rows: 5 });
    await removeJanuary("keyword_rank", ranks);
    await on.there.ask(`alter table ${ranks} drop partition 202501`);
    const { stderr } = await publishRanks();
    expect(stderr).toMatch(/^core\.fact_keyword_rank: 2025-01 was dropped in ClickHouse, .*\n$/);
    expect(await publishRanks()).toMatchObject({ code: 0, stderr: "" });
    expect(await on.months()).toEqual([{ month: 202502, count: 2 }]);
  });

  test("such a month is named also if the publication fails later, and does not count as removed", async () => {
    await stage.ranks("2025-01-01", 3);
    await stage.ranks("2025-02-01", 2);
    await on.published();
    await removeJanuary("keyword_rank", ranks);
    await on.there.ask(`alter table ${ranks} drop partition 202501`);
    await stage.ranks("2026-04-01", 1);
    on.there.letThrough = (statement) => !/ (replace|drop) partition /.test(statement);
    const { code, stderr } = await publishRanks();
    const lines = [expect.stringMatching(/2025-01 was dropped/), expect.stringMatching(/^clickhouse_unavailable: /)];
    expect({ code, lines: stderr.trim().split("\n") }).toEqual({ code: 1, lines });
    on.there.letThrough = () => true;
    expect(await on.published()).toEqual({ swapped: 1, unchanged: 1, removed: 0, rows: 3 });
    const isRecorded = "select month from storehouse.published_month final where digest != '' order by month";
    expect(await on.there.ask(isRecorded)).toEqual([{ month: "2025-02" }, { month: "2026-04" }]);
  });

  test("another Postgres is refused: it would remove the months that it does not have", async () => {
    await stage.ranks("2025-01-01", 3);
    await on.published();
    await stage.pool.query(`delete from ${ranks}`);
    await stage.pool.query("update ops.migration set ran_at = ran_at + interval '1 minute'");
    await expect(on.published()).rejects.toMatchObject({ code: "publish_of_another" });
    expect(await on.months()).toEqual([{ month: 202501, count: 3 }]);
    await on.there.ask("drop table storehouse.origin");
    expect(await on.published()).toMatchObject({ removed: 1, rows: 0 });
  });

  test("two that publish to the same place for the first time at the same moment are both refused", async () => {
    await using clickHouse = openClickHouse({ environment: on.environment });
    await prepare(clickHouse);
    const inserting: (() => void)[] = [];
    // both have read that no origin is recorded before the first of them records its own
    const together: ClickHouse = {
      ...clickHouse,
      run: async (statement) => {
        const { promise, resolve } = Promise.withResolvers<undefined>();
        if (statement.startsWith("insert")) inserting.push(() => resolve(undefined));
        else resolve(undefined);
        if (inserting.length === 2) for (const go of inserting) go();
        await promise;
        return clickHouse.run(statement);
      },
    };
    const both = await Promise.allSettled(["1", "2"].map((origin) => checkOrigin(together, origin)));
    expect(both).toMatchObject([1, 2].map(() => ({ status: "rejected", reason: { code: "publish_of_another" } })));
  });

  test("a month that went is published and removed again also if its record is from a clock that was ahead", async () => {
    await stage.ranks("2026-04-01", 2);
    await on.published();
    await stage.pool.query(`delete from ${ranks}`);
    expect(await on.published()).toMatchObject({ removed: 1 });
    await on.there.ask(
      "insert into storehouse.published_month select * replace (toDateTime64('2040-01-01', 3, 'UTC') as published_at) from storehouse.published_month final",
    );
    await stage.ranks("2026-04-01", 2);
    expect(await on.published()).toMatchObject({ swapped: 1 });
    expect(await on.published()).toMatchObject({ swapped: 0, unchanged: 1 });
    await stage.pool.query(`delete from ${ranks}`);
    expect(await on.published()).toMatchObject({ removed: 1 });
    expect(await on.months()).toEqual([]);
  });

  /** The overview of a day, computed from a review and from downloads, of which `remove` takes the downloads. */
  async function openOverview() {
    await stage.pool.query(`
      insert into core.dim_app (app_key, store, track_id) overriding system value values (1, 'ios', '1');
      insert into core.tracked_app (app_key, valid_from, is_current, slice_id, fetched_at) values (1, '2025-01-01', true, 1, now())`);
    const review = (id: string) =>
      stage.pool.query(`
        insert into core.review (app_key, review_id, source, reviewed_at, country_key, language_code, rating, slice_id, fetched_at)
        values (1, '${id}', 'v2', '2025-01-05 10:00', 840, '', 4, 1, now())`);
    await review("a");
    return {
      review,
      load: (downloads: number) =>
        stage.pool.query(`
          select ops.make_partition('core.fact_download_revenue'::regclass, '2025-01-01');
          insert into core.fact_download_revenue (app_key, date_day, country_key, device_key, is_total, download_count, slice_id, fetched_at)
          values (1, '2025-01-05', 840, 0, false, ${downloads}, 1, now())`),
      remove: () => removeJanuary("download_revenue", "core.fact_download_revenue"),
      published: async () => {
        await on.published(["core.fact_download_revenue", "mart.app_overview_daily"]);
        return on.there.ask(`
          select review_count, toInt32(estimated_download_count) as downloads from mart.app_overview_daily where date_day = '2025-01-05'`);
      },
    };
  }

  test("a mart that is a table there keeps the figures of a month of which one of its tables has lost its rows", async () => {
    const overview = await openOverview();
    await overview.load(70);
    const whole = [{ review_count: 1, downloads: 70 }];
    expect(await overview.published()).toEqual(whole);
    await overview.remove();
    expect(await overview.published()).toEqual(whole);
    // also if as many rows are loaded again: they may be others
    await overview.load(71);
    expect(await overview.published()).toEqual(whole);
    await on.there.ask("alter table mart.app_overview_daily drop partition 202501");
    expect(await overview.published()).toEqual([{ review_count: 1, downloads: 71 }]);
  });

  test.each([
    ["is lost", "truncate table storehouse.published_month"],
    [
      "is from a clock that was ahead",
      "insert into storehouse.published_month select * replace (toDateTime64('2040-01-01', 3, 'UTC') as published_at) from storehouse.published_month final",
    ],
  ])("so does one whose record %s", async (_, happens) => {
    const overview = await openOverview();
    await overview.load(70);
    await overview.published();
    await overview.remove();
    await on.there.ask(happens);
    await overview.review("b");
    expect(await overview.published()).toEqual([{ review_count: 1, downloads: 70 }]);
  });

  test("a month of a mart that is first published without the removed rows follows what is left, until more of it is removed", async () => {
    const overview = await openOverview();
    await overview.load(70);
    await on.published(["core.fact_download_revenue"]);
    await overview.remove();
    expect(await overview.published()).toEqual([{ review_count: 1, downloads: null }]);
    await overview.review("b");
    const left = [{ review_count: 2, downloads: null }];
    expect(await overview.published()).toEqual(left);
    await stage.pool.query("update ops.dropped_month set dropped_at = dropped_at + interval '1 day'");
    await overview.review("c");
    expect(await overview.published()).toEqual(left);
  });

  test("a mart that is a table there keeps rows that are computed from removed days, also those of the months beside", async () => {
    await stage.pool.query(`
      insert into core.dim_app (app_key, store, track_id) overriding system value values (1, 'ios', '1');
      insert into core.tracked_app (app_key, valid_from, is_current, slice_id, fetched_at) values (1, '2025-01-01', true, 1, now());
      insert into core.app_version (app_key, country_key, language_code, version, version_at, slice_id, fetched_at)
      values (1, 840, 'en', '1.0', '2024-12-30', 1, now()), (1, 840, 'en', '2.0', '2025-01-15', 1, now()), (1, 840, 'en', '3.0', '2025-02-03', 1, now());
      select ops.make_partition('core.fact_download_revenue'::regclass, m) from unnest('{2025-01-01,2025-02-01}'::date[]) as m;
      insert into core.fact_download_revenue (app_key, date_day, country_key, device_key, is_total, download_count, slice_id, fetched_at)
      select 1, d::date, 840, 0, false, extract(doy from d), 1, now() from generate_series(timestamp '2025-01-01', '2025-02-28', interval '1 day') as d`);
    const marts = ["app_overview_by_period", "download_revenue_monthly", "release_impact"];
    const rows = async () => {
      await on.published(marts.map((mart) => `mart.${mart}`));
      return {
        periods: await on.there.ask(
          "select toString(period_start) as start, toInt32(estimated_download_count) as downloads from mart.app_overview_by_period where period_kind = 'week' order by start",
        ),
        months: await on.there.ask(
          "select toString(month_start) as month, toFloat64(estimated_download_change_share) as change from mart.download_revenue_monthly order by month",
        ),
        releases: await on.there.ask(
          "select version, toFloat64(before_estimated_download_count) as before, toFloat64(after_estimated_download_count) as after from mart.release_impact where window_day_count = 7 order by version",
        ),
      };
    };
    const whole = await rows();
    expect(whole.periods).toHaveLength(9);
    expect(whole.periods[0]).toEqual({ start: "2024-12-30", downloads: 15 });
    expect(whole.months).toEqual([
      { month: "2025-01-01", change: null },
      { month: "2025-02-01", change: 1.568548 },
    ]);
    expect(whole.releases).toEqual([
      { version: "1.0", before: null, after: 3.5 },
      { version: "2.0", before: 11, after: 19 },
      { version: "3.0", before: 30, after: 38 },
    ]);
    await removeJanuary("download_revenue", "core.fact_download_revenue");
    expect(await rows()).toEqual(whole);
    // later months follow
    await stage.pool.query(`
      select ops.make_partition('core.fact_download_revenue'::regclass, '2025-03-01');
      insert into core.fact_download_revenue (app_key, date_day, country_key, device_key, is_total, download_count, slice_id, fetched_at)
      values (1, '2025-03-03', 840, 0, false, 7, 1, now())`);
    expect((await rows()).periods.slice(8)).toEqual([whole.periods[8], { start: "2025-03-03", downloads: 7 }]);
  });

  test("a month is not the same where one value differs there", async () => {
    await stage.ranks("2025-01-01", 2);
    await on.published();
    const check = () =>
      withPublishedCheck(stage, { environment: on.environment }, async (is) =>
        is?.({ table: ranks, month: day("2025-01-01") }),
      );
    expect(await check()).toBe(true);
    await on.there.ask(
      `alter table ${ranks} update observed_at = toDateTime64('2025-01-01 00:00:00', 6, 'UTC') where rank = 1 settings mutations_sync = 2`,
    );
    expect(await check()).toBe(false);
  });
});
