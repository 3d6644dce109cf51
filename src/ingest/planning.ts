import { wayOf } from "../api/ways.ts";
import type { DatasetSettings, Settings } from "../config/settings.ts";
import { addDays, type Day } from "../core/day.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Timing } from "../core/way.ts";
import type { Window } from "../core/window.ts";
import { learnedCosts } from "../credits/costs.ts";
import { datasetNamed, datasets } from "../datasets/all.ts";
import type { Dataset } from "../datasets/define-dataset.ts";
import { readCoverage } from "../ledger/coverage.ts";
import { askable } from "../plan/missing.ts";
import { planDataset, type DatasetPlan, type PlanPartition } from "../plan/plan-dataset.ts";
import type { Database } from "../warehouse/database.ts";
import { readTracked } from "../warehouse/portfolio.ts";
import { portfolioOf } from "./portfolio.ts";

/** What a sync is asked to do. */
export type SyncRequest = {
  /** Datasets by name; those that are on when empty. */
  readonly datasets: readonly string[];
  /** Days asked for by hand, half-open; each dataset's own history where left out. */
  readonly bounds: Partial<Window>;
  readonly today: Day;
};

/** The plan of one stage. `stage` is the first that has something to do: what is followed must be known before the market is planned. */
export type StagePlan = {
  readonly stage: Dataset["stage"];
  readonly plans: readonly DatasetPlan[];
  readonly portfolio: Portfolio;
};

/** The datasets that a request names, in planning order. */
export function datasetsOf(request: SyncRequest, settings: Settings): readonly Dataset[] {
  const named = request.datasets.map(datasetNamed);
  const fromAccount = settings.portfolio.source !== "config";
  if (named.length === 0)
    return datasets.filter(
      (dataset) => (settings.datasets[dataset.name]?.on ?? dataset.on) && (fromAccount || dataset.stage === "market"),
    );
  // a dataset is planned from what those before it in the portfolio stage brought
  const last = datasets.findLastIndex((dataset) => named.includes(dataset));
  const needed = datasets.slice(0, last).filter((dataset) => dataset.stage === "portfolio" && fromAccount);
  return datasets.filter((dataset) => named.includes(dataset) || needed.includes(dataset));
}

/**
 * Plans what a request lacks, from what the database knows. Writes nothing and asks nobody. `whole` also plans the stages after the
 * first that has something to do, as far as is known by now.
 */
export async function planRequest(
  db: Database,
  request: SyncRequest,
  settings: Settings,
  whole = false,
): Promise<StagePlan> {
  const portfolio = portfolioOf(await readTracked(db), settings.portfolio);
  const learned = new Map((await learnedCosts(db)).map((cost) => [cost.operation, cost.learned]));
  const wanted = datasetsOf(request, settings);
  const plans: DatasetPlan[] = [];
  let first: Dataset["stage"] | null = null;
  for (const stage of ["portfolio", "market"] as const) {
    for (const dataset of wanted.filter((candidate) => candidate.stage === stage)) {
      plans.push(
        await planOne(db, { dataset, request, portfolio, learned, settings: settings.datasets[dataset.name] ?? {} }),
      );
    }
    if (plans.some((plan) => plan.slices.length > 0)) first ??= stage;
    if (first !== null && !whole) break;
  }
  return { stage: first ?? "market", plans, portfolio };
}

type One = {
  dataset: Dataset;
  request: SyncRequest;
  portfolio: Portfolio;
  learned: ReadonlyMap<string, number>;
  settings: DatasetSettings;
};

async function planOne(db: Database, { dataset, request, portfolio, learned, settings }: One): Promise<DatasetPlan> {
  const partitions = dataset
    .partitions(portfolio)
    .filter(
      ({ scope }) =>
        settings.countries === undefined ||
        scope["country"] === undefined ||
        settings.countries.includes(scope["country"]),
    )
    .map((partition): PlanPartition => ({
      scope: partition.scope,
      items: partition.items,
      fingerprint: partition.fingerprint ?? "",
      ways: dataset.operationsFor(partition.scope).map((operation) => wayOf(operation, learned)),
    }));
  const timing = timingOf(dataset.timing, settings);
  const covered = await readCoverage(db, dataset.name, reachOf(timing, request));
  return planDataset({
    dataset: dataset.name,
    timing,
    partitions,
    covered,
    today: request.today,
    bounds: request.bounds,
  });
}

/** Of how far back the ledger matters: a plan need not read every slice ever made. */
function reachOf(timing: Timing, { today, bounds }: SyncRequest): Partial<Window> {
  return timing.kind === "series"
    ? askable(timing, today, bounds)
    : { start: addDays(today, -timing.refreshDays - openFor) };
}

/** Days after which an open snapshot slice is as good as forgotten. */
const openFor = 30;

/** A dataset's timing with what the configuration changes. */
function timingOf(timing: Timing, settings: DatasetSettings): Timing {
  if (timing.kind === "snapshot") return timing;
  return {
    ...timing,
    settleDays: settings.settle_days ?? timing.settleDays,
    lookbackDays: settings.lookback_days ?? timing.lookbackDays,
    historyDays: settings.history_days ?? timing.historyDays,
  };
}
