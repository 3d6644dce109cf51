import { beforeAll, afterAll, describe, expect, test } from "vitest";
import type { App } from "../../src/app.ts";
import type { SyncRequest } from "../../src/planner/request.ts";
import { planned } from "../support/ingest-planned.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";

let stage: Stage;
let app: App;

beforeAll(async () => {
  stage = await openStage();
  app = await stage.open();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
});

const chunksOf = (chosen: Partial<SyncRequest> = {}) => planned(app, { datasets: [], bounds: {}, today, ...chosen });

describe("before anything was read", () => {
  test("a plan is the slices that read the portfolio, and ends there", async () => {
    const chunks = await chunksOf();
    expect(chunks.map(({ dataset, stage: part }) => [dataset, part])).toEqual([["tracked_app", "portfolio"]]);
    expect(await chunksOf({ reprocess: "failed" })).toEqual(chunks);
  });
});

describe("once all is loaded", () => {
  beforeAll(async () => {
    await stage.sync();
  });

  const ranks = { datasets: ["keyword_rank"] };

  test("nothing is missing, and nothing has failed", async () => {
    expect(await chunksOf(ranks)).toEqual([]);
    expect(await chunksOf({ ...ranks, reprocess: "failed" })).toEqual([]);
  });

  test("a request for all again plans what a first sync planned, and reads the portfolio no second time", async () => {
    const [first] = await stage.query<{ credits: number }>(
      "select sum(planned_credits)::int as credits from ops.slice where dataset = 'keyword_rank'",
    );
    const chunks = await chunksOf({ ...ranks, reprocess: "all" });
    const slices = chunks.flatMap((chunk) => chunk.slices);
    expect(slices.reduce((sum, slice) => sum + slice.credits, 0)).toBe(first?.credits);
    expect(new Set(chunks.map(({ dataset }) => dataset))).toEqual(new Set(["keyword_rank"]));
  });

  test("failed slices are planned again by their cells, of the apps that are named", async () => {
    const failed = await stage.query<{ app: string; window_start: string }>(
      `update ops.slice set state = 'failed' where dataset = 'keyword_rank' and window_start = $1
       returning scope ->> 'app' as app, window_start`,
      ["2026-08-18"],
    );
    const apps = [...new Set(failed.map((slice) => slice.app))];
    const slices = (await chunksOf({ ...ranks, reprocess: "failed" })).flatMap((chunk) => chunk.slices);
    expect(new Set(slices.map(({ scope }) => scope["app"]))).toEqual(new Set(apps));
    const only = { apps: apps.slice(0, 1), countries: ["us"] };
    const cut = (await chunksOf({ ...ranks, reprocess: "failed", only })).flatMap((chunk) => chunk.slices);
    expect(new Set(cut.map(({ scope }) => `${scope["app"]} ${scope["country"]}`))).toEqual(new Set([`${apps[0]} US`]));
    expect(await chunksOf(ranks)).toEqual([]);
  });
});
