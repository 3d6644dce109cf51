import type { Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import { scopeKey, type Slice } from "../core/slice.ts";
import type { Partition } from "../datasets/shared/define-dataset.ts";
import { requestable } from "../plan/missing.ts";
import type { Database } from "../postgres/database.ts";
import { timingWith } from "./dataset-settings.ts";
import { partitionsOf, type DatasetPlanning } from "./plan-chunks.ts";
import { startsByShard } from "./plan-stream.ts";
import type { SyncRequest } from "./request.ts";

/** Slices of one partition and list. */
type PlannedList = Pick<Slice, "dataset" | "scope" | "items">;

/**
 * What the current portfolio requests for a partition: its items, and the first day that a plan made on a given day requests (none for a
 * snapshot).
 */
export type WantedPartition = {
  readonly items: ReadonlySet<string> | null;
  readonly firstDay: ((plannedOn: Day) => Day) | null;
};

/**
 * Goes through what a request is planned from now, some apps at a time, and finds the partitions of slices that were planned before.
 * Returns what is requested for the partition of a slice; null if the partition, or every item of its list, is no longer in the portfolio.
 */
export async function wantedPartitions(
  db: Database,
  {
    request,
    settings,
    of,
  }: { readonly request: SyncRequest; readonly settings: Settings; readonly of: readonly PlannedList[] },
): Promise<(list: PlannedList) => WantedPartition | null> {
  const planned = new Set(of.map(keyOf));
  const found = new Map<string, WantedPartition>();
  for await (const starts of startsByShard(db, request, settings))
    for (const start of starts)
      for (const partition of partitionsOf(start)) {
        const key = keyOf({ dataset: start.dataset.name, scope: partition.scope });
        if (!planned.has(key)) continue;
        const items = partition.items === null ? null : new Set(partition.items);
        found.set(key, { items, firstDay: firstDayOf(partition, start) });
      }
  return (list) => {
    const wanted = found.get(keyOf(list));
    return wanted !== undefined && isWanted(list, wanted) ? wanted : null;
  };
}

/** A list stays while one of its items is needed: a call with fewer items costs the same. */
function isWanted({ items }: PlannedList, wanted: WantedPartition): boolean {
  return items === null || wanted.items === null || items.some((item) => wanted.items?.has(item));
}

/** Only if the configuration sets the history: otherwise the first day depends on what is known about the partition. */
function firstDayOf({ timing }: Partition, { dataset, settings }: DatasetPlanning): WantedPartition["firstDay"] {
  if (settings.history_days === undefined && settings.start === undefined) return null;
  const own = timingWith(timing ?? dataset.timing, settings);
  return own.kind === "snapshot" ? null : (plannedOn) => requestable(own, plannedOn, {}).start;
}

function keyOf({ dataset, scope }: Pick<Slice, "dataset" | "scope">): string {
  return `${dataset} ${scopeKey(scope)}`;
}
