import { beforeAll, describe, expect, test } from "vitest";
import { readRelations } from "../../src/postgres/relations.ts";
import { enginePath, leftOut } from "../support/clickhouse-engine.ts";
import { rowsInClickHouse, rowsInPostgres } from "../support/clickhouse-rows.ts";
import { openPublishStage } from "../support/publish-stage.ts";
import { forTests } from "../support/for-tests.ts";

describe.skipIf(enginePath === null)(`values that both databases have to read alike${leftOut}`, () => {
  const on = forTests(openPublishStage);
  beforeAll(async () => {
    await on.stage.pool.query(
      "insert into core.dim_app (app_key, store, track_id) overriding system value values (1, 'ios', '1')",
    );
  });

  async function rowsOf(mart: string): Promise<{ readonly here: string[]; readonly there: string[] }> {
    const relations = await readRelations(on.stage.db);
    const relation = relations.find(({ name }) => name === mart);
    if (relation === undefined) throw new Error(`there is no ${mart}`);
    // with the tables that it reads
    await on.published([mart]);
    return { here: await rowsInPostgres(on.stage.pool, relation), there: await rowsInClickHouse(on.there, relation) };
  }

  test("networks of an advertisement of which one or all have an empty title, or none", async () => {
    await on.stage.pool.query(`
      insert into core.ad_creative (app_key, period_start, period_end, country_key, network, media_type, creative_key, networks, slice_id, fetched_at)
      select 1, '2026-07-01', '2026-07-30', 840, '', '', n.place, n.networks::jsonb, 1, now()
      from   unnest(array['[{"title":""}]', '[{"title":""},{"title":""}]', '[{"title":"b"},{"title":""}]', '[]', '[{"title":null}]', '{}', null])
             with ordinality as n (networks, place)`);
    const { here, there } = await rowsOf("mart.advertisement");
    expect(here).toHaveLength(7);
    expect(there).toEqual(here);
  });

  test("keywords of a group with letters that each database makes small in its own way", async () => {
    await on.stage.pool.query(`
      insert into core.grouped_keyword (group_name, keyword) values ('ours', 'İSTANBUL'), ('ours', 'ΟΔΟΣ');
      insert into core.dim_keyword (keyword) values ('istanbul'), ('οδός'), ('οδος')`);
    const { here, there } = await rowsOf("mart.keyword_group");
    expect(here).toHaveLength(2);
    expect(there).toEqual(here);
  });

  test("what the configuration lists, in a column called part", async () => {
    await on.stage.pool.query(`
      insert into core.configured_portfolio (store, track_id, part, member, valid_from)
      values ('ios', '1', 'app', '', '2026-08-01'), ('ios', '1', 'keyword', 'Grün', '2026-08-01')`);
    const { here, there } = await rowsOf("core.configured_portfolio");
    expect(here).toHaveLength(2);
    expect(there).toEqual(here);
  });

  test("reviews of a day of which v2 has a part, and the plain list all", async () => {
    await on.stage.pool.query(`
      insert into core.review (app_key, review_id, source, reviewed_at, country_key, language_code, slice_id, fetched_at)
      select 1, r.place, r.source, r.at::timestamp, 840, '', 1, now()
      from   (values (1, 'v2', '2026-08-01 23:59:59'), (2, 'plain', '2026-08-01'), (3, 'plain', '2026-08-01 12:00'),
                     (4, 'v2', '2026-08-02'), (5, 'plain', '2026-08-02 23:59:59')) as r (place, source, at);
      with run as (insert into ops.run (kind, as_of, datasets, started_at) values ('sync', '2026-08-08', '{}', now()) returning run_id)
      insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at)
      select 'review', 'o', s.scope::jsonb, s.first_day, '2026-08-03', '2026-08-08', '', 'daily', 'loaded', 1, 1, run_id, now()
      from   run, (values ('{"store":"ios","app":"1","source":"v2"}', date '2026-08-02'), ('{"store":"ios","app":"1","source":"plain"}', '2026-08-01')) as s (scope, first_day)`);
    const { here, there } = await rowsOf("mart.review_text");
    expect(here).toHaveLength(3);
    expect(there).toEqual(here);
    const versions = await rowsOf("mart.review_by_version");
    expect(versions.here).toHaveLength(1);
    expect(versions.there).toEqual(versions.here);
  });

  test("lists of a search of which those of one device, or all, are empty", async () => {
    await on.stage.pool.query(`
      insert into core.dim_keyword (keyword) values ('no more'), ('one device');
      insert into core.dim_app (app_key, store, track_id) overriding system value values (2, 'ios', '2');
      select ops.make_partition(f::regclass, '2026-08-01') from unnest('{core.fact_keyword_rank,core.fact_keyword_app}'::text[]) as f;
      insert into core.fact_keyword_rank (app_key, date_day, country_key, keyword_key, device_key, rank, slice_id, fetched_at)
      select 1, '2026-08-08', 840, keyword_key, d, 9, 1, now() from core.dim_keyword, unnest('{1,2}'::smallint[]) as d where keyword in ('no more', 'one device');
      insert into core.fact_keyword_rank_summary (app_key, date_day, country_key, device_key, answered_keyword_count, ranked_keyword_count, top_1_keyword_count, top_3_keyword_count,
                                                  top_10_keyword_count, top_50_keyword_count, rank_sum, voice_billionths)
      select 1, '2026-08-08', 840, d, 2, 2, 0, 0, 2, 2, 18, 222222222 from unnest('{1,2}'::smallint[]) as d;
      insert into core.fact_keyword_app (keyword_key, date_day, country_key, store, device_key, position, app_key, slice_id, fetched_at)
      select keyword_key, '2026-08-01', 840, 'ios', 1, 1, 2, 1, now() from core.dim_keyword where keyword in ('no more', 'one device');
      insert into core.tracked_competitor (app_key, account, competitor_app_key, valid_from, is_current, slice_id, fetched_at) values (1, '', 2, '2026-08-01', true, 1, now());
      with run as (insert into ops.run (kind, as_of, datasets, started_at) values ('sync', '2026-08-08', '{}', now()) returning run_id)
      insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at)
      select 'keyword_app', 'o', '{"store":"ios","country":"US","keyword":"no more"}', '2026-08-03', '2026-08-04', '2026-08-03', '', 'snapshot', 'empty', 1, 5, run_id, now() from run`);
    const { here, there } = await rowsOf("mart.keyword_rank_vs_competitor");
    expect(here.filter((row) => row.includes("only we"))).toHaveLength(3);
    expect(here).toHaveLength(4);
    expect(there).toEqual(here);
  });

  test("figures of a keyword that a newer answer, or a newer list, leaves out", async () => {
    await on.stage.pool.query(`
      insert into core.dim_app (app_key, store, track_id) overriding system value values (3, 'ios', '3');
      insert into core.dim_keyword (keyword) values ('of answers'), ('of lists');
      select ops.make_partition(f::regclass, m) from unnest('{core.fact_keyword_rank,core.fact_keyword_metadata}'::text[]) as f, unnest('{2026-07-01,2026-08-01}'::date[]) as m;
      insert into core.fact_keyword_rank (app_key, date_day, country_key, keyword_key, device_key, rank, slice_id, fetched_at)
      select 3, '2026-08-08', 840, keyword_key, 1, 2, 1, now() from core.dim_keyword where keyword in ('of answers', 'of lists');
      insert into core.fact_keyword_rank_summary (app_key, date_day, country_key, device_key, answered_keyword_count, ranked_keyword_count, top_1_keyword_count, top_3_keyword_count,
                                                  top_10_keyword_count, top_50_keyword_count, rank_sum, voice_billionths)
      values (3, '2026-08-08', 840, 1, 2, 2, 0, 2, 2, 2, 4, 1000000000);
      insert into core.fact_keyword_metadata (keyword_key, date_day, country_key, store, search_volume, popularity, iphone_chance, iphone_app_count, slice_id, fetched_at)
      select keyword_key, v.day::date, 840, 'ios', v.volume, v.popularity, v.chance, v.apps, 1, now()
      from   core.dim_keyword, (values ('2026-07-18', 50, 9, 9, 9), ('2026-07-25', 50, 33, 40, 210), ('2026-08-01', null, null, null, null)) as v (day, volume, popularity, chance, apps)
      where  keyword = 'of answers';
      insert into core.tracked_keyword (app_key, account, country_key, keyword_key, valid_from, valid_to, is_current, search_volume, chance, app_count, slice_id, fetched_at)
      select 3, '', 840, keyword_key, v.since::date, v.until::date, v.until is null, v.volume, v.chance, v.apps, 1, now()
      from   core.dim_keyword, (values ('2026-06-01', '2026-07-01', 30, 10, 70), ('2026-07-20', null, null, null, null)) as v (since, until, volume, chance, apps)
      where  keyword = 'of lists'`);
    const { here, there } = await rowsOf("mart.keyword_opportunity");
    const figures = here.filter((row) => row.includes('"of answers"') || row.includes('"of lists"'));
    expect(figures).toEqual([
      expect.stringContaining('"33","40","210"'),
      expect.stringContaining('"30","-","10","70"'),
    ]);
    expect(there).toEqual(here);
  });

  test("a chart that is empty on a day", async () => {
    await on.stage.pool.query(`
      select ops.make_partition('core.fact_top_chart'::regclass, '2026-08-01');
      insert into core.fact_top_chart (app_key, date_day, country_key, device_key, category_code, chart, chart_version, rank, category_name, slice_id, fetched_at)
      select 1, d, 840, 1, '6007', 'FREE', 'v1', 1, 'Productivity', 1, now() from unnest('{2026-08-01,2026-08-04}'::date[]) as d;
      with run as (insert into ops.run (kind, as_of, datasets, started_at) values ('sync', '2026-08-08', '{}', now()) returning run_id)
      insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at)
      select 'top_chart', 'o', '{"store":"ios","country":"US","chart":"FREE","device":"IPHONE","category_code":"6007","chart_version":"v1"}', '2026-08-02', '2026-08-04', '2026-08-04',
             '', 'daily', 'empty', 1, 10, run_id, now() from run`);
    const { here, there } = await rowsOf("mart.chart_movement_daily");
    expect(here).toHaveLength(3);
    expect(there).toEqual(here);
  });
});
