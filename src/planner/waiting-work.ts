import { sumBy } from "../core/sum.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { planOfRequest, readWaitingSlices } from "../ledger/waiting-slices.ts";
import type { Database } from "../postgres/database.ts";
import { onlyOf, type BackfillRequest } from "./backfill-request.ts";
import { isWanted } from "./request.ts";

/**
 * Slices of the days of a backfill that wait since earlier runs. `dueAt`: when the first of them may continue; null if that is not known.
 * `plans`: the plans that they belong to, oldest first. `isInPlans`: whether each belongs to one. `ofSameRequest`: the oldest of these plans
 * that was made for the same request; null if none was.
 */
export type WaitingOfRequest = {
  readonly slices: number;
  readonly dueAt: Date | null;
  readonly plans: readonly string[];
  readonly isInPlans: boolean;
  readonly ofSameRequest: string | null;
};

/** Reads what waits of the days, apps and countries of a request. */
export async function readWaitingWork(
  db: Database,
  request: BackfillRequest,
  account: string,
): Promise<WaitingOfRequest> {
  const { datasets, bounds } = request;
  const only = onlyOf(request);
  const found = (await readWaitingSlices(db, { account, datasets, within: bounds })).filter(({ dataset, scope }) =>
    isWanted(scope, datasetNamed(dataset), only),
  );
  const plans = [...new Set(found.flatMap(({ planId }) => planId ?? []))].sort((a, b) => Number(a) - Number(b));
  const [dueAt = null] = found.flatMap((one) => one.dueAt ?? []).sort((a, b) => a.getTime() - b.getTime());
  return {
    slices: sumBy(found, ({ slices }) => slices),
    dueAt,
    plans,
    isInPlans: found.every(({ planId }) => planId !== null),
    ofSameRequest: await planOfRequest(db, plans, request),
  };
}
