import type { Settings } from "../config/settings.ts";
import type { Scope } from "../core/slice.ts";
import { hasAnyWithoutData } from "../ledger/coverage.ts";
import { inOrder } from "../plan/plan-dataset.ts";
import { isNoAnswer } from "../plan/plan-snapshot.ts";
import type { Database } from "../postgres/database.ts";
import { partitionsOf, type DatasetPlanning } from "./plan-chunks.ts";
import { coverageFor } from "./plan-coverage.ts";
import { datasetsOf, readInputs, startsIn } from "./plan-stream.ts";
import type { SyncRequest } from "./request.ts";

/**
 * Lists of the portfolio that were unavailable when they were last requested, as `tracked_keyword ios 1 US`: their members are missing from
 * all plans. Only lists that the request needs.
 */
export async function unreadLists(db: Database, request: SyncRequest, settings: Settings): Promise<readonly string[]> {
  const lists = datasetsOf(request, settings).flatMap(({ name, stage }) => (stage === "portfolio" ? [name] : []));
  // mostly every list has members
  if (!(await hasAnyWithoutData(db, lists))) return [];
  const unread: string[] = [];
  const inputs = await readInputs(db, request, settings);
  for (const shard of inputs.shards)
    for (const start of await startsIn(db, inputs, { shard, stage: "portfolio" }))
      unread.push(...(await unreadOf(db, start)));
  return unread;
}

async function unreadOf(db: Database, planning: DatasetPlanning): Promise<readonly string[]> {
  const partitions = partitionsOf(planning);
  const covered = await coverageFor(db, planning).read(partitions.map(({ scope }) => scope));
  return inOrder(partitions).flatMap(({ partition, key }) => {
    const newest = covered.get(key)?.at(-1);
    // a refused list is as unknown as one that is not found
    const isUnread = newest !== undefined && (newest.refused || isNoAnswer(newest, partition));
    return isUnread ? [listWords(planning.dataset.name, partition.scope)] : [];
  });
}

/** The dataset and the parts of the scope that name a list, such as `tracked_keyword ios 1 US`. */
export function listWords(dataset: string, scope: Scope): string {
  const own = Object.entries(scope).filter(([part]) => parts.includes(part));
  return [dataset, ...own.sort(byPart).map(([, value]) => value)].join(" ");
}

/** Store, app, country: as people name them. */
const parts = ["store", "app", "country"];

function byPart([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return parts.indexOf(a) - parts.indexOf(b);
}

/** Datasets without anything available, and the unread lists of other datasets. */
export function withUnread(unavailable: readonly string[], unread: readonly string[]): readonly string[] {
  return [...unavailable, ...unread.filter((list) => !unavailable.some((name) => list.split(" ")[0] === name))];
}
