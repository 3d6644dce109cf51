import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { openClickHouse } from "../../src/publish/clickhouse.ts";
import { publish } from "../../src/publish/publish.ts";
import { withPublishedCheck } from "../../src/publish/verify-month.ts";
import publishTask from "../../jobs/publish.ts";
import { enginePath, leftOut } from "../support/clickhouse-engine.ts";
import { runCommand } from "../support/command.ts";
import { openPublishStage, ranks, type PublishStage } from "../support/publish-stage.ts";

let stage: PublishStage["stage"];
let there: PublishStage["there"];
let environment: PublishStage["environment"];
let published: PublishStage["published"];
let months: PublishStage["months"];

// with a binary that is there and not found, all others would be left out
test("chDB opens, unless tests with it are left out", async () => {
  const opened = import("chdb").then(({ Session }) => new Session().close());
  expect(
    await opened.then(
      () => true,
      () => false,
    ),
  ).toBe(enginePath !== null);
});

describe.skipIf(enginePath === null)(`publish${leftOut}`, () => {
  let on: PublishStage;
  beforeEach(async () => {
    on = await openPublishStage();
    ({ stage, there, environment, published, months } = on);
  });
  afterEach(() => on[Symbol.asyncDispose]());

  test("swaps only months that changed, whole, and removes those that are gone", async () => {
    await stage.ranks("2026-04-01", 3);
    // a month in partitions of days is published as any other
    await stage.ranks("2026-05-01", 2, "day");
    await stage.ranks("2026-05-02", 1, "day");
    await stage.ranks("2026-06-01", 3);
    expect(await published()).toEqual({ swapped: 3, unchanged: 0, removed: 0, rows: 9 });
    // all months of a small table together
    expect(there.changes().filter((statement) => / storehouse\.staging/.test(statement))).toEqual([
      "create or replace table storehouse.staging as `core`.`fact_keyword_rank`",
      "insert into storehouse.staging format Parquet",
      `alter table \`core\`.\`fact_keyword_rank\` ${["04", "05", "06"].map((month) => `replace partition 2026${month} from storehouse.staging`).join(", ")}`,
      "drop table if exists storehouse.staging sync",
    ]);
    expect(await published()).toEqual({ swapped: 0, unchanged: 3, removed: 0, rows: 9 });
    expect(there.changes().filter((statement) => !/if not exists/.test(statement))).toEqual([]);

    await stage.pool.query(`
      update ${ranks} set rank = 77 where date_day = '2026-05-01' and rank = 2; delete from ${ranks} where date_day = '2026-06-01'`);
    expect(await published()).toEqual({ swapped: 1, unchanged: 1, removed: 1, rows: 6 });
    expect(there.changes().filter((statement) => statement.startsWith("alter"))).toEqual([
      "alter table `core`.`fact_keyword_rank` replace partition 202605 from storehouse.staging",
      "alter table `core`.`fact_keyword_rank` drop partition 202606",
    ]);
    expect(await months()).toEqual([
      { month: 202604, count: 3 },
      { month: 202605, count: 3 },
    ]);
    expect(await there.ask(`select max(rank) as rank from ${ranks}`)).toEqual([{ rank: 77 }]);
  });

  test("a table without months is sent again only if it changed", async () => {
    const sent = () =>
      there.changes().filter((statement) => statement.startsWith("insert into storehouse.staging")).length;
    await published(["core.dim_country"]);
    expect(sent()).toBe(1);
    await published(["core.dim_country"]);
    expect(sent()).toBe(0);
    await stage.pool.query("update core.dim_country set country_name = 'Elsewhere' where country_key = 840");
    await published(["core.dim_country"]);
    expect(sent()).toBe(1);
  });

  test("tables and columns have the comments of Postgres, and follow when one changes or a column is new", async () => {
    await stage.ranks("2026-04-01", 1);
    await published();
    await stage.pool.query(`
      alter table ${ranks} add column note text; comment on column ${ranks}.note is 'A new one.'; comment on column ${ranks}.rank is 'Its rank.';
      update ${ranks} set note = 'seen'`);
    expect(await published()).toMatchObject({ swapped: 1 });
    const described = `select name, comment, type from system.columns where database = 'core' and table = 'fact_keyword_rank' and name in ('note', 'rank')`;
    expect(await there.ask(described)).toEqual([
      { name: "rank", comment: "Its rank.", type: "Nullable(Int32)" },
      { name: "note", comment: "A new one.", type: "Nullable(String)" },
    ]);
    expect(await there.ask(`select note from ${ranks}`)).toEqual([{ note: "seen" }]);
  });

  test("a mart that is named alone is published with the tables that it reads", async () => {
    await stage.ranks("2026-04-01", 3);
    const behind = { databaseUrl: stage.url, sandbox: { url: "http://127.0.0.1:1", token: "none" } };
    const command = ["publish", "--table", "mart.keyword_rank_movers"];
    expect(await runCommand(behind, command, { variables: environment })).toMatchObject({ code: 0 });
    expect(await months()).toEqual([{ month: 202604, count: 3 }]);
    expect(await there.ask("select toInt32(count()) as count from mart.keyword_rank_movers")).toEqual([{ count: 0 }]);
    expect(await there.ask("select name from system.tables where database = 'mart'")).toEqual([
      { name: "keyword_rank_movers" },
    ]);
  });

  test("a table that was dropped there is made and published again", async () => {
    await stage.ranks("2026-04-01", 3);
    await stage.ranks("2026-05-01", 2);
    await published();
    await there.ask(`drop table ${ranks} sync`);
    expect(await published()).toEqual({ swapped: 2, unchanged: 0, removed: 0, rows: 5 });
    expect(await months()).toEqual([
      { month: 202604, count: 3 },
      { month: 202605, count: 2 },
    ]);
    expect(await published()).toEqual({ swapped: 0, unchanged: 2, removed: 0, rows: 5 });
  });

  test("a value without room there is null, named with its row, and keeps retention from its month; decimals are rounded", async () => {
    await stage.ranks("2026-04-01", 3);
    await stage.ranks("2026-05-01", 1);
    await stage.pool.query(`
      alter table ${ranks} add column share numeric, add column seen_at timestamptz, add column rate numeric not null default 1;
      update ${ranks} set share = 0.1234567890123456785555, seen_at = '0001-01-01' where rank = 1 and date_day = '2026-04-01';
      update ${ranks} set share = 1e25, rate = 'NaN' where rank = 2`);
    const behind = { databaseUrl: stage.url, sandbox: { url: "http://127.0.0.1:1", token: "none" } };
    const { code, stderr } = await runCommand(behind, ["publish", "--table", ranks], { variables: environment });
    expect(code).toBe(1);
    const row = (keyword: number) =>
      `app_key 1, date_day 2026-04-01, country_key 840, keyword_key ${keyword}, device_key 1`;
    expect(stderr.split("\n")).toEqual(
      expect.arrayContaining([
        expect.stringMatching(`^${ranks}: 2 rows with a value out of ClickHouse's range`),
        `  rate of ${row(2)}`,
        `  seen_at of ${row(1)}`,
        `  share of ${row(2)}`,
      ]),
    );
    expect(
      await there.ask(
        `select rank, toString(share) as share, seen_at, toString(rate) as rate from ${ranks} where date_day = '2026-04-01' order by rank`,
      ),
    ).toEqual([
      { rank: 1, share: "0.123456789012345679", seen_at: null, rate: "1" },
      { rank: 2, share: null, seen_at: null, rate: "99999999999999999999" },
      { rank: 3, share: null, seen_at: null, rate: "1" },
    ]);
    const check = (month: string) =>
      withPublishedCheck(stage, { environment }, async (is) => is?.({ table: ranks, month: day(month) }));
    expect([await check("2026-04-01"), await check("2026-05-01")]).toEqual([false, true]);
  });

  test("a change of a bid of which no report is loaded has no currency there either", async () => {
    await stage.pool.query("select ops.make_partition('core.fact_bid_change', '2026-04-01', false)");
    await stage.pool.query(`
      insert into core.fact_bid_change (org_id, date_day, entity_level, entity_id, changed_at, ordinal, slice_id, fetched_at)
      values ('7', '2026-04-01', 'KEYWORD', '900', '2026-04-01 10:00', 1, 1, '2026-04-02Z')`);
    await published(["mart.bid_change_impact"]);
    expect(await there.ask("select entity_id, currency, attribution from mart.bid_change_impact")).toEqual([
      { entity_id: "900", currency: null, attribution: null },
    ]);
  });

  test("a share of paid voice there has all digits of the search volume", async () => {
    await stage.pool.query(
      "select ops.make_partition(t::regclass, '2026-04-01', false) from unnest('{core.fact_paying_app,core.fact_keyword_metadata}'::text[]) as t",
    );
    await stage.pool.query(`
      insert into core.dim_app (store, track_id) values ('ios', '77');
      insert into core.dim_keyword (keyword) values ('volume');
      insert into core.fact_paying_app (keyword_key, period_start, period_end, country_key, app_key, share, slice_id, fetched_at)
      select keyword_key, '2026-04-01', '2026-04-14', 840, app_key, 3, 1, '2026-04-15Z' from core.dim_keyword, core.dim_app
      where  keyword = 'volume' and track_id = '77';
      insert into core.fact_keyword_metadata (keyword_key, date_day, country_key, store, search_volume, slice_id, fetched_at)
      select keyword_key, '2026-04-01', 840, 'ios', 0.3333333333, 1, '2026-04-15Z' from core.dim_keyword where keyword = 'volume'`);
    const dimensions = ["dim_app", "dim_country", "dim_keyword", "tracked_app", "tracked_keyword"];
    const facts = ["fact_paying_app", "fact_paid_keyword", "fact_search_ads_top_app", "fact_keyword_metadata"];
    const others = ["ops.paid_voice_answer", "ops.keyword_groups", "ops.app_groups", "mart.paid_share_of_voice"];
    await published([...[...dimensions, ...facts].map((name) => `core.${name}`), ...others]);
    const { rows } = await stage.pool.query("select paid_voice_sum::text as sum from mart.paid_share_of_voice");
    expect(rows).toEqual([{ sum: "1.000000" }]);
    expect(await there.ask("select toFloat64(paid_voice_sum) as sum from mart.paid_share_of_voice")).toEqual([
      { sum: 1 },
    ]);
  });

  test("a mart is computed once: it may not change while it is read", async () => {
    await stage.pool.query(`
      create sequence core.computed;
      create view mart.counted as select d::date as date_day, nextval('core.computed') as number
      from generate_series(timestamp '2026-04-01', '2026-05-31', interval '1 day') as d`);
    await published(["mart.counted"]);
    expect(await there.ask("select toInt32(max(number)) as number from mart.counted")).toEqual([{ number: 61 }]);
  });

  test("a connection that is cut before the swap leaves the month as it was, and the next publication takes it up", async () => {
    await stage.ranks("2026-04-01", 3);
    await published();
    await stage.ranks("2026-04-02", 2);
    there.letThrough = (statement) => !statement.includes("replace partition");
    await expect(published()).rejects.toMatchObject({ code: "clickhouse_unavailable" });
    expect(await months()).toEqual([{ month: 202604, count: 3 }]);
    there.letThrough = () => true;
    expect(await published()).toMatchObject({ swapped: 1, rows: 5 });
  });

  test("a stop ends a publication as a stop, not as a failure", async () => {
    await stage.ranks("2026-04-01", 3);
    await using clickHouse = openClickHouse({ environment: on.environment });
    const reason = new Error("stopped");
    const stopped = publish(stage, clickHouse, { now: Date.now, only: [ranks], signal: AbortSignal.abort(reason) });
    await expect(stopped).rejects.toBe(reason);
  });

  test("a record from a clock that was ahead does not hide a later one", async () => {
    const rank = (value: number) => stage.pool.query(`update ${ranks} set rank = ${value} where keyword_key = 2`);
    await stage.ranks("2026-04-01", 2);
    await rank(7);
    await published();
    await there.ask(
      "insert into storehouse.published_month select * replace (toDateTime64('2030-01-01', 3, 'UTC') as published_at) from storehouse.published_month final",
    );
    await rank(8);
    await published();
    await rank(7);
    await published();
    expect(await there.ask(`select max(rank) as rank from ${ranks}`)).toEqual([{ rank: 7 }]);
  });

  test("a publication that ends between a swap and its record is taken up again, also where the rows are what they were before", async () => {
    const rank = (value: number) => stage.pool.query(`update ${ranks} set rank = ${value} where keyword_key = 2`);
    const highest = () => there.ask(`select max(rank) as rank from ${ranks}`);
    const cut = async () => {
      let isOver = false;
      there.letThrough = (statement) => {
        const passes = !isOver;
        isOver ||= / (replace|drop) partition /.test(statement);
        return passes;
      };
      await expect(published()).rejects.toMatchObject({ code: "clickhouse_unavailable" });
      there.letThrough = () => true;
    };
    await stage.ranks("2026-04-01", 2);
    await published();
    await rank(77);
    await cut();
    expect(await highest()).toEqual([{ rank: 77 }]);
    await rank(2);
    await published();
    expect(await highest()).toEqual([{ rank: 2 }]);

    await stage.pool.query(`delete from ${ranks}`);
    await cut();
    await stage.ranks("2026-04-01", 2);
    await published();
    expect(await highest()).toEqual([{ rank: 2 }]);

    await stage.ranks("2026-05-01", 1);
    await cut();
    await stage.pool.query(`delete from ${ranks} where date_day >= '2026-05-01'`);
    await published();
    expect(await months()).toEqual([{ month: 202604, count: 2 }]);
  });

  test("a month whose sums differ is not swapped", async () => {
    await stage.ranks("2026-04-01", 3);
    there.onLoaded = (table) =>
      there.ask(`alter table ${table} update rank = 9 where rank = 3 settings mutations_sync = 2`);
    await expect(published()).rejects.toMatchObject({
      code: "publish_mismatch",
      context: { table: ranks, column: "rank", month: "2026-04" },
    });
    expect(await months()).toEqual([]);
  });

  test("the command reports a refusal in one line, without the password", async () => {
    const behind = { databaseUrl: stage.url, sandbox: { url: "http://127.0.0.1:1", token: "none" } };
    const variables = { ...environment, CLICKHOUSE_PASSWORD: "wrong-password-17" };
    const ended = await runCommand(behind, ["publish"], { variables });
    expect(ended.code).toBe(2);
    const { stderr } = ended;
    expect(stderr).toMatch(/^clickhouse_refused: .*AUTHENTICATION_FAILED.*\n$/);
    expect(stderr).not.toMatch(/wrong-password|http:/);
  });

  test("an address that is not set, and one where nobody is", async () => {
    expect(() => openClickHouse({ environment: { LOG_LEVEL: "silent" } })).toThrow(/^clickhouse_unset: /);
    const nobody = { ...environment, CLICKHOUSE_URL: "http://127.0.0.1:1" };
    await expect(published([ranks], nobody)).rejects.toMatchObject({
      code: "clickhouse_unavailable",
      context: { problem: "ECONNREFUSED" },
    });
  });

  test("the task of the crontab does nothing where no address is set", async () => {
    const parts = { clock: { now: () => 0 } };
    await publishTask(parts as never, { config: { environment: {} }, warehouse: stage } as never)({}, {} as never);
    expect(there.changes()).toEqual([]);
  });
});
