import { expect, test } from "vitest";
import { replay } from "../../src/archive/replay.ts";
import { addDays } from "../../src/core/day.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { askedDays, openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { factsOf, versionsOf } from "../support/ingest-tables.ts";

// an Android app with more keywords than one call names
const market = { apps: 2, countries: ["US"], keywordsPerApp: 130, organicKeywords: 4 } as const;
const settings = (ranks: boolean): RunOptions => ({
  settings: { datasets: { tracked_keyword: { options: { ranks } }, keyword_rank: { history_days: 4 } } },
});

/** Credits that the sandbox charged for ranks of Android apps. */
function chargedForRanks(stage: Stage): number {
  return stage
    .asked()
    .filter(({ operation }) => /^android\.keyword-(ranking|history)$/.test(operation ?? ""))
    .reduce((sum, { charged }) => sum + charged, 0);
}

/** Rows without what shows only where a rank is from. */
const ranksOf = (stage: Stage) => factsOf(stage, ["slice_id", "fetched_at", "observed_at", "created_at"]);

test("ranks that come with the account's list are loaded with it, counted as covered, and not bought again", async () => {
  await using bought = await openStage({ market });
  await bought.sync(settings(false));
  await using stage = await openStage({ market });
  const result = await stage.sync(settings(true));

  expect(result.outcome).toBe("loaded");
  // without: two calls a day, and the history of a keyword with a comma; with: one call a day for those of which the list has no rank
  expect([chargedForRanks(bought), chargedForRanks(stage)]).toEqual([34, 12]);
  expect(await ranksOf(stage)).toEqual(await ranksOf(bought));
  const reported = await stage.query<{ day: string; scope: unknown; cost: number }>(`
    select s.window_start::text as day, s.scope, s.state, s.operation, s.fingerprint, s.planned_credits as credits,
           (select count(*)::int from core.fact_keyword_rank as f where f.slice_id = s.slice_id) = cardinality(b.items) as all_rows
    from   ops.slice as s join ops.batch as b using (batch_id) where s.fingerprint <> '' and s.dataset = 'keyword_rank' order by 1`);
  expect(reported).toEqual(
    askedDays().map((day) => ({
      day,
      scope: expect.objectContaining({ store: "android", country: "US" }),
      state: "loaded",
      operation: "dashboard.daily-keyword-rankings",
      fingerprint: "reported by tracked_keyword",
      credits: 0,
      all_rows: true,
    })),
  );
  // what was charged is counted once, although an answer stands behind several slices
  const [sum] = await stage.query<{ cost: number }>("select sum(cost)::int as cost from ops.request");
  expect(sum?.cost).toBe(stage.asked().reduce((all, { charged }) => all + charged, 0));

  const before = await factsOf(stage, []);
  await using app = await stage.open();
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  await replay(parts, keywordRank, { within: {}, keepPruned: false });
  expect(await factsOf(stage, [])).toEqual(before);
});

test("what was bought before the list came stays as it is", async () => {
  await using stage = await openStage({ market });
  await stage.sync(settings(false));
  const before = await versionsOf(stage);
  const lists = () => stage.asked().filter(({ operation }) => operation === "dashboard.daily-keyword-rankings").length;
  const listsBefore = lists();
  await stage.query("update ops.slice set as_of = $1 where dataset = 'tracked_keyword'", [addDays(today, -30)]);
  await stage.sync({ ...settings(true), request: { datasets: ["tracked_keyword"] } });
  const after = await versionsOf(stage);
  expect(lists()).toBe(2 * listsBefore);
  expect(after["core.fact_keyword_rank"]).toEqual(before["core.fact_keyword_rank"]);
});
