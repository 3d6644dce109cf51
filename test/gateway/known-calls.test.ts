import { expect, test } from "vitest";
import { operationById } from "../../src/api/operations/all.ts";
import { pageParams } from "../../src/api/paging.ts";
import { addDays, day } from "../../src/core/day.ts";
import { periodOf } from "../../src/core/period.ts";
import type { Slice } from "../../src/core/slice.ts";
import type { Timing } from "../../src/core/timing.ts";
import { oneDay, type Window } from "../../src/core/window.ts";
import { datasetNamed, datasets } from "../../src/datasets/shared/all.ts";
import { callsOf, type Dataset, type Partition } from "../../src/datasets/shared/define-dataset.ts";
import { fetchOptionFor } from "../../src/datasets/shared/fetch-option-for.ts";
import { everythingOn } from "../../src/demo/shows.ts";
import { knownCalls, type KnownCalls } from "../../src/gateway/known-calls.ts";
import { examplePortfolio } from "../../src/planner/example-portfolio.ts";
import { partitionsOf, type DatasetPlanning } from "../../src/planner/plan-chunks.ts";

const today = day("2026-06-15");
const portfolio = examplePortfolio({ apps: 2, countries: ["US", "JP"], keywords: 3 }, datasets);

function planningOf(dataset: Dataset): DatasetPlanning {
  const settings = everythingOn.datasets[dataset.name] ?? {};
  return { dataset, portfolio, settings, learned: new Map(), request: { datasets: [], bounds: {}, today } };
}

const plannings = datasets.map(planningOf);
const find = knownCalls(plannings, today);

/** A window of the past that a plan could have, so far back that it is published. */
function windowOf(timing: Timing): Window {
  if (timing.kind === "snapshot") return oneDay(today);
  const past = addDays(today, -40);
  return timing.kind === "period" ? periodOf(timing.grid, past) : oneDay(past);
}

/** One slice of each way in which a partition may be requested, all of its items or as many as a call takes. */
function slicesOf(dataset: Dataset, partition: Partition): readonly Slice[] {
  const { wholeList } = dataset;
  const able = new Set([
    ...dataset.operationsFor(partition.scope),
    ...(wholeList === undefined ? [] : [wholeList.operation]),
  ]);
  return [...able].map((operation) => {
    const { maxItems } = fetchOptionFor(dataset, operation, partition, new Map());
    const timing = partition.timing ?? dataset.timing;
    return {
      ...partition,
      items: partition.items?.slice(0, maxItems).sort() ?? null,
      dataset: dataset.name,
      operation: operation.id,
      window: windowOf(timing),
      class: timing.kind === "snapshot" ? "snapshot" : "daily",
      requests: 1,
      credits: operation.cost,
      asOf: today,
      fingerprint: partition.fingerprint ?? "",
      sliceId: "0",
      runId: "0",
      attempt: 0,
    };
  });
}

function callFor(dataset: Dataset, slice: Slice, page: number) {
  const operation = operationById(slice.operation);
  return { operation, params: { ...dataset.request(slice, page), ...pageParams(operation, page) } };
}

/** The slices of a dataset whose calls become other slices, or none. */
function notFound(planning: DatasetPlanning, calls: KnownCalls): readonly unknown[] {
  const { dataset } = planning;
  const unknown: unknown[] = [];
  for (const partition of partitionsOf(planning))
    for (const slice of slicesOf(dataset, partition))
      for (let page = 0; page < callsOf(dataset, slice); page += 1) {
        const found = calls(callFor(dataset, slice, page));
        const { scope, items, window, operation } = found?.slice ?? {};
        const same = { scope: slice.scope, items: slice.items, window: slice.window, operation: slice.operation };
        if (found?.dataset !== dataset || JSON.stringify({ scope, items, window, operation }) !== JSON.stringify(same))
          unknown.push({ call: callFor(dataset, slice, page).params, slice: same, found: found?.slice });
      }
  return unknown;
}

test.each(datasets.map((dataset) => [dataset.name, dataset] as const))(
  "calls of %s become its slices",
  (_, dataset) => {
    expect(
      notFound(planningOf(dataset), find),
      "a call of two datasets is paid for twice: one of them takes both tables",
    ).toEqual([]);
  },
);

test("reports of days, weeks and months become slices of their own", () => {
  const periods = ["week", "month"];
  const settings = { options: { by_day: "report", reports: periods, summaries: periods } };
  const planning = { ...planningOf(datasetNamed("search_ads_report")), settings };
  expect(notFound(planning, knownCalls([planning], today))).toEqual([]);
});

test("where an end may be exclusive, a call of as many days as one may have is for all of them but the last", () => {
  const planning = planningOf(datasetNamed("bid_change"));
  const [partition] = partitionsOf(planning);
  const [slice] = partition === undefined ? [] : slicesOf(planning.dataset, partition);
  if (slice === undefined) throw new Error("there is one");
  const start = addDays(today, -20);
  const week = { ...slice, window: { start, end: addDays(start, 7) } };
  expect(find(callFor(planning.dataset, week, 0))?.slice.window).toEqual({ start, end: addDays(start, 6) });
});
