import { expect, test } from "vitest";
import { replay } from "../../src/archive/replay.ts";
import { day, type Day } from "../../src/core/day.ts";
import { topAdvertiser } from "../../src/datasets/top-advertiser.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { readScopeCoverage } from "../../src/planner/gaps.ts";
import { retire } from "../../src/runs/retention.ts";
import { openStage, callText, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";

const names = (["category_share", "top_advertiser", "review_word", "monthly_estimate"] as const).slice(0, long ? 4 : 2);
const datasets = Object.fromEntries(names.map((name) => [name, { on: true }]));
/** Windows and snapshots of 30 days that begin at the end of January, over the end of February. */
const nights = ["2026-01-31", "2026-02-28", "2026-03-01", "2026-03-02", "2026-03-31", "2026-04-01", "2026-04-02"]
  .filter((text) => long || !["2026-03-02", "2026-03-31", "2026-04-02"].includes(text))
  .map((text) => day(text));
/** A month goes on each of these. */
const cuts: readonly string[] = ["2026-03-01", "2026-04-01"].slice(0, long ? 2 : 1);

/** Retention and then the nightly sync; what was requested. */
async function night(
  stage: Stage,
  today: Day,
  settings: NonNullable<RunOptions["settings"]>,
): Promise<readonly string[]> {
  stage.sandbox.set({ today });
  const run: RunOptions = { settings, request: { today, datasets: [...names] } };
  await using app = await stage.open(run);
  await retire(app.warehouse.db, { settings: app.config.settings, clock: app.clock, action: "drop" });
  const before = stage.requested().length;
  expect(await stage.sync(run)).toMatchObject({ outcome: "loaded" });
  // calls run side by side: their order may differ
  return stage.requested().slice(before).map(callText).sort();
}

/** The state of each day of a dataset, from a day on. */
async function statesOn(stage: Stage, today: Day, dataset: string): Promise<Readonly<Record<string, string>>> {
  await using app = await stage.open({ settings: { datasets, retention: { keep_months: 1 } } });
  const request = { datasets: [dataset], bounds: { start: day("2026-01-01"), end: today }, today };
  const scopes = await readScopeCoverage(app.warehouse.db, { request, settings: app.config.settings });
  return Object.fromEntries(
    scopes.flatMap((one) => [...one.days].map(([date, counts]) => [date, Object.keys(counts).sort().join("+")])),
  );
}

test("keeping one month requests nothing more where windows and snapshots reach over the cut, gaps say what is there, and a replay changes no outcome", async () => {
  const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 };
  await using kept = await openStage({ market });
  await using all = await openStage({ market });
  for (const today of nights) {
    const nightly = () => night(kept, today, { datasets, retention: { keep_months: 1 } });
    expect(await nightly(), `the night of ${today}`).toEqual(await night(all, today, { datasets }));
    if (cuts.includes(today)) expect(await nightly(), `the night of ${today} once more`).toEqual([]);
  }
  const last = day("2026-04-02");
  const periods = await statesOn(kept, last, "top_advertiser");
  // the 30 days that ended in February began in January; those that began in February are kept
  expect(periods).toMatchObject({
    "2026-01-21": "dropped",
    "2026-02-19": "dropped",
    "2026-02-20": "loaded",
    "2026-03-21": "loaded",
  });
  const rows = await kept.query("select min(period_start)::text as first from core.fact_top_advertiser");
  expect(rows).toEqual([{ first: "2026-02-20" }]);
  expect(await statesOn(kept, last, "category_share")).toMatchObject({ "2026-01-31": "dropped" });
  expect(await kept.query("select from core.fact_category_share where date_day < '2026-03-01'")).toEqual([]);

  // its rows went with the month in which it begins
  const outcomes = () =>
    kept.query(
      "select state, window_start::text as first, window_end::text as until from ops.slice where dataset = 'top_advertiser' order by slice_id",
    );
  const before = await outcomes();
  expect(before).toContainEqual({ state: "loaded", first: "2026-01-21", until: "2026-02-20" });
  await using app = await kept.open({ settings: { datasets, retention: { keep_months: 1 } } });
  const { db } = app.warehouse;
  const parts = { db, dimensions: createDimensions(db), partitions: createPartitions(db), clock: app.clock };
  await replay(parts, topAdvertiser, { within: {}, keepPruned: false });
  expect(await kept.query("select from core.fact_top_advertiser where period_start < '2026-02-01'")).toEqual([]);
  expect(await outcomes()).toEqual(before);
});
