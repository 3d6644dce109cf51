import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { openClickHouse } from "../../src/publish/clickhouse.ts";
import { publish } from "../../src/publish/publish.ts";
import { withPublishedCheck } from "../../src/publish/verify-month.ts";
import publishTask from "../../jobs/publish.ts";
import { enginePath, leftOut } from "../support/clickhouse-engine.ts";
import { openClickHouseStage, type ClickHouseStage } from "../support/clickhouse-stage.ts";
import { openExportStage, type ExportStage } from "../support/export-stage.ts";
import { runCommand } from "../support/command.ts";

const ranks = "core.fact_keyword_rank";
let stage: ExportStage;
let there: ClickHouseStage;
let environment: { CLICKHOUSE_URL: string; CLICKHOUSE_USER: string; CLICKHOUSE_PASSWORD: string; LOG_LEVEL: "silent" };

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
  beforeEach(async () => {
    stage = await openExportStage();
    there = await openClickHouseStage();
    environment = {
      CLICKHOUSE_URL: there.url,
      CLICKHOUSE_USER: there.user,
      CLICKHOUSE_PASSWORD: there.password,
      LOG_LEVEL: "silent",
    };
  });
  afterEach(async () => {
    await there[Symbol.asyncDispose]();
    await stage[Symbol.asyncDispose]();
  });

  let at = 0;

  /** Publishes the ranks alone, or everything. */
  async function published(only = [ranks]) {
    await using clickHouse = openClickHouse({ environment });
    const { tables } = await publish(stage, clickHouse, { now: () => (at += 1000), only });
    const one = tables.find(({ table }) => table === ranks);
    return { swapped: one?.swapped, unchanged: one?.unchanged, removed: one?.removed, rows: one?.rows };
  }

  const months = () =>
    there.ask(
      `select toYYYYMM(date_day) as month, toInt32(count()) as count from ${ranks} group by month order by month`,
    );

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
        expect.stringMatching(`^${ranks}: 2 rows with a value that ClickHouse has no room for`),
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

  test("retention takes a month only once it is published and its sums are the same", async () => {
    await stage.ranks("2025-01-01", 3);
    await stage.ranks("2025-02-01", 3);
    const behind = { databaseUrl: stage.url, sandbox: { url: "http://127.0.0.1:1", token: "none" } };
    const retention = async () => {
      const { code, stdout, stderr } = await runCommand(behind, ["retention", "--yes", "--json"], {
        settings: { retention: { keep_months: 3 } },
        variables: environment,
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
    await published();
    await stage.pool.query(`update ${ranks} set rank = 50 where date_day = '2025-02-01' and rank = 2`);
    expect(await retention()).toEqual({ code: 1, outcomes: ["2025-01-01 gone", "2025-02-01 not published"] });
    await published();
    expect(await retention()).toEqual({ code: 0, outcomes: ["2025-02-01 gone"] });
    // what retention took stays there
    expect(await published()).toEqual({ swapped: 0, unchanged: 2, removed: 0, rows: 6 });

    // and so does the rest of a month of which some is loaded again
    await stage.ranks("2025-01-01", 1);
    await stage.ranks("2025-01-02", 1);
    await stage.pool.query(`update ${ranks} set rank = 60, slice_id = 2`);
    // with a later month, of a slice that had days of both
    await stage.ranks("2025-03-01", 1);
    expect(await published()).toEqual({ swapped: 2, unchanged: 1, removed: 0, rows: 8 });
    expect(await months()).toEqual([
      { month: 202501, count: 4 },
      { month: 202502, count: 3 },
      { month: 202503, count: 1 },
    ]);
    const january = `select toString(date_day) as day, rank from ${ranks} where date_day < '2025-02-01' order by day, keyword_key`;
    const all = [60, 2, 3].map((rank) => ({ day: "2025-01-01", rank })).concat({ day: "2025-01-02", rank: 60 });
    expect(await there.ask(january)).toEqual(all);
    expect(await published()).toEqual({ swapped: 0, unchanged: 3, removed: 0, rows: 8 });
    await stage.pool.query(`update ${ranks} set rank = 61 where date_day = '2025-01-02'`);
    expect(await retention()).toEqual({ code: 1, outcomes: ["2025-01-01 not published", "2025-03-01 not published"] });
    expect(await published()).toEqual({ swapped: 1, unchanged: 2, removed: 0, rows: 8 });
    expect(await retention()).toEqual({ code: 0, outcomes: ["2025-01-01 gone", "2025-03-01 gone"] });
    expect(await published()).toEqual({ swapped: 0, unchanged: 3, removed: 0, rows: 8 });
  });

  test("a month is not the same where one value differs there", async () => {
    await stage.ranks("2025-01-01", 2);
    await published();
    const check = () =>
      withPublishedCheck(stage, { environment }, async (is) => is?.({ table: ranks, month: day("2025-01-01") }));
    expect(await check()).toBe(true);
    await there.ask(
      `alter table ${ranks} update observed_at = toDateTime64('2025-01-01 00:00:00', 6, 'UTC') where rank = 1 settings mutations_sync = 2`,
    );
    expect(await check()).toBe(false);
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
    environment = { ...environment, CLICKHOUSE_URL: "http://127.0.0.1:1" };
    await expect(published()).rejects.toMatchObject({
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
