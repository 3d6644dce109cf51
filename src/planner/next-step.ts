import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { wouldJoin } from "../ledger/join-waiting.ts";
import { openWork, type OpenWork } from "../ledger/open-slices.ts";
import type { Database } from "../postgres/database.ts";
import { planTotals } from "./plan-tally.ts";
import { datasetsOf, planChunks } from "./plan-stream.ts";
import type { SyncRequest } from "./request.ts";

/** What a sync would request next, as far as is known now: later steps are planned from its answers. */
export type NextStep = {
  readonly stage: Dataset["stage"];
  /** Work by dataset, the most expensive first. */
  readonly work: readonly Work[];
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
};

/**
 * Plans the next step of a sync, including slices that were planned earlier, except those whose days it requests with its own; null if
 * nothing is left to request. Writes and spends nothing.
 */
export async function nextStep(db: Database, request: SyncRequest, settings: Settings): Promise<NextStep | null> {
  const names = datasetsOf(request, settings).map(({ name }) => name);
  const account = accountOf(settings);
  const work: Work[] = [];
  const joined: string[] = [];
  for await (const { dataset, slices } of planChunks(db, request, settings)) {
    work.push({ dataset, ...planTotals(slices.map(({ requests, credits }) => ({ slices: 1, requests, credits }))) });
    for (const id of await wouldJoin(db, account, slices)) joined.push(id);
  }
  work.push(...(await openWork(db, { datasets: names, account, without: joined })));
  return stepOfWork(work, request, settings);
}

type Work = Omit<OpenWork, "class">;

/** A step of this work of a request's datasets; null if there is none. */
export function stepOfWork(parts: readonly Work[], request: SyncRequest, settings: Settings): NextStep | null {
  const work = Map.groupBy(parts, ({ dataset }) => dataset);
  const listed = [...work]
    .map(([dataset, own]) => ({ dataset, ...planTotals(own) }))
    .sort((a, b) => b.credits - a.credits);
  const first = datasetsOf(request, settings).find(({ name }) => work.has(name));
  return first === undefined ? null : { stage: first.stage, work: listed, ...planTotals(listed) };
}
