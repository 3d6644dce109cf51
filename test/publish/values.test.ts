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
});
