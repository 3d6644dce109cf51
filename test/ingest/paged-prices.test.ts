import { expect, test } from "vitest";
import { replay } from "../../src/archive/replay.ts";
import { addDays } from "../../src/core/day.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { planChunks } from "../../src/planner/plan-stream.ts";
import { openWork } from "../../src/ledger/open-slices.ts";
import { manualClock } from "../sandbox/open.ts";
import { openWithPortfolio, planned as plannedBackfill, runPlanned } from "../support/backfill-stage.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { temporaryFolder } from "../support/folder.ts";
import { exportFrom, filesOf, importInto } from "../support/raw-stage.ts";

/** Every page of the advertisements for the one app of the market that has two pages of them; 200 credits a page. */
const whole = { datasets: { ad_creative: { most_pages: 9 } } };
const run = (more: RunOptions = {}): RunOptions => ({
  settings: whole,
  ...more,
  request: { datasets: ["ad_creative"], only: { apps: ["6446318020"] }, ...more.request },
});
const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 };

const slices = (stage: Stage) =>
  stage.query(
    `select state, planned_requests as requests, planned_credits as credits, rows_loaded as rows,
            (select count(*)::int from ops.request as q where q.slice_id = s.slice_id) as requested,
            (select sum(cost)::int from ops.request as q where q.slice_id = s.slice_id) as cost
     from   ops.slice as s where dataset = 'ad_creative' order by window_end desc, slice_id`,
  );

/** What a sync would plan of the advertisements now. */
async function planned(stage: Stage, options: RunOptions) {
  await using app = await stage.open(options);
  const request = { datasets: [], bounds: {}, today, ...options.request };
  const found: { requests: number; credits: number }[] = [];
  for await (const { dataset, slices: drafts } of planChunks(app.warehouse.db, request, app.config.settings, true))
    if (dataset === "ad_creative") found.push(...drafts.map(({ requests, credits }) => ({ requests, credits })));
  return found;
}

test("a total raises what the slice is planned to cost to what it is charged", async () => {
  await using stage = await openWithPortfolio({ market });
  expect(await planned(stage, run())).toEqual([{ requests: 1, credits: 200 }]);
  expect(await stage.sync(run())).toMatchObject({ outcome: "loaded" });
  expect(await slices(stage)).toEqual([
    { state: "loaded", requests: 2, credits: 400, rows: 74, requested: 2, cost: 400 },
  ]);
});

test("the next answer of the same scope is expected to have as many pages as the last one, and costs what was planned", async () => {
  await using stage = await openWithPortfolio({ market });
  await stage.sync(run());
  const earlier = run({ request: { bounds: { start: addDays(today, -45) } } });
  expect(await planned(stage, earlier)).toEqual([{ requests: 2, credits: 400 }]);
  const fewer = { ...earlier, settings: { datasets: { ad_creative: { most_pages: 1 } } } };
  expect(await planned(stage, fewer)).toEqual([
    { requests: 1, credits: 200 },
    { requests: 1, credits: 200 },
  ]);
  // an app that lost its second page since
  await stage.query("update ops.slice set planned_requests = 7, planned_credits = 1400 where dataset = 'ad_creative'");
  expect(await planned(stage, earlier)).toEqual([{ requests: 7, credits: 1400 }]);
  await stage.sync(earlier);
  expect((await slices(stage)).at(-1)).toMatchObject({ state: "loaded", requests: 2, credits: 400, cost: 400 });
});

test("no page is requested that credits do not pay for; what has landed stays and continues after the reset", async () => {
  const clock = manualClock(Date.now());
  const accounts = [{ token: "sandbox-token", total: 1_000, periodHours: 24 * 3_650 }];
  await using stage = await openWithPortfolio({ market, clock, accounts });
  stage.sandbox.spend(stage.sandbox.account().remaining - 399);
  const creatives = () => stage.requested().filter(({ operation }) => operation === "ad-intelligence.creatives");
  expect(await stage.sync(run())).toMatchObject({ outcome: "deferred" });
  expect(creatives().map(({ params }) => params["page"])).toEqual([1]);
  expect(await slices(stage)).toMatchObject([
    { state: "deferred", requests: 2, credits: 400, requested: 1, cost: 200 },
  ]);
  expect(stage.sandbox.account().remaining).toBe(199);
  await using app = await stage.open(run());
  expect(await openWork(app.warehouse.db, { datasets: ["ad_creative"], account: "" })).toMatchObject([
    { slices: 1, requests: 1, credits: 200 },
  ]);

  clock.move(stage.sandbox.account().resetSeconds * 1000);
  expect(await stage.sync(run())).toMatchObject({ outcome: "loaded" });
  expect(creatives().map(({ params }) => params["page"])).toEqual([1, 2]);
  expect(await slices(stage)).toMatchObject([{ state: "loaded", credits: 400, rows: 74, cost: 400 }]);
});

test("a budget that ends between two pages is kept, and the next run pays for the rest alone", async () => {
  await using stage = await openWithPortfolio({ market });
  const steps = run({ maxCredits: 210, request: { datasets: ["ad_creative"] } });
  expect(await stage.sync(steps)).toMatchObject({ outcome: "deferred", progress: { credits: 200 } });
  expect(await slices(stage)).toMatchObject([{ requests: 2, credits: 400, requested: 1 }]);
  expect(await stage.sync(steps)).toMatchObject({ outcome: "loaded", progress: { credits: 200 } });
  expect(await slices(stage)).toMatchObject([{ state: "loaded", requested: 2, cost: 400, rows: 74 }]);
});

test("pages are capped by default, and fewer of them remove no row that more had imported", async () => {
  await using stage = await openWithPortfolio({ market });
  const one = run({ settings: {} });
  await stage.sync(one);
  expect(await slices(stage)).toEqual([
    { state: "loaded", requests: 1, credits: 200, rows: 50, requested: 1, cost: 200 },
  ]);
  await stage.sync(run());
  const rows = () => stage.query("select from core.ad_creative");
  expect(await rows()).toHaveLength(74);
  // the first page alone is requested again, as if its period had not been over
  await stage.query("update ops.slice set as_of = window_start where dataset = 'ad_creative' and planned_requests = 1");
  await stage.sync(one);
  expect((await slices(stage)).map(({ requested }) => requested)).toEqual([1, 2, 1]);
  expect(await rows()).toHaveLength(74);
});

test("a plan of a backfill never costs more than its price, and the pages that it did not forecast are left to a retry", async () => {
  await using stage = await openWithPortfolio({ market });
  const requested = { datasets: ["ad_creative"], apps: ["6446318020"], bounds: { start: addDays(today, -45) } };
  const plan = await plannedBackfill(stage, requested, { settings: whole });
  expect(plan).toMatchObject({ slices: 2, requests: 2, credits: 400 });
  const result = await runPlanned(stage, plan.planId, { settings: whole });
  expect(result).toMatchObject({ outcome: "deferred", progress: { credits: 400 } });
  expect(await stage.retry(run())).toMatchObject({ outcome: "loaded" });
  const after = await slices(stage);
  expect(after.map(({ requests, requested: sent }) => [requests, sent])).toEqual([
    [2, 2],
    [2, 2],
  ]);
  // by now the ledger knows how many pages to expect
  const next = await plannedBackfill(
    stage,
    { ...requested, bounds: { start: addDays(today, -75) } },
    { settings: whole },
  );
  expect(next).toMatchObject({ slices: 1, requests: 2, credits: 400 });
});

test("the price of each page of top advertisers is held: with one page paid for and less than another left, no second is requested", async () => {
  const accounts = [{ token: "sandbox-token", total: 1_000, periodHours: 24 * 3_650 }];
  await using stage = await openWithPortfolio({ market: { ...market, apps: 2 }, accounts });
  stage.sandbox.spend(stage.sandbox.account().remaining - 299);
  const settings = { datasets: { top_advertiser: { most_pages: 9 } } };
  expect(await stage.sync({ settings, request: { datasets: ["top_advertiser"] } })).toMatchObject({
    outcome: "deferred",
  });
  const requested = stage.requested().filter(({ operation }) => operation === "ad-intelligence.top-advertisers");
  expect(requested.map(({ status, charged }) => [status, charged])).toEqual([[200, 150]]);
  expect(stage.sandbox.account().remaining).toBe(149);
});

/** As many as the answer says that a page of it has. */
const perPage = 10;

/** Fetches reviews of one app from a service whose pages never end; `idOf` names the reviews of each page. */
async function endlessReviews(idOf: (page: number, place: number) => number) {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } });
  let pages = 0;
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (!passing.target.includes("app-reviews")) return;
    const content = Array.from({ length: perPage }, (_, place) => {
      const id = idOf(pages, place);
      return {
        id,
        reviewId: id,
        date: `${addDays(today, -2)}T10:00:00`,
        countryCode: "US",
        rating: 5,
        content: "fine",
      };
    });
    const envelope = { content, totalElements: 100_000, totalPages: 1_000, pageNumber: pages, pageSize: perPage };
    pages += 1;
    passing.status = 200;
    passing.headers["content-type"] = "application/json";
    passing.body = JSON.stringify(passing.target.includes("/v2/") ? envelope : content);
  });
  const { outcome } = await stage.sync({
    settings: { datasets: { review: { on: true, history_days: 7 } } },
    request: { datasets: ["review"] },
    environment: { API_BASE_URL: proxy.url },
  });
  const found = await stage.query<{ state: string; rows: number; requested: number; reasons: string[] }>(
    `select state, rows_loaded as rows, (select count(*)::int from ops.request as q where q.slice_id = s.slice_id) as requested,
            array(select reason from ops.reject as r where r.slice_id = s.slice_id) as reasons
     from   ops.slice as s where dataset = 'review'`,
  );
  await using app = await stage.open();
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  const again = await replay(parts, datasetNamed("review"), { within: {}, keepPruned: false });
  return { outcome, found, replayed: again.rows, copied: await copyOf(stage) };
}

/** Exports the reviews, imports them into another warehouse, and exports them there. */
async function copyOf(stage: Stage) {
  using folder = temporaryFolder();
  using other = temporaryFolder();
  await exportFrom(stage, folder.path, { datasets: ["review"] });
  await using target = await openStage();
  const { loaded, messages } = await importInto(target, [folder.path]);
  await exportFrom(target, other.path, { datasets: ["review"] });
  const files = await filesOf(folder.path);
  expect(await filesOf(other.path)).toEqual(files);
  return { loaded, messages, isCut: Object.values(files).some((text) => text.includes('"is_cut": true')) };
}

test("a page that comes again ends the answer, is paid for once, and leaves a reject; what came before it is loaded", async () => {
  const { outcome, found, replayed, copied } = await endlessReviews((_, place) => 1_000 + place);
  expect(outcome).toBe("loaded");
  expect(found).toEqual([
    { state: "loaded", rows: perPage, requested: 2, reasons: ["page 2 is the same as page 1: the answer ends there"] },
  ]);
  expect(replayed).toBe(perPage);
  expect(copied).toEqual({ loaded: 1, messages: [], isCut: false });
});

test("pages without end are paid for up to a hundred where no earlier answer shows how many there are, and replay and an import of its file read the same", async () => {
  const { outcome, found, replayed, copied } = await endlessReviews((page, place) => 1_000 + page * perPage + place);
  expect(outcome).toBe("loaded");
  expect(found).toEqual([
    {
      state: "loaded",
      rows: 100 * perPage,
      requested: 100,
      reasons: [expect.stringContaining("continues after 100 pages")],
    },
  ]);
  expect(replayed).toBe(100 * perPage);
  expect(copied).toEqual({ loaded: 1, messages: [], isCut: true });
});
