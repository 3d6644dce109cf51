import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import { datasets as allDatasets } from "../datasets/shared/all.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import {
  cancelLeftBehind,
  readLeftBehind,
  type LeftBehind,
  type LeftBehindOf,
  type LeftSlice,
} from "../ledger/left-behind.ts";
import { wantedPartitions, type WantedPartition } from "../planner/wanted-partitions.ts";

type Parts = Pick<IngestParts, "db" | "clock">;

/**
 * Cancels open and failed slices that are no longer needed: those of apps, countries and items that were removed from the portfolio after
 * they were planned, and of days before the configured history. They would be requested before slices that are needed. To be called before
 * a process with these settings claims or adopts any.
 */
export async function cancelOutOfPortfolio(
  { db, clock, log }: Parts & Pick<IngestParts, "log">,
  settings: Settings,
  of: Omit<LeftBehindOf, "account">,
): Promise<void> {
  const ids = await outOfPortfolio({ db, clock }, settings, of);
  const cancelled = ids.length === 0 ? 0 : await cancelLeftBehind(db, ids);
  if (cancelled > 0) log.info({ slices: cancelled }, "runs.out_of_portfolio");
}

/** The numbers of the slices that `cancelOutOfPortfolio` would cancel now. */
export async function outOfPortfolio(
  { db, clock }: Parts,
  settings: Settings,
  of: Omit<LeftBehindOf, "account">,
): Promise<readonly string[]> {
  const known = new Set(allDatasets.map(({ name }) => name));
  const all = await readLeftBehind(db, { ...of, account: accountOf(settings) });
  const left = all.filter(({ dataset }) => known.has(dataset));
  if (left.length === 0) return [];
  const names = [...new Set(left.map(({ dataset }) => dataset))];
  const request = { datasets: names, bounds: {}, today: clock.today(), isScheduled: true } as const;
  const wantedOf = await wantedPartitions(db, { request, settings, of: left });
  return left.flatMap((one) => unwanted(one, wantedOf(one))).map(({ sliceId }) => sliceId);
}

function unwanted({ slices }: LeftBehind, wanted: WantedPartition | null): readonly LeftSlice[] {
  if (wanted === null) return slices;
  const { firstDay } = wanted;
  return firstDay === null ? [] : slices.filter(({ plannedOn, end }) => end !== null && end <= firstDay(plannedOn));
}
