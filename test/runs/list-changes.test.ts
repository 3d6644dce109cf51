import { describe, expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { scopeKey, type Covered, type SliceDraft } from "../../src/core/slice.ts";
import { visibility } from "../../src/datasets/visibility.ts";
import { planInChunks } from "../../src/planner/plan-chunks.ts";

const tonight = day("2026-06-15");

/** An account of so many iOS apps in three countries, and who is named as a competitor of the first. */
function account(apps: number, ...competitors: readonly string[]): Portfolio {
  const countries = ["DE", "JP", "US"].map((country) => ({ country, keywords: [], keywordCount: 0 }));
  const ids = Array.from({ length: apps }, (_, index) => String(101 + index));
  const named = { store: "ios", app: "101", competitor_store: "ios" };
  return {
    apps: ids.map((trackId) => ({ store: "ios", trackId, tracked: true, countries })),
    sources: { tracked_competitor: competitors.map((competitor_app) => ({ ...named, competitor_app })) },
  };
}

/** A ledger in memory: plans a night, and takes for answered what was planned but for the cells that the service leaves out. */
function ledger(silentOf: readonly string[] = []) {
  const known: Covered[] = [];
  const isSilent = (cell: string) => silentOf.includes(cell.slice(3));
  return async (portfolio: Portfolio, night: number): Promise<readonly SliceDraft[]> => {
    const request = { datasets: [], bounds: {}, today: addDays(tonight, night) };
    const planning = { dataset: visibility, portfolio, request, learned: new Map<string, number>(), settings: {} };
    const slices: SliceDraft[] = [];
    const coverage = { read: () => Promise.resolve(Map.groupBy(known, ({ scope }) => scopeKey(scope))) };
    for await (const { plan } of planInChunks(coverage, planning)) slices.push(...plan.slices);
    for (const slice of slices) {
      const [silent, reported] = [true, false].map((is) => (slice.items ?? []).filter((item) => isSilent(item) === is));
      known.push({ ...slice, items: reported ?? [], state: "loaded", refused: false });
      if (silent?.length) known.push({ ...slice, items: silent, state: "skipped", refused: false });
    }
    return slices;
  };
}

const credits = (slices: readonly SliceDraft[]) => slices.reduce((sum, slice) => sum + slice.credits, 0);
const newest = (night: number) => ({ start: addDays(tonight, night - 1), end: addDays(tonight, night) });

describe("when the list of competitors or portfolio apps changes", () => {
  test("a new competitor is requested automatically once the night is done, as far back as there is history", async () => {
    const plan = ledger();
    expect(credits(await plan(account(2, "7"), 0))).toBe(10);
    const slices = await plan(account(2, "7", "8"), 0);
    // its newest day alone would cost as much
    expect(slices).toMatchObject([{ items: ["DE:8", "JP:8", "US:8"], credits: 10, class: "daily" }]);
    expect(slices[0]?.window).toEqual({ start: addDays(tonight, -90), end: tonight });
    expect(await plan(account(2, "7", "8"), 0)).toEqual([]);
  });

  test("nothing is requested again that was there before: not the day before, not for one that left and came back", async () => {
    const plan = ledger();
    await plan(account(2, "7", "8"), 0);
    expect(await plan(account(2, "8"), 0)).toEqual([]);
    expect(await plan(account(2), 0)).toEqual([]);
    expect(await plan(account(1, "8"), 0)).toEqual([]);
    expect(await plan(account(2, "8", "7"), 0)).toEqual([]);
    // a competitor that is in the portfolio from now on, in the same countries
    const { apps } = account(1);
    const both = {
      ...account(2, "7", "8"),
      apps: [...account(2).apps, ...apps.map((app) => ({ ...app, trackId: "7" }))],
    };
    expect(await plan(both, 0)).toEqual([]);
  });

  test("the next night requests the newest day of all that is named then, in one call", async () => {
    const plan = ledger();
    await plan(account(2, "7"), 0);
    await plan(account(2, "7", "8"), 0);
    const slices = await plan(account(2, "8"), 1);
    expect(slices).toMatchObject([{ window: newest(1), credits: 10, class: "daily" }]);
    expect(slices[0]?.items).toHaveLength(3 * 3);
  });

  test("a competitor that is new before the night has its history in the call that the night makes anyway: two would cost twice as much", async () => {
    const plan = ledger();
    await plan(account(2, "7"), 0);
    const slices = await plan(account(2, "7", "8"), 1);
    expect(slices).toMatchObject([{ credits: 10, window: { end: newest(1).end }, class: "daily" }]);
    expect(await plan(account(2, "7", "8"), 2)).toMatchObject([{ credits: 10, window: newest(2), class: "daily" }]);
  });

  test("days on which a competitor was not named are requested once it is named again", async () => {
    const plan = ledger();
    await plan(account(1, "7"), 0);
    await plan(account(1), 1);
    await plan(account(1), 2);
    const slices = await plan(account(1, "7"), 2);
    expect(slices).toMatchObject([
      { items: ["DE:7", "JP:7", "US:7"], window: { start: addDays(tonight, 0), end: addDays(tonight, 2) } },
    ]);
  });

  test("it costs no call more where there is room in those that are made anyway", async () => {
    const nightly = async (...competitors: readonly string[]) => {
      const plan = ledger();
      const portfolio = account(30, ...competitors);
      await plan(portfolio, 0);
      return [1, 2, 3].map(async (night) => credits(await plan(portfolio, night)));
    };
    expect(await Promise.all(await nightly())).toEqual([10, 10, 10]);
    // 90 cells and 9 more, then 90 and 12
    expect(await Promise.all(await nightly("7", "8", "9"))).toEqual([10, 10, 10]);
    expect(await Promise.all(await nightly("7", "8", "9", "10"))).toEqual([20, 20, 20]);
  });
});

test("a competitor that the service leaves out costs no call of its own, night after night, and its history is left alone", async () => {
  const plan = ledger(["7"]);
  const portfolio = account(2, "7", "8");
  await plan(portfolio, 0);
  for (const night of [1, 2, 3, 10, 11]) {
    const slices = await plan(portfolio, night);
    expect(slices).toHaveLength(1);
    expect(credits(slices)).toBe(10);
    // what it left out is requested again for as long as that may mean not yet
    const first = slices[0]?.window.start ?? "";
    expect(first >= addDays(tonight, night - 9)).toBe(true);
  }
});
