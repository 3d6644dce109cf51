import { describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { charged, openWithPortfolio, plan, planned, runPlanned } from "../support/backfill-stage.ts";
import { today, callText, type Stage } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { calmRun } from "../support/ingest-witness.ts";
import { long } from "../support/long.ts";

/** Where the number of requests is not the point. */
const small = { apps: 1, countries: ["US"], keywordsPerApp: 4 } as const;

/** The days of the requests for one day. */
function rankingDays(stage: Stage): readonly string[] {
  return stage.requested().flatMap(({ params }) => (params["date"] === undefined ? [] : [params["date"] as string]));
}

describe("the order", () => {
  const slow = { settings: { api: { concurrency: 1 } } };
  /** Jobs that a process may claim ahead. */
  const takenAhead = 24;

  test.each(long ? [false, true] : [true])("of days follows the plan, newest first %s", async (newestFirst) => {
    await using stage = await openWithPortfolio({ market: { apps: 2, keywordsPerApp: 4 } });
    const { planId } = await planned(stage, { newestFirst, bounds: { start: addDays(today, -12) } });
    await runPlanned(stage, planId, slow);
    // a keyword that only History can carry takes all of its days at once
    const days = rankingDays(stage);
    const newest = addDays(today, -1);
    // the newest day is the dearer promise and goes first either way
    const history = days.filter((day) => day !== newest);
    const first = days.length - history.length;
    expect(first).toBeGreaterThan(0);
    expect(days.slice(0, first)).toEqual(Array(first).fill(newest));
    expect(new Set(history).size).toBeGreaterThan(5);
    // jobs are taken ahead by the dozen and run side by side, so near neighbours may change places; the queue's own order is exact
    const sorted = history.toSorted();
    if (newestFirst) sorted.reverse();
    const near = (day: string, place: number) =>
      place >= sorted.indexOf(day) - takenAhead && place <= sorted.lastIndexOf(day) + takenAhead;
    expect(history.filter((day, place) => !near(day, place))).toEqual([]);
  });

  // the order of the other one is tried above
  test.each(long ? [false, true] : [false])("decides what a budget takes in, newest first %s", async (newestFirst) => {
    await using stage = await openWithPortfolio({ market: small });
    const bounds = { start: addDays(today, -12) };
    const whole = await planned(stage, { newestFirst, bounds });
    const cut = await planned(stage, { newestFirst, bounds, mostCredits: 24 });
    expect(cut.credits).toBeLessThanOrEqual(24);
    expect(cut.leftOut).toEqual({ slices: whole.slices - cut.slices, credits: whole.credits - cut.credits });
    expect(await runPlanned(stage, cut.planId)).toMatchObject({ outcome: "loaded" });
    expect(charged(stage)).toBe(cut.credits);
    const history = rankingDays(stage).filter((day) => day !== addDays(today, -1));
    const edge = newestFirst ? addDays(today, -2) : addDays(today, -12);
    expect(history).toContain(edge);
    expect(history).not.toContain(newestFirst ? addDays(today, -12) : addDays(today, -2));
  });

  test("of budgets one after the other ends where one plan would", async () => {
    await using stage = await openWithPortfolio({ market: small });
    const whole = await planned(stage);
    for (let tries = 0; tries < 20; tries += 1) {
      const { plan: made } = await plan(stage, { mostCredits: Math.ceil(whole.credits / 2) });
      if (made === null) break;
      await runPlanned(stage, made.planId);
    }
    expect(await factsOf(stage)).toEqual((await calmRun({ market: small })).facts);
    const callTexts = stage.requested().map(callText);
    expect(new Set(callTexts).size).toBe(callTexts.length);
  });
});

describe("a second request", () => {
  test("for what failed requests that alone", async () => {
    await using stage = await openWithPortfolio({ market: small });
    stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 3, kind: "status", status: 418 }] });
    const first = await planned(stage);
    expect(await runPlanned(stage, first.planId)).toMatchObject({ outcome: "failed", progress: { failed: 3 } });
    const failed = stage
      .requested()
      .filter(({ status }) => status === 418)
      .map(callText);
    expect(await plan(stage)).toMatchObject({ plan: null });
    stage.sandbox.clearLog();
    const again = await planned(stage, { reprocess: "failed" });
    expect(await runPlanned(stage, again.planId)).toMatchObject({ outcome: "loaded" });
    expect(stage.requested().map(callText).sort()).toEqual(failed.sort());
    expect(await plan(stage, { reprocess: "failed" })).toMatchObject({ plan: null });
  });

  test("for all requests everything once more, and once only", async () => {
    await using stage = await openWithPortfolio({ market: small });
    const first = await planned(stage);
    await runPlanned(stage, first.planId);
    const callTexts = stage.requested().map(callText).sort();
    stage.sandbox.clearLog();
    const again = await planned(stage, { reprocess: "all" });
    await runPlanned(stage, again.planId);
    expect(stage.requested().map(callText).sort()).toEqual(callTexts);
    await runPlanned(stage, again.planId);
    expect(stage.requested()).toHaveLength(callTexts.length);
  });
});
