import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { openWork, type OpenWork } from "../ledger/open-slices.ts";
import type { Database } from "../postgres/database.ts";
import { planTotals } from "./plan-tally.ts";
import { datasetsOf, planChunks } from "./plan-stream.ts";
import type { SyncRequest } from "./request.ts";

/** What a sync would request next, as far as is known now: later steps are planned from its answers. */
export type NextStep = {
  readonly stage: Dataset["stage"];
  /** Work by dataset, the most expensive first. */
  readonly work: readonly Omit<OpenWork, "class">[];
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
};

/**
 * Plans the next step of a sync, including slices that were planned earlier; null if nothing is left to request. Writes and spends nothing.
 */
export async function nextStep(db: Database, request: SyncRequest, settings: Settings): Promise<NextStep | null> {
  const chosen = datasetsOf(request, settings);
  const work = new Map<string, { slices: number; requests: number; credits: number }>();
  const add = (dataset: string, more: Pick<OpenWork, "slices" | "requests" | "credits">) => {
    const known = work.get(dataset);
    work.set(dataset, known === undefined ? planTotals([more]) : planTotals([known, more]));
  };
  for (const waiting of await openWork(
    db,
    chosen.map(({ name }) => name),
    accountOf(settings),
  ))
    add(waiting.dataset, waiting);
  for await (const { dataset, slices } of planChunks(db, request, settings))
    add(dataset, planTotals(slices.map(({ requests, credits }) => ({ slices: 1, requests, credits }))));
  const listed = [...work].map(([dataset, sums]) => ({ dataset, ...sums })).sort((a, b) => b.credits - a.credits);
  const [first] = chosen.filter(({ name }) => work.has(name));
  return first === undefined ? null : { stage: first.stage, work: listed, ...planTotals(listed) };
}
