import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { today, type Stage } from "../support/ingest-stage.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";

/** Two iOS apps and an Android app; "50% off" is one of the keywords. */
const market = { apps: 3, countries: ["US"], keywordsPerApp: 4 } as const;
const settings = { datasets: { keyword_metadata: { on: true } } } as const;

function syncOn(stage: Stage, days: number) {
  stage.sandbox.set({ today: addDays(today, days) });
  return stage.sync({ settings, request: { today: addDays(today, days) } });
}

const unknown = (contains = "") =>
  ["ios", "android"].map((store) => ({
    operation: `${store}.keyword-metadata`,
    contains,
    times: 1_000,
    kind: "status" as const,
    status: 404,
  }));

test("a keyword that the service does not know is no failure of the next day's sync, which requests it alone", async () => {
  await using stage = await openWithPortfolio({ market, faults: unknown("50% off") });
  expect(await syncOn(stage, 0)).toMatchObject({ outcome: "loaded", left: { unavailable: [] } });
  stage.sandbox.clearLog();
  const next = await syncOn(stage, 1);
  const requested = stage.requested().filter(({ operation }) => operation?.endsWith("keyword-metadata"));
  expect(new Set(requested.map(({ params }) => params["keyword"]))).toEqual(new Set(["50% off"]));
  expect(next).toMatchObject({ outcome: "loaded", left: { unavailable: [] } });
});

test("a dataset of which nothing is available any more is named on each day, however much of it was loaded before", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } });
  expect(await syncOn(stage, 0)).toMatchObject({ outcome: "loaded" });
  stage.sandbox.set({ faults: unknown() });
  // not found so soon after an answer it fails and is requested again
  expect(await syncOn(stage, 7)).toMatchObject({ outcome: "failed", progress: { failed: 2, skipped: 0 } });
  for (const days of [12, 14])
    expect(await syncOn(stage, days)).toMatchObject({
      outcome: "failed",
      left: { unavailable: ["keyword_metadata"] },
    });
});

test("a dataset is available if another run of the day has loaded some of it, and this one only an app that is unknown", async () => {
  await using stage = await openWithPortfolio({ market });
  const rows = await stage.query<{ app: string }>(
    "select track_id as app from core.dim_app where store = 'ios' limit 2",
  );
  const [first = "", second = ""] = rows.map(({ app }) => app);
  const syncOf = (apps: readonly string[]) =>
    stage.sync({
      settings: { portfolio: { source: "config", apps: apps.map((id) => ({ id, countries: ["US"] })) } },
      request: { datasets: ["app_rating"] },
    });
  const refuse = (contains: string) =>
    stage.sandbox.set({
      faults: [{ operation: "ios.app-simple", contains, times: 1_000, kind: "status", status: 404 }],
    });
  refuse(first);
  const nothing = { outcome: "failed", progress: { skipped: 1 }, left: { unavailable: ["app_rating"] } };
  expect(await syncOf([first])).toMatchObject(nothing);
  refuse(second);
  await stage.query("delete from ops.slice where dataset = 'app_rating'");
  expect(await syncOf([first])).toMatchObject({ outcome: "loaded" });
  expect(await syncOf([first, second])).toMatchObject({
    progress: { total: 1, skipped: 1 },
    left: { unavailable: [] },
  });
});
