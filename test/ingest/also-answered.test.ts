import { beforeAll, expect, test } from "vitest";
import { replay } from "../../src/archive/replay.ts";
import { reportedWords } from "../../src/cli/reported-words.ts";
import { addDays } from "../../src/core/day.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { readReported, sumReported } from "../../src/planner/reported-cells.ts";
import { requestedDays, openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { checkReported } from "../../src/doctor/ledger-checks.ts";
import { factsOf, versionsOf } from "../support/ingest-tables.ts";
import { forTests } from "../support/for-tests.ts";

// an Android app with more keywords than one call names
const market = { apps: 2, countries: ["US"], keywordsPerApp: 130, organicKeywords: 4 } as const;
const history = { keyword_rank: { history_days: 4 } };
const off: RunOptions = { settings: { datasets: { tracked_keyword: { options: { ranks: false } }, ...history } } };
const byDefault: RunOptions = { settings: { datasets: { tracked_keyword: {}, ...history } } };
const [yesterday, ...olderDays] = requestedDays().toReversed();

/** Where every rank is requested. */
const bought = forTests(() => openStage({ market }));
beforeAll(async () => {
  await bought.sync(off);
});

const charged = (stage: Stage) => stage.requested().reduce((sum, one) => sum + one.charged, 0);
const chargedForLists = (stage: Stage) =>
  stage
    .requested()
    .reduce((sum, one) => sum + (one.operation === "dashboard.daily-keyword-rankings" ? one.charged : 0), 0);

/** Rows without what shows only where a rank is from. */
const ranksOf = (stage: Stage) => factsOf(stage, ["slice_id", "fetched_at", "observed_at", "created_at"]);

const checksOf = (stage: Stage) =>
  stage.query(`select date_day::text as day, figures::text, compared_count > 50 as many, differing_count as differing
               from ops.reported_check`);

test("a first sync takes the ranks that come with the account's list, buys the newest day to compare, and has the same rows for fewer credits", async () => {
  await using stage = await openStage({ market });
  const result = await stage.sync(byDefault);

  expect(result.outcome).toBe("loaded");
  expect(result.progress.alongside).toBe(olderDays.length);
  // two calls a day become one for three of the four days
  expect(charged(bought) - charged(stage)).toBe(9);
  expect(await ranksOf(stage)).toEqual(await ranksOf(bought));
  expect(await checksOf(stage)).toEqual([{ day: yesterday, figures: "{}", many: true, differing: 0 }]);
  expect(await reportedSlices(stage)).toEqual(
    olderDays.toReversed().map((day) => ({
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
  expect(sum?.cost).toBe(charged(stage));

  const before = await factsOf(stage, []);
  await using app = await stage.open();
  const read = await readReported(app.warehouse.db, {
    request: { datasets: [], bounds: {}, today },
    settings: app.config.settings,
  });
  const cells = Number(
    (
      await stage.query(`select count(*)::int as cells from core.fact_keyword_rank as f
    join ops.slice as s using (slice_id) where s.fingerprint <> ''`)
    )[0]?.["cells"],
  );
  expect(sumReported(read)).toEqual([
    { dataset: "keyword_rank", source: "tracked_keyword", cells, firstDay: olderDays.at(-1), lastDay: olderDays[0] },
  ]);
  expect(reportedWords(sumReported(read)).join().replaceAll("\u00a0", " ")).toBe(
    `${cells} cells of keyword_rank (2026-08-16 to 08-18) are reported by tracked_keyword and not requested.`,
  );
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  await replay(parts, keywordRank, { within: {}, keepPruned: false });
  expect(await factsOf(stage, [])).toEqual(before);

  // what was bought before a list comes stays as it is
  const versions = await versionsOf(bought);
  await bought.query("update ops.slice set as_of = $1 where dataset = 'tracked_keyword'", [addDays(today, -30)]);
  await bought.sync({ ...byDefault, request: { datasets: ["tracked_keyword"] } });
  expect((await versionsOf(bought))["core.fact_keyword_rank"]).toEqual(versions["core.fact_keyword_rank"]);
});

test("where the list reports other ranks than a request brings, the same sync requests its days, and it is not taken again", async () => {
  await using stage = await openStage({ market });
  await using listed = await openProxy(stage.sandbox, (passing) => {
    if (passing.target.includes("/keywords/rankings/")) passing.body = withOtherRanks(passing.body);
  });
  const through = (run: RunOptions): RunOptions => ({ ...run, environment: { API_BASE_URL: listed.url } });
  await stage.sync(through(byDefault));
  const [check] = await checksOf(stage);
  expect(check).toMatchObject({ day: yesterday, figures: "{}", many: true });
  await using app = await stage.open();
  expect(await checkReported(app.warehouse.db)).toMatchObject({
    state: "warn",
    found: expect.stringMatching(
      new RegExp(`^keyword_rank by tracked_keyword: [1-9]\\d* of [1-9]\\d* figures differ, first on ${yesterday}$`),
    ),
  });

  const own = async (of: Stage) => (await ranksOf(of))["core.fact_keyword_rank"];
  expect(await reportedSlices(stage)).toHaveLength(olderDays.length);
  expect(await own(stage)).toEqual(await own(bought));
  const ranksCharged = (of: Stage) => charged(of) - chargedForLists(of);
  expect(ranksCharged(stage)).toBeGreaterThan(ranksCharged(bought));

  await stage.query("delete from ops.slice where dataset = 'keyword_rank'");
  await stage.query("update ops.slice set as_of = $1 where dataset = 'tracked_keyword'", [addDays(today, -30)]);
  await stage.sync({ ...through(byDefault), request: { datasets: ["tracked_keyword"] } });
  expect(await reportedSlices(stage)).toEqual([]);
});

test("what a list reports that was loaded while another worker found that lists differ is requested as well, once its own day differs", async () => {
  await using stage = await openStage({ market });
  await using listed = await openProxy(stage.sandbox, (passing) => {
    if (passing.target.includes("/keywords/rankings/")) passing.body = withOtherRanks(passing.body);
  });
  const through = (run: RunOptions): RunOptions => ({ ...run, environment: { API_BASE_URL: listed.url } });
  await stage.sync({ ...through(byDefault), request: { datasets: ["tracked_keyword"] } });
  expect(await reportedSlices(stage)).toHaveLength(olderDays.length);
  // its difference was committed between the check of that list and its rows
  await stage.query(
    `insert into ops.reported_check (dataset, scope, date_day, source, account, figures, compared_count, differing_count)
     select dataset, '{"app": "another"}', date_day, source, account, '{}', 1, 1 from ops.reported_check`,
  );
  await stage.sync(through(byDefault));
  const own = async (of: Stage) => (await ranksOf(of))["core.fact_keyword_rank"];
  expect(await own(stage)).toEqual(await own(bought));
});

function withOtherRanks(body: string): string {
  const answer = JSON.parse(body) as { data: { rankingHistory: { rank: number | null }[] }[] };
  for (const { rankingHistory } of answer.data) for (const one of rankingHistory) if (one.rank !== null) one.rank += 7;
  return JSON.stringify(answer);
}

function reportedSlices(stage: Stage) {
  return stage.query(`
    select s.window_start::text as day, s.scope, s.state, s.operation, s.fingerprint, s.planned_credits as credits,
           (select count(*)::int from core.fact_keyword_rank as f where f.slice_id = s.slice_id) = cardinality(b.items) as all_rows
    from   ops.slice as s join ops.batch as b using (batch_id) where s.fingerprint <> '' and s.dataset = 'keyword_rank' order by 1`);
}

test("ranks that come for months without a partition, together with apps that are written, are loaded", async () => {
  await using stage = await openStage({ market });
  await stage.sync({ settings: { datasets: { keyword_rank: { on: false } } } });
  // the lists are due again
  await stage.query(
    "update ops.slice set as_of = $1, window_start = $1, window_end = $1::date + 1 where dataset in ('tracked_app', 'tracked_keyword')",
    [addDays(today, -30)],
  );
  await stage.query("update core.tracked_app set valid_from = $1", [addDays(today, -30)]);
  expect((await stage.sync(byDefault)).outcome).toBe("loaded");
  expect(await reportedSlices(stage)).not.toEqual([]);
});
