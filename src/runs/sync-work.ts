import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { wouldJoin } from "../ledger/join-waiting.ts";
import { openWork } from "../ledger/open-slices.ts";
import { createTally } from "../planner/plan-tally.ts";
import { datasetsOf, planChunks, type PlanChunk } from "../planner/plan-stream.ts";
import type { SyncRequest } from "../planner/request.ts";
import { outOfPortfolio } from "./out-of-portfolio.ts";
import { dueTries } from "./queue-retries.ts";

/** What reading it takes. */
export type SyncWorkParts = Pick<IngestParts, "db" | "clock"> & { readonly settings: Settings };

/**
 * Reads what a sync would request: the new slices of its next stage (of all stages if `whole`; later ones are planned from answers), the
 * slices that wait, without those whose days the new ones request and those that the sync cancels, and failed slices whose next try is due
 * and paid for. `stage`: the first with new slices, null if there are none. Writes and spends nothing.
 */
export async function readSyncWork(
  { db, clock, settings }: SyncWorkParts,
  request: SyncRequest,
  { whole }: { readonly whole: boolean },
) {
  const datasets = datasetsOf(request, settings).map(({ name }) => name);
  const account = accountOf(settings);
  const tally = createTally({ digest: false });
  const joined: string[] = [];
  let stage: PlanChunk["stage"] | null = null;
  for await (const chunk of planChunks(db, request, settings, whole)) {
    stage ??= chunk.stage;
    tally.add(chunk);
    for (const id of await wouldJoin(db, account, chunk.slices)) joined.push(id);
  }
  const { lines, naiveCredits } = tally.sum();
  const cancelled = await outOfPortfolio({ db, clock }, settings, { datasets, isWorker: false });
  const { tries } = await dueTries(db, clock, { settings, datasets, mostCredits: Number.POSITIVE_INFINITY });
  return {
    stage,
    lines,
    naiveCredits,
    waiting: await openWork(db, { datasets, account, without: [...cancelled, ...joined] }),
    tries: tries.filter(({ sliceId }) => !cancelled.includes(sliceId)),
    cancelled,
  };
}
