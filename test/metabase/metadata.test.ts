import { afterAll, expect, test } from "vitest";
import { sharedMetabaseStage, type MetabaseStage } from "../support/metabase-stage.ts";

const shared = sharedMetabaseStage({ readsComments: false, dashboards: [] });
afterAll(() => shared[Symbol.asyncDispose]());

function fieldOf({ metabase }: MetabaseStage, schema: string, table: string, column: string) {
  const found = metabase.state.tables.find((one) => one.schema === schema && one.name === table);
  const field = found?.fields.find(({ name }) => name === column);
  if (field === undefined) throw new Error(`no column ${schema}.${table}.${column}`);
  return field;
}

test("tables and columns say what their comments in Postgres say, also where Metabase has not read them", async () => {
  const stage = await shared.fresh();
  const undescribed = stage.metabase.state.tables.flatMap((table) => [
    ...(table.description === null ? [table.name] : []),
    ...table.fields.filter(({ description }) => description === null).map(({ name }) => `${table.name}.${name}`),
  ]);
  expect(undescribed).toEqual([]);
  const rank = fieldOf(stage, "mart", "keyword_rank_daily", "keyword_rank");
  expect(rank.description).toMatch(/^Position in the search results/);
});

test("keys lead from facts to dimensions, and what analysts need not see is hidden", async () => {
  const stage = await shared.fresh();
  const app = fieldOf(stage, "core", "dim_app", "app_key");
  expect(app).toMatchObject({ semantic_type: "type/PK", visibility_type: "normal" });
  expect(fieldOf(stage, "core", "fact_keyword_rank", "app_key")).toMatchObject({
    semantic_type: "type/FK",
    fk_target_field_id: app.id,
    visibility_type: "details-only",
  });
  for (const column of ["slice_id", "fetched_at"])
    expect(fieldOf(stage, "core", "fact_keyword_rank", column).visibility_type).toBe("sensitive");
  expect(fieldOf(stage, "core", "dim_app", "icon_url").semantic_type).toBe("type/ImageURL");
  expect(fieldOf(stage, "mart", "keyword_rank_daily", "country_code").semantic_type).toBe("type/Country");
});

test("a name, a type or a format that a person chose stays where we have none of our own", async () => {
  const stage = await shared.fresh();
  const cost = fieldOf(stage, "core", "fact_search_ads_report", "cpa");
  expect(cost.display_name).toBe("CPA");
  cost.display_name = "Cost of a customer";
  cost.settings = { ...cost.settings, prefix: "~" };
  const rank = fieldOf(stage, "mart", "keyword_rank_daily", "keyword_rank");
  rank.semantic_type = "type/Score";
  expect((await stage.apply()).changes).toEqual([]);
  expect(cost).toMatchObject({ display_name: "Cost of a customer", settings: { prefix: "~", decimals: 2 } });
  expect(rank.semantic_type).toBe("type/Score");
});

test("a run that breaks off in the middle is finished by the next", async () => {
  const stage = await shared.fresh();
  for (const table of stage.metabase.state.tables.slice(0, 3))
    for (const one of [table, ...table.fields]) one.description = null;
  stage.metabase.fail({ method: "PUT", path: /^\/api\/table\//, status: 500, body: { message: "out of memory" } });
  await expect(stage.apply()).rejects.toThrow(
    /^metabase_failed: Metabase failed to update table \w+\.\w+: 500 out of memory; see its log/,
  );
  stage.metabase.fail({ method: "PUT", path: /^\/api\/field\//, status: 403 });
  await expect(stage.apply()).rejects.toThrow(
    /^metabase_forbidden: Metabase does not allow this key or account to update column/,
  );
  expect((await stage.apply()).isComplete).toBe(true);
  expect((await stage.apply()).changes).toEqual([]);
});

// changes the warehouse that all share, so it comes last
test("a comment that changed is sent to Metabase, and nothing else is", async () => {
  const stage = await shared.fresh();
  await stage.warehouse.pool.query("comment on view mart.keyword_rank_daily is 'Ranks, day by day.'");
  await stage.warehouse.pool.query("comment on column mart.keyword_rank_daily.keyword is 'What people search for.'");
  stage.metabase.forgetWrites();
  const { changes } = await stage.apply();
  expect(changes.map(({ name, properties }) => [name, properties])).toEqual([
    ["mart.keyword_rank_daily", ["description"]],
    ["mart.keyword_rank_daily.keyword", ["description"]],
  ]);
  expect(stage.metabase.writes()).toHaveLength(2);
});
