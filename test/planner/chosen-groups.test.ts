import { beforeAll, expect, test } from "vitest";
import { inGroups, groupKey, type PartitionGroup } from "../../src/core/partition-group.ts";
import { addDays, type Day } from "../../src/core/day.ts";
import { readPartitionGroups, readScopeCoverage } from "../../src/planner/gaps.ts";
import { pricePlan } from "../../src/planner/backfill-plan.ts";
import { readWaitingWork } from "../../src/planner/waiting-work.ts";
import { openWithPortfolio, plan, planned, runPlanned } from "../support/backfill-stage.ts";
import { today } from "../support/ingest-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openWithPortfolio);
let groups: readonly PartitionGroup[];
const request = { datasets: ["keyword_rank"], bounds: {}, today };
const window = { start: addDays(today, -40), end: addDays(today, -37) };

beforeAll(async () => {
  await using app = await stage.open();
  groups = await readPartitionGroups(app.warehouse.db, { request, settings: app.config.settings });
});

const chosen = () => {
  // an app in one country, and another app in the other: no product of apps and countries
  const [first] = groups;
  const other = groups.find(({ trackId, country }) => trackId !== first!.trackId && country !== first!.country);
  return [first!, other!];
};

async function coverage(shown: { readonly start: Day; readonly end: Day }) {
  await using app = await stage.open();
  return await readScopeCoverage(app.warehouse.db, { request, settings: app.config.settings, shown });
}

test("the groups are those whose coverage is read, in the same order", async () => {
  const read = await coverage({ start: addDays(today, -4), end: today });
  expect(groups.map(groupKey)).toEqual(read.map(groupKey));
  expect(groups.length).toBeGreaterThan(3);
});

test("a plan of chosen partitions is about exactly these, is priced without being kept, and fills them", async () => {
  const requested = { bounds: window, groups: chosen() };
  const kept = async () => (await stage.query("select plan_id from ops.plan")).length;
  const before = await kept();
  await using app = await stage.open();
  const { sum } = await pricePlan(app.warehouse.db, {
    requested: {
      datasets: ["keyword_rank"],
      apps: [],
      countries: [],
      reprocess: "missing",
      newestFirst: false,
      mostCredits: null,
      ...requested,
    },
    settings: app.config.settings,
    clock: app.clock,
  });
  expect(await kept()).toBe(before);
  const made = await planned(stage, requested);
  expect(sum).toMatchObject({ credits: made.credits, slices: made.slices, digest: made.digest });
  const whole = await planned(stage, { bounds: window });
  expect(made.credits).toBeLessThan(whole.credits);
  expect(await runPlanned(stage, made.planId)).toMatchObject({ outcome: "loaded" });
  const filled = (await coverage(window)).filter(({ days }) => days.size > 0);
  expect(filled.map(groupKey)).toEqual(chosen().map(groupKey));
  expect((await plan(stage, requested)).plan).toBeNull();
});

test("days that are shown and that a sync would not request are no gap", async () => {
  const all = await coverage({ start: addDays(today, -60), end: addDays(today, 1) });
  const missing = all.flatMap(({ days }) =>
    [...days].flatMap(([day, cells]) => (cells.missing === undefined ? [] : day)),
  );
  expect(new Set(missing)).toEqual(new Set([-4, -3, -2, -1].map((back) => addDays(today, back))));
});

test("a dataset that no group names stays whole: others are planned from it", () => {
  const [group] = chosen();
  const scope = { store: "ios", app: "1", country: "US" };
  expect(inGroups("tracked_app", [group!])(scope)).toBe(true);
  expect(inGroups("keyword_rank", [group!])(scope)).toBe(false);
  expect(inGroups("keyword_rank", [])(scope)).toBe(true);
});

test("what waits of chosen partitions is of these alone", async () => {
  const bounds = { start: addDays(today, -50), end: addDays(today, -47) };
  const [one, other] = chosen();
  const made = await planned(stage, { bounds, groups: [one!] });
  const settings = { credits: { floors: { snapshot: 0, daily: 0, lookback: 0, history: 1 } } };
  expect(await runPlanned(stage, made.planId, { settings })).toMatchObject({ outcome: "deferred" });
  await using app = await stage.open();
  const waiting = async (group: PartitionGroup) =>
    (await readWaitingWork(app.warehouse.db, { ...made.request, groups: [group] }, { account: "" })).slices;
  expect([await waiting(one!), await waiting(other!)]).toEqual([made.slices, 0]);
});
