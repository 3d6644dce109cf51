import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import type { SourceMembers } from "../core/portfolio.ts";
import type { SliceDraft } from "../core/slice.ts";
import { storeOf } from "../core/store.ts";
import { learnedCosts } from "../credits/costs.ts";
import { datasetNamed, datasets } from "../datasets/shared/all.ts";
import { planningSourcesOf, stages, type Dataset } from "../datasets/shared/define-dataset.ts";
import type { Database } from "../postgres/database.ts";
import { readPlanningSource } from "../load/planning-sources.ts";
import { readTracked } from "./portfolio.ts";
import { settingsOf } from "./dataset-settings.ts";
import { learnedDays } from "./lookback.ts";
import { coverageFor, planInChunks, type DatasetPlanning } from "./plan-chunks.ts";
import { portfolioOf } from "./portfolio.ts";
import type { SyncRequest } from "./request.ts";

/** Part of a plan: some slices of one dataset, newest first, and what a program would pay for them that requests one thing at a time. */
export type PlanChunk = {
  readonly dataset: string;
  readonly stage: Dataset["stage"];
  readonly slices: readonly SliceDraft[];
  readonly naiveCredits: number;
};

/** The datasets that a request names, in planning order. */
export function datasetsOf(request: Pick<SyncRequest, "datasets">, settings: Settings): readonly Dataset[] {
  const named = request.datasets.map(datasetNamed);
  const fromAccount = settings.portfolio.source !== "config";
  const canBe = ({ stage }: Dataset) => fromAccount || stage !== "portfolio";
  if (named.length === 0)
    return datasets.filter((dataset) => (settings.datasets[dataset.name]?.on ?? dataset.on) && canBe(dataset));
  // a dataset is planned from what the account follows and from the planning sources that it names, and those again from others
  const last = datasets.findLastIndex((dataset) => named.includes(dataset));
  const needs = new Set(named.flatMap(({ plannedFrom = [] }) => plannedFrom));
  const isNeeded = (dataset: Dataset) => planningSourcesOf(dataset).some(({ name }) => needs.has(name));
  const needed = datasets
    .slice(0, last)
    .filter((dataset) => canBe(dataset) && (dataset.stage === "portfolio" || isNeeded(dataset)));
  return datasets.filter((dataset) => named.includes(dataset) || needed.includes(dataset));
}

/**
 * The plan of a request, chunk by chunk: datasets in planning order, partitions in the order of their scopes and not that of the
 * portfolio, newest first within a chunk. Memory does not grow with the account, and the caller may write what it got before it takes
 * more. Ends after the first stage that has something to do, unless `whole`. Writes nothing and requests nothing.
 */
export async function* planChunks(
  db: Database,
  request: SyncRequest,
  settings: Settings,
  whole = false,
): AsyncGenerator<PlanChunk> {
  yield* planStarts(db, await startsOf(db, request, settings), whole);
}

/** `planChunks` for a caller that has read what the plan starts from. */
export async function* planStarts(
  db: Database,
  starts: readonly DatasetPlanning[],
  whole = false,
): AsyncGenerator<PlanChunk> {
  let any = false;
  for (const stage of stages) {
    for (const start of starts.filter(({ dataset }) => dataset.stage === stage))
      for await (const { plan } of planInChunks(coverageFor(db, start, { isJoined: true }), start))
        if (plan.slices.length > 0) {
          any = true;
          yield { ...plan, stage };
        }
    if (any && !whole) return;
  }
}

/** What planning each dataset of a request starts from, in planning order. */
export async function startsOf(
  db: Database,
  request: SyncRequest,
  settings: Settings,
): Promise<readonly DatasetPlanning[]> {
  const chosen = datasetsOf(request, settings);
  const account = accountOf(settings);
  const sources = await sourceMembers(db, chosen, account);
  const apps = request.only?.apps;
  const tracked = await readTracked(db, { account, only: apps });
  const portfolio = { ...portfolioOf(tracked, listedOf(settings, apps)), sources };
  const learned = new Map((await learnedCosts(db)).map((cost) => [cost.operation, cost.learned]));
  const names = chosen.map(({ name }) => name);
  const lookbacks = await learnedDays(db, { settings, today: request.today, names });
  return chosen.map((dataset) => ({
    dataset,
    lookbackDays: lookbacks.get(dataset.name),
    request,
    portfolio,
    learned,
    settings: settingsOf(dataset, settings),
  }));
}

/** The portfolio that is configured; of its apps only these track ids (or `store:trackId`) where some are named. */
function listedOf({ portfolio }: Settings, apps: readonly string[] | undefined): Settings["portfolio"] {
  if (apps === undefined) return portfolio;
  const named = new Set(apps);
  return { ...portfolio, apps: portfolio.apps.filter(({ id }) => named.has(id) || named.has(`${storeOf(id)}:${id}`)) };
}

/** The members of each planning source that any of these datasets names, of an account where they are of one. */
async function sourceMembers(db: Database, chosen: readonly Dataset[], account: string): Promise<SourceMembers> {
  const needs = new Set(chosen.flatMap(({ plannedFrom = [] }) => plannedFrom));
  const sources = datasets.flatMap(planningSourcesOf).filter(({ name }) => needs.has(name));
  return Object.fromEntries(
    await Promise.all(
      sources.map(async (source) => [source.name, await readPlanningSource(db, source, account)] as const),
    ),
  );
}
