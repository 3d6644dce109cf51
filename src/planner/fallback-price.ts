import type { Settings } from "../config/settings.ts";
import type { Database } from "../postgres/database.ts";
import { partitionsOf, planInChunks } from "./plan-chunks.ts";
import { coverageFor } from "./plan-coverage.ts";
import { startsOf } from "./plan-stream.ts";
import type { SyncRequest } from "./request.ts";
import { sumBy } from "../core/sum.ts";

/** Credits that a dataset may take in addition to its plan, and in which case; see `Partition.otherwise`. */
export type FallbackPrice = { readonly dataset: string; readonly credits: number; readonly where: string };

/** Prices what a request may take in addition to its plan, dataset by dataset, if the kind of the answers is not known yet. */
export async function fallbackPrices(
  db: Database,
  request: SyncRequest,
  settings: Settings,
): Promise<readonly FallbackPrice[]> {
  const prices: FallbackPrice[] = [];
  for (const start of await startsOf(db, request, settings)) {
    const cases = partitionsOf(start).flatMap((partition) => partition.otherwise ?? []);
    const partitions = cases.flatMap((one) => one.partitions);
    const [first] = cases;
    if (first === undefined) continue;
    const instead = { ...start, dataset: { ...start.dataset, partitions: () => partitions } };
    let credits = 0;
    for await (const { plan } of planInChunks(coverageFor(db, instead), instead))
      credits += sumBy(plan.slices, (slice) => slice.credits);
    if (credits > 0) prices.push({ dataset: start.dataset.name, credits, where: first.where });
  }
  return prices;
}

/** A dataset for which earlier answers showed that the usual request does not work, and how it is requested instead, in words. */
export type OtherWay = { readonly dataset: string; readonly how: string };

/** The other ways of a request, each once. */
export async function otherWays(db: Database, request: SyncRequest, settings: Settings): Promise<readonly OtherWay[]> {
  const starts = await startsOf(db, request, settings);
  return starts.flatMap((start) =>
    [...new Set(partitionsOf(start).flatMap(({ how }) => how ?? []))].map((how) => ({
      dataset: start.dataset.name,
      how,
    })),
  );
}
