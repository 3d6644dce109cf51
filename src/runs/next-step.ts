import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { OpenWork } from "../ledger/open-slices.ts";
import { planTotals } from "../planner/plan-tally.ts";
import { datasetsOf } from "../planner/plan-stream.ts";
import type { SyncRequest } from "../planner/request.ts";
import { readSyncWork, type SyncWorkParts } from "./sync-work.ts";

/** What a sync would request next, as far as is known now: later steps are planned from its answers. */
export type NextStep = {
  readonly stage: Dataset["stage"];
  /** Work by dataset, the most expensive first. */
  readonly work: readonly Work[];
  readonly slices: number;
  readonly requests: number;
  readonly credits: number;
};

type Work = Omit<OpenWork, "class">;

/** Reads the next step of a sync; the last are failed slices whose next try is due. Null if nothing is left to request. */
export async function nextStep(parts: SyncWorkParts, request: SyncRequest): Promise<NextStep | null> {
  const { lines, waiting, tries } = await readSyncWork(parts, request, { whole: false });
  const others = [...lines, ...waiting];
  const work = Map.groupBy<string, Work>(others.length > 0 ? others : tries, ({ dataset }) => dataset);
  const listed = [...work]
    .map(([dataset, own]) => ({ dataset, ...planTotals(own) }))
    .sort((a, b) => b.credits - a.credits);
  const first = datasetsOf(request, parts.settings).find(({ name }) => work.has(name));
  return first === undefined ? null : { stage: first.stage, work: listed, ...planTotals(listed) };
}
