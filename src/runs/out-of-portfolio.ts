import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import { scopeKey } from "../core/slice.ts";
import { datasets as allDatasets } from "../datasets/shared/all.ts";
import type { Partition } from "../datasets/shared/define-dataset.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import {
  cancelLeftBehind,
  readLeftBehind,
  type LeftBehind,
  type LeftBehindOf,
  type LeftSlice,
} from "../ledger/left-behind.ts";
import { requestable } from "../plan/missing.ts";
import { timingWith } from "../planner/dataset-settings.ts";
import { partitionsOf, type DatasetPlanning } from "../planner/plan-chunks.ts";
import { startsByShard } from "../planner/plan-stream.ts";

type Parts = Pick<IngestParts, "db" | "clock">;

/**
 * Cancels what waits, or failed, of apps, countries and items that were taken out of the portfolio since it was planned, and of days before
 * the history that is configured by now: nobody wants it any more, and it would be requested before anything that is wanted. To be called
 * before a process with these settings claims or adopts any.
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

/** The numbers of the slices that it would cancel by now. */
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
  const wanted = new Map<string, Wanted>();
  const scopes = new Set(left.map(keyOf));
  const request = { datasets: names, bounds: {}, today: clock.today(), isScheduled: true } as const;
  for await (const starts of startsByShard(db, request, settings))
    for (const start of starts)
      for (const partition of partitionsOf(start)) {
        const key = keyOf({ dataset: start.dataset.name, scope: partition.scope });
        const items = partition.items === null ? null : new Set(partition.items);
        if (scopes.has(key)) wanted.set(key, { items, firstDay: firstDayOf(partition, start) });
      }
  return left.flatMap((one) => unwanted(one, wanted.get(keyOf(one)))).map(({ sliceId }) => sliceId);
}

/** What is wanted of a partition: its items, and the first day that a plan of some day requests; of a snapshot there is none. */
type Wanted = {
  readonly items: ReadonlySet<string> | null;
  readonly firstDay: ((plannedOn: Day) => Day) | null;
};

/** As far as the configuration says how much history there is: what a dataset requests otherwise depends on what is known of it. */
function firstDayOf({ timing }: Partition, { dataset, settings }: DatasetPlanning): Wanted["firstDay"] {
  if (settings.history_days === undefined && settings.start === undefined) return null;
  const own = timingWith(timing ?? dataset.timing, settings);
  return own.kind === "snapshot" ? null : (plannedOn) => requestable(own, plannedOn, {}).start;
}

function unwanted(left: LeftBehind, wanted: Wanted | undefined): readonly LeftSlice[] {
  if (wanted === undefined || !isWanted(left, wanted.items)) return left.slices;
  const { firstDay } = wanted;
  if (firstDay === null) return [];
  return left.slices.filter(({ plannedOn, end }) => end !== null && end <= firstDay(plannedOn));
}

function keyOf({ dataset, scope }: Pick<LeftBehind, "dataset" | "scope">): string {
  return `${dataset} ${scopeKey(scope)}`;
}

/** A list goes on while one of its items is in the portfolio: a call costs the same with fewer. */
function isWanted({ items }: LeftBehind, wanted: Wanted["items"]): boolean {
  return items === null || wanted === null || items.some((item) => wanted.has(item));
}
