import { beforeAll, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { readStatus } from "../../src/ledger/status.ts";
import { nextStep } from "../../src/runs/next-step.ts";
import { runCommand } from "../support/command.ts";
import { openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { charged } from "../support/ingest-witness.ts";
import { must } from "../support/must.ts";
import { workUntilIdle } from "../support/work-until-idle.ts";

/** Two iOS apps of the market that the sandbox makes up, and a keyword that is known there. */
let [app, other, keyword] = ["", "", ""];

beforeAll(async () => {
  await using stage = await openStage();
  const { market } = stage.sandbox;
  const apps = market.apps.filter(({ store }) => store === "ios");
  [app, other] = [must(apps[0]).trackId, must(apps[1]).trackId];
  keyword = must(market.trackedKeywords(must(apps[0]), "US").find((one) => /^[a-z ]+$/.test(one)));
});

/** Apps of the configuration alone, each with a keyword in some countries. */
function listing(apps: readonly string[], countries: readonly string[]): NonNullable<RunOptions["settings"]> {
  return {
    portfolio: {
      source: "config",
      apps: apps.map((id) => ({ id, countries: [...countries], keywords: [keyword] })),
    },
  };
}

const placesOf = (stage: Stage) =>
  stage.query<{ app: string; country: string }>(
    "select distinct scope ->> 'app' as app, scope ->> 'country' as country from ops.slice order by 1, 2",
  );

/** What waits for credits of two apps in two countries: there are too few for any of it. */
async function waiting(stage: Stage): Promise<void> {
  await workUntilIdle(stage, { settings: listing([app, other], ["US", "JP"]) });
  expect(await placesOf(stage)).toHaveLength(4);
  expect(Object.keys(await statesOf(stage))).toEqual(["deferred"]);
}

const poor = { accounts: [{ token: "sandbox-token", total: 2_000, remaining: 2, periodHours: 24 * 3_650 }] };

test("what waits for credits of an app or country that was taken out of the portfolio is not bought when they come", async () => {
  await using stage = await openStage(poor);
  await waiting(stage);
  stage.sandbox.spend(-1_000);
  await workUntilIdle(stage, { settings: listing([app], ["US"]) });
  expect(await placesOf(stage)).toEqual([{ app, country: "US" }]);
  expect(stage.requested().length).toBeGreaterThan(0);
  expect(JSON.stringify(stage.requested())).not.toMatch(new RegExp(`JP|${other}`));
});

test("the price of the next step leaves out what a sync cancels, as a plan does", async () => {
  await using stage = await openStage(poor);
  await waiting(stage);
  const priced = async (settings: NonNullable<RunOptions["settings"]>) => {
    await using opened = await stage.open({ settings });
    const { warehouse, clock, config } = opened;
    const request = { datasets: ["keyword_rank"], bounds: {}, today: clock.today() };
    return (await nextStep({ db: warehouse.db, clock, settings: config.settings }, request))?.credits ?? 0;
  };
  const all = await priced(listing([app, other], ["US", "JP"]));
  expect(all).toBeGreaterThan(0);
  expect(4 * (await priced(listing([app], ["US"])))).toBe(all);
});

test("what waits for credits of days before a history that was made shorter since is not bought when they come", async () => {
  await using stage = await openStage(poor);
  const daysBack = (history_days: number) => ({
    ...listing([app], ["US"]),
    datasets: { keyword_rank: { history_days } },
  });
  await workUntilIdle(stage, { settings: daysBack(80) });
  const days = () =>
    stage.query<{ first: string; states: string[] }>(
      "select min(window_start)::text as first, array_agg(distinct state) as states from ops.slice where dataset = 'keyword_rank'",
    );
  expect(await days()).toEqual([{ first: addDays(today, -80), states: ["deferred"] }]);
  stage.sandbox.spend(-1_000);
  await workUntilIdle(stage, { settings: daysBack(4) });
  expect((await days())[0]?.states).toEqual(["loaded"]);
  // the call that the days are in which are wanted
  expect(stage.requested()).toHaveLength(1);
});

test("a sync leaves it as well, as its price says, and plans it again when it is back", async () => {
  await using stage = await openStage(poor);
  await waiting(stage);
  stage.sandbox.spend(-1_000);
  const settings = listing([app], ["US", "JP"]);
  const plan = await runCommand(stage, ["plan", "--json", "--as-of", today], { settings });
  const result = await stage.sync({ settings });
  expect(result.outcome).toBe("loaded");
  expect(JSON.parse(plan.stdout)).toMatchObject({ totals: { credits: charged(stage.requested()) } });
  expect(JSON.stringify(stage.requested())).not.toContain(other);
  const back = await stage.sync({ settings: listing([app, other], ["US", "JP"]) });
  expect(back).toMatchObject({ outcome: "loaded", progress: { failed: 0 } });
  expect(await placesOf(stage)).toHaveLength(4);
});

test("a failure of what was taken out of the portfolio is not one for ever", async () => {
  await using stage = await openStage({
    faults: [{ contains: other, times: 1_000, kind: "status", status: 500 }],
  });
  const both = listing([app, other], ["US"]);
  expect((await stage.sync({ settings: both })).outcome).toBe("failed");
  expect((await stage.sync({ settings: listing([app], ["US"]) })).outcome).toBe("loaded");
  await using opened = await stage.open({});
  const status = await readStatus(opened.warehouse.db);
  expect(status).toMatchObject({ datasets: [{ dataset: "keyword_rank", failed: 0 }], troubles: [], failedForNow: 0 });
});
