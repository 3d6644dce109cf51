import { expect, test } from "vitest";
import { z } from "zod";
import type { DatasetSettings } from "../../src/config/settings.ts";
import { addDays, day, type Day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import type { SliceDraft } from "../../src/core/slice.ts";
import type { Timing } from "../../src/core/timing.ts";
import { daysOf, windowLength } from "../../src/core/window.ts";
import { iosReviewsV2 } from "../../src/api/operations/review.ts";
import { defineDataset, type Dataset } from "../../src/datasets/shared/define-dataset.ts";
import { mostPagesOf } from "../../src/datasets/shared/scope-limits.ts";
import { appCountryDevices } from "../../src/datasets/shared/portfolio-partitions.ts";
import { requestable } from "../../src/plan/missing.ts";
import { timingWith } from "../../src/planner/dataset-settings.ts";
import { planInChunks } from "../../src/planner/plan-chunks.ts";
import { invent } from "../support/api-invented.ts";

const today = day("2026-08-20");
const portfolio: Portfolio = {
  apps: [
    {
      store: "ios",
      trackId: "1",
      tracked: true,
      countries: ["US", "JP"].map((country) => ({ country, keywords: [], keywordCount: 0 })),
    },
  ],
};
const range = { start: "startDate", end: "endDate", endInclusive: true, days: 30 } as const;

function datasetWith(timing: Timing, more: Partial<Dataset> = {}): Dataset {
  return defineDataset({
    name: "some_dataset",
    summary: "Some.",
    stage: "market",
    on: true,
    why: "some",
    timing,
    tables: [],
    operations: [invent({ range })],
    operationsFor: () => [invent({ range })],
    request: () => ({}),
    normalise: () => ({ rows: {}, invalid: [] }),
    ...more,
    options: z.object({ charts: z.array(z.string()).default(["FREE"]) }),
    partitions: (of, { charts }) =>
      appCountryDevices(of).flatMap(({ scope }) =>
        charts.map((chart) => ({ scope: { ...scope, chart }, items: null })),
      ),
  });
}

const series: Timing = { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 60 };

async function planned(settings: DatasetSettings, dataset = datasetWith(series)): Promise<readonly SliceDraft[]> {
  const planning = {
    dataset,
    request: { datasets: [], bounds: {}, today },
    portfolio,
    learned: new Map(),
    settings,
  };
  const slices: SliceDraft[] = [];
  for await (const { plan } of planInChunks({ read: async () => new Map() }, planning)) slices.push(...plan.slices);
  return slices;
}

const partsOf = (slices: readonly SliceDraft[], name: string) => [...new Set(slices.map(({ scope }) => scope[name]))];

test("countries and devices leave the others out", async () => {
  const slices = await planned({ countries: ["JP"], devices: ["IPAD"] });
  expect(partsOf(slices, "country")).toEqual(["JP"]);
  expect(partsOf(slices, "device")).toEqual(["IPAD"]);
  expect(partsOf(await planned({}), "device").toSorted()).toEqual(["IPAD", "IPHONE"]);
});

test("a first day is reached, and nothing before it is requested", async () => {
  const starts = (await planned({ start: day("2026-03-05") })).map(({ window }) => window.start).sort();
  expect(starts[0]).toBe("2026-03-05");
  const near = await planned({ start: addDays(today, -3), history_days: 60 });
  expect(near.map(({ window }) => window.start).sort()[0]).toBe(addDays(today, -3));
});

test("no call spans more days than the longest window", async () => {
  expect(Math.max(...(await planned({})).map(({ window }) => windowLength(window)))).toBe(30);
  expect(Math.max(...(await planned({ longest_window: 12 })).map(({ window }) => windowLength(window)))).toBe(12);
  expect(Math.max(...(await planned({ longest_window: 90 })).map(({ window }) => windowLength(window)))).toBe(30);
});

test("a dataset whose operation has no limit that suits names one, which the configuration may change", async () => {
  const short = datasetWith(series, { longestWindow: 7 });
  const longest = async (settings: DatasetSettings) =>
    Math.max(...(await planned(settings, short)).map(({ window }) => windowLength(window)));
  expect([await longest({}), await longest({ longest_window: 20 })]).toEqual([7, 20]);
});

test("options reach the partitions, with defaults for those that are left out", async () => {
  expect(partsOf(await planned({}), "chart")).toEqual(["FREE"]);
  expect(partsOf(await planned({ options: { charts: ["PAID", "GROSSING"] } }), "chart").toSorted()).toEqual([
    "GROSSING",
    "PAID",
  ]);
});

test("a limit of pages is in the scope where an answer has pages, and nowhere else", async () => {
  const paged = datasetWith(series, { operations: [iosReviewsV2], mostPages: 2 });
  const most = async (settings: DatasetSettings, dataset?: Dataset) => {
    const [slice] = await planned(settings, dataset);
    return slice === undefined ? null : mostPagesOf(slice);
  };
  expect(await most({}, paged)).toBe(2);
  expect(await most({ most_pages: 5 }, paged)).toBe(5);
  expect(await most({ most_pages: 5 })).toBe(Number.POSITIVE_INFINITY);
});

test("a history that is shorter than the days that are requested together leaves none of them out", () => {
  const packed: Timing = { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 30, packDays: 7 };
  const requested = (settings: DatasetSettings, timing = packed) => {
    const nights = Array.from({ length: 40 }, (_, night) => addDays(today, night));
    return new Set(
      nights.flatMap((night) => {
        const own = timingWith(timing, settings, night);
        return own.kind === "snapshot" ? [] : daysOf(requestable(own, night, {}));
      }),
    );
  };
  for (const days of [
    requested({ history_days: 3 }),
    requested({ history_days: 3, pack_days: 10 }),
    requested({ history_days: 3, pack_days: 10 }, { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 30 }),
  ]) {
    const [first, last] = [[...days].sort()[0], [...days].sort().at(-1)] as [Day, Day];
    expect(days.size).toBe(windowLength({ start: first, end: addDays(last, 1) }));
    expect(days.size).toBeGreaterThan(30);
  }
});

test("packs of fewer days than a call takes leave room in it", () => {
  const full: Timing = {
    kind: "series",
    settleDays: 1,
    lookbackDays: 0,
    historyDays: 30,
    packDays: 30,
    packIsFull: true,
  };
  expect(timingWith(full, {})).toEqual(full);
  expect(timingWith(full, { pack_days: 7 })).not.toHaveProperty("packIsFull");
});
