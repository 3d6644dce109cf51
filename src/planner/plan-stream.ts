import { accountOf } from "../config/config-of-account.ts";
import { isOn, type Settings } from "../config/settings.ts";
import type { SourceMembers } from "../core/portfolio.ts";
import type { SliceDraft } from "../core/slice.ts";
import { learnedPrices } from "../credits/costs.ts";
import { datasetNamed, datasets } from "../datasets/shared/all.ts";
import { planningSourcesOf, stages, type Dataset } from "../datasets/shared/define-dataset.ts";
import type { Database } from "../postgres/database.ts";
import { readPlanningSource } from "../load/planning-sources.ts";
import { isPlannable, settingsOf } from "./dataset-settings.ts";
import type { Day } from "../core/day.ts";
import { learnedDays } from "./lookback.ts";
import { planInChunks, type DatasetPlanning } from "./plan-chunks.ts";
import { coverageFor } from "./plan-coverage.ts";
import { readPortfolio, readPortfolioApps, type AppId } from "./portfolio.ts";
import type { SyncRequest } from "./request.ts";
import { hasApp, hasDataset, shardsFor, wholePlan, type Shard } from "./shards.ts";

/** Part of a plan: some slices of one dataset, newest first, and what a program that requests one thing at a time would pay for them. */
export type PlanChunk = {
  readonly dataset: string;
  readonly stage: Dataset["stage"];
  readonly slices: readonly SliceDraft[];
  readonly naiveCredits: number;
};

/** The datasets that a request names, in planning order. */
export function datasetsOf(
  request: Pick<SyncRequest, "datasets" | "isScheduled">,
  settings: Settings,
): readonly Dataset[] {
  const named = request.datasets.map(datasetNamed);
  const canBe = (dataset: Dataset) => isPlannable(dataset, settings);
  const isLeftOut = ({ name }: Dataset) => request.isScheduled === true && settings.datasets[name]?.on === false;
  if (named.length === 0) return datasets.filter((dataset) => isOn(dataset, settings) && canBe(dataset));
  // a dataset is planned from the portfolio of the account and from the planning sources that it names, which in turn may be planned from
  // others
  const last = datasets.findLastIndex((dataset) => named.includes(dataset));
  const needs = new Set(named.flatMap(({ plannedFrom = [] }) => plannedFrom));
  const isNeeded = (dataset: Dataset) => planningSourcesOf(dataset).some(({ name }) => needs.has(name));
  const needed = datasets
    .slice(0, last)
    .filter((dataset) => canBe(dataset) && !isLeftOut(dataset) && (dataset.stage === "portfolio" || isNeeded(dataset)));
  return datasets.filter((dataset) => named.includes(dataset) || needed.includes(dataset));
}

/**
 * The plan of a request, chunk by chunk: stages in their order, within a stage shard by shard, within a shard datasets in planning order,
 * partitions in the order of their scopes, not of the portfolio, and slices newest first within a chunk. Memory does not grow with the
 * account, and the caller may write what it got before it takes more. Ends after the first stage that has something to do, unless `whole`.
 * Writes nothing and requests nothing.
 */
export async function* planChunks(
  db: Database,
  request: SyncRequest,
  settings: Settings,
  whole = false,
): AsyncGenerator<PlanChunk> {
  const inputs = await readInputs(db, request, settings);
  let any = false;
  for (const stage of stages) {
    for await (const chunk of planStage(db, inputs, { stage, whole })) {
      any = true;
      yield chunk;
    }
    if (any && !whole) return;
  }
}

/** The plan of one stage, shard by shard. */
export async function* planStage(
  db: Database,
  inputs: PlanningInputs,
  { stage, whole = false }: { readonly stage: Dataset["stage"]; readonly whole?: boolean },
): AsyncGenerator<PlanChunk> {
  for (const shard of inputs.shards) yield* planStarts(db, await startsIn(db, inputs, { shard, stage }), whole);
}

/**
 * The plan of some datasets from what they start from, across stages; of all of them if `whole`, otherwise without those that wait for
 * another one.
 */
export async function* planStarts(
  db: Database,
  starts: readonly DatasetPlanning[],
  whole = false,
): AsyncGenerator<PlanChunk> {
  const due = new Set<string>();
  for (const start of starts) {
    const { name, stage, awaits = [] } = start.dataset;
    if (!whole && awaits.some((other) => due.has(other))) continue;
    for await (const { plan } of planInChunks(coverageFor(db, start, { isJoined: true }), start))
      if (plan.slices.length > 0) {
        due.add(name);
        yield { ...plan, stage };
      }
  }
}

/** What planning a request starts from in addition to the portfolio, for any shard. */
export type PlanningInputs = {
  readonly request: SyncRequest;
  readonly settings: Settings;
  /** Datasets in planning order. */
  readonly chosen: readonly Dataset[];
  readonly shards: readonly Shard[];
  readonly apps: readonly AppId[];
  readonly sources: SourceMembers;
  readonly learned: ReadonlyMap<string, number>;
  readonly lookbacks: ReadonlyMap<string, number>;
};

/** Reads what planning these datasets (those of the request if left out) starts from, apart from the portfolio. */
export async function readInputs(
  db: Database,
  request: SyncRequest,
  settings: Settings,
  chosen: readonly Dataset[] = datasetsOf(request, settings),
): Promise<PlanningInputs> {
  const apps = await readPortfolioApps(db, settings, request.only?.apps);
  const names = chosen.map(({ name }) => name);
  return {
    request,
    settings,
    chosen,
    shards: shardsFor(apps.length),
    apps,
    sources: await sourceMembers(db, chosen, { account: accountOf(settings), today: request.today }),
    learned: await learnedPrices(db),
    lookbacks: await learnedDays(db, { settings, today: request.today, names }),
  };
}

/** What planning the datasets of a shard starts from, in planning order; of one stage if it is named. */
export async function startsIn(
  db: Database,
  inputs: PlanningInputs,
  { shard, stage }: { readonly shard: Shard; readonly stage?: Dataset["stage"] },
): Promise<readonly DatasetPlanning[]> {
  const { request, settings, sources, learned, lookbacks } = inputs;
  const own = inputs.chosen.filter((one) => (stage === undefined || one.stage === stage) && hasDataset(shard, one));
  if (own.length === 0) return [];
  const apps =
    shard.number === 0
      ? request.only?.apps
      : inputs.apps.filter((app) => hasApp(shard, app)).map(({ trackId }) => trackId);
  const oneKeyword = own.every(({ fromKeywords }) => fromKeywords !== true);
  const portfolio = { ...(await readPortfolio(db, settings, { only: apps, oneKeyword })), sources };
  return own.map((dataset) => ({
    dataset,
    lookbackDays: lookbacks.get(dataset.name),
    request,
    portfolio,
    learned,
    settings: settingsOf(dataset, settings),
  }));
}

/** What planning each dataset of a request starts from, in planning order, with the portfolio as a whole. */
export async function startsOf(
  db: Database,
  request: SyncRequest,
  settings: Settings,
): Promise<readonly DatasetPlanning[]> {
  return startsIn(db, await readInputs(db, request, settings), { shard: wholePlan });
}

/** The same, some apps at a time. */
export async function* startsByShard(
  db: Database,
  request: SyncRequest,
  settings: Settings,
): AsyncGenerator<readonly DatasetPlanning[]> {
  const inputs = await readInputs(db, request, settings);
  for (const shard of inputs.shards) yield startsIn(db, inputs, { shard });
}

/** The members of each planning source that any of these datasets names; for a source by account, those of the account. */
async function sourceMembers(
  db: Database,
  chosen: readonly Dataset[],
  of: { readonly account: string; readonly today: Day },
): Promise<SourceMembers> {
  const needs = new Set(chosen.flatMap(({ plannedFrom = [] }) => plannedFrom));
  const sources = datasets.flatMap(planningSourcesOf).filter(({ name }) => needs.has(name));
  return Object.fromEntries(
    await Promise.all(sources.map(async (source) => [source.name, await readPlanningSource(db, source, of)] as const)),
  );
}
