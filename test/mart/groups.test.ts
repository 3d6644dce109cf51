import { afterAll, beforeAll, expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { recordGroups } from "../../src/planner/record-groups.ts";
import { openWarehouseStage, type WarehouseStage } from "../support/warehouse-stage.ts";
import { openMartStage, type MartStage } from "../support/mart-stage.ts";

let mart: MartStage;
let warehouse: WarehouseStage;

beforeAll(async () => {
  mart = await openMartStage();
  warehouse = await openWarehouseStage(2);
});
afterAll(async () => {
  await mart[Symbol.asyncDispose]();
  await warehouse[Symbol.asyncDispose]();
});

const groupsOf = (groups: object) => Settings.parse({ portfolio: { groups } }).portfolio.groups;

test("groups of apps and keywords are those of the configuration, and what has not changed is not written", async () => {
  const read = async () => {
    const { rows } = await warehouse.pool.query<{ reported: string }>(`
      select group_name || ': ' || app_name as reported from mart.app_group
      union all select group_name || ': ' || keyword from mart.keyword_group order by 1`);
    return rows.map(({ reported }) => reported);
  };
  const versions = async () =>
    (
      await warehouse.pool.query(
        "select ctid, xmin, keyword as member from core.grouped_keyword union all select ctid, xmin, group_name || track_id from core.grouped_app order by member",
      )
    ).rows;
  await warehouse.pool.query("insert into core.dim_app (store, track_id, app_name) values ('ios', '12', 'Twelve')");
  const given = {
    apps: { casual: [12, "com.example.app"], all: ["12"] },
    keywords: { brand: ["lumi", "lumi habit"], generic: ["habit"] },
  };
  await recordGroups(warehouse.db, groupsOf(given));
  const all = [
    "all: Twelve",
    "brand: lumi",
    "brand: lumi habit",
    "casual: Twelve",
    "casual: com.example.app",
    "generic: habit",
  ];
  expect(await read()).toEqual(all);
  const before = await versions();
  await recordGroups(warehouse.db, groupsOf(given));
  expect(await versions()).toEqual(before);
  await recordGroups(warehouse.db, groupsOf({ keywords: { brand: ["lumi"] } }));
  expect(await read()).toEqual(["brand: lumi"]);
});

test("a mart is added up by groups of keywords and of apps", async () => {
  const rank = (app_key: string, keyword_key: string, place: number) => ({
    app_key,
    keyword_key,
    rank: place,
    country_key: "US",
    device_key: "IPHONE",
    date_day: "2026-08-08",
  });
  await mart.fill("core.fact_keyword_rank", [
    rank("ios:1", "lumi", 1),
    rank("ios:1", "habit", 9),
    rank("ios:2", "habit", 4),
    rank("ios:2", "other", 2),
  ]);
  await mart.ask(
    "insert into core.grouped_keyword values ('brand', 'lumi'), ('generic', 'habit'), ('all', 'habit'), ('all', 'lumi')",
  );
  await mart.ask("insert into core.grouped_app values ('casual', 'ios', '1'), ('casual', 'ios', '2')");
  expect(
    await mart.ask(`
      select g.group_name, count(*) as keywords, min(r.keyword_rank) as best, max(r.keyword_rank) as worst
      from   mart.keyword_rank_daily as r join mart.keyword_group as g on g.keyword = r.keyword group by 1 order by 1`),
  ).toEqual(["all | 3 | 1 | 9", "brand | 1 | 1 | 1", "generic | 2 | 4 | 9"]);
  expect(
    await mart.ask(
      "select app_groups, keyword_groups, keyword from mart.keyword_rank_daily where track_id = '2' union select app_groups, null, null from mart.app_overview_daily order by 3, 1",
    ),
  ).toEqual(["casual | all, generic | habit", "casual | - | other", "casual | - | -"]);
  expect(
    await mart.ask(`
      select g.group_name, sum(o.answered_keyword_count) as keywords
      from   mart.app_overview_daily as o join mart.app_group as g on g.store = o.store and g.track_id = o.track_id group by 1`),
  ).toEqual(["casual | 4"]);
});

test("a group has its own counts and share of voice by day, complete or not, and capital letters make no difference", async () => {
  await mart.ask("insert into core.grouped_keyword values ('brand', 'LUMI app'), ('brand', 'NEVER answered')");
  const on = { country_key: "US", device_key: "IPHONE", date_day: "2026-08-09" };
  await mart.fill("core.fact_keyword_rank", [
    { ...on, app_key: "ios:1", keyword_key: "lumi", rank: 2 },
    { ...on, app_key: "ios:1", keyword_key: "Lumi App", rank: null },
    { ...on, app_key: "ios:1", keyword_key: "habit", rank: 4 },
  ]);
  await mart.slice({
    dataset: "keyword_rank",
    scope: { store: "ios", app: "2", country: "US" },
    days: ["2026-08-09", "2026-08-10"],
    asOf: "2026-08-09",
    state: "deferred",
    items: ["lumi", "habit", "other", "Never Answered"],
  });
  const rows = (app: string) =>
    mart.ask(`
      select group_name, requested_keyword_count, answered_keyword_count, is_complete, ranked_keyword_count, top_3_keyword_count, rank_sum, average_rank, voice_sum, voice_share
      from   mart.keyword_group_daily where date_day = '2026-08-09' and device_code = 'IPHONE' and track_id = '${app}' order by 1`);
  expect(await rows("1")).toEqual([
    "all | 2 | 2 | true | 2 | 1 | 6 | 3 | 0.75 | 0.375",
    "brand | 2 | 2 | true | 1 | 1 | 2 | 2 | 0.5 | 0.25",
    "generic | 1 | 1 | true | 1 | 0 | 4 | 4 | 0.25 | 0.25",
  ]);
  expect(await rows("2")).toEqual([
    "all | 2 | 0 | false | - | - | - | - | - | -",
    "brand | 2 | 0 | false | - | - | - | - | - | -",
    "generic | 1 | 0 | false | - | - | - | - | - | -",
  ]);
});

test("every mart with keywords has the groups of the keyword and of the app, and reads none where they are not selected", async () => {
  const marts = await mart.ask(`
    select table_name from information_schema.columns where table_schema = 'mart' and column_name = 'keyword' and table_name not in ('keyword_group')
    except select k.table_name from information_schema.columns as k
    join   information_schema.columns as a on a.table_schema = 'mart' and a.table_name = k.table_name and a.column_name = 'app_groups'
    where  k.table_schema = 'mart' and k.column_name = 'keyword_groups'`);
  expect(marts).toEqual([]);
  const plan = await mart.ask(
    "explain select date_day, avg(keyword_rank) from mart.keyword_rank_daily where app_name = 'x' group by 1",
  );
  expect(plan.join("\n")).not.toContain("grouped");
});
