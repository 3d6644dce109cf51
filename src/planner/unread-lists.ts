import { accountOf } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import { inOrder } from "../plan/plan-dataset.ts";
import { isNoAnswer } from "../plan/plan-snapshot.ts";
import type { Database } from "../postgres/database.ts";
import { readTracked } from "./portfolio.ts";
import { coverageFor, partitionsOf } from "./plan-chunks.ts";
import { datasetsOf } from "./plan-stream.ts";
import { portfolioOf } from "./portfolio.ts";
import type { SyncRequest } from "./request.ts";

/**
 * Lists of the portfolio that were unavailable when they were last requested, as `tracked_keyword ios 1 US`: what they would name is
 * missing from everything that is planned. Only those that the request needs.
 */
export async function unreadLists(db: Database, request: SyncRequest, settings: Settings): Promise<readonly string[]> {
  const portfolio = portfolioOf(await readTracked(db, { account: accountOf(settings) }), settings.portfolio);
  const unread: string[] = [];
  for (const dataset of datasetsOf(request, settings)) {
    const { name, stage } = dataset;
    if (stage !== "portfolio") continue;
    const planning = { dataset, request, portfolio, settings: settings.datasets[name] ?? {} };
    const partitions = partitionsOf(planning);
    const covered = await coverageFor(db, planning).read(partitions.map(({ scope }) => scope));
    for (const { partition, key } of inOrder(partitions)) {
      const newest = covered.get(key)?.at(-1);
      // a refused list is as unknown as one that is not found
      if (newest !== undefined && (newest.refused || isNoAnswer(newest, partition)))
        unread.push(
          [
            name,
            ...Object.entries(partition.scope)
              .filter(([part]) => parts.includes(part))
              .sort(byPart)
              .map(([, value]) => value),
          ].join(" "),
        );
    }
  }
  return unread;
}

/** Store, app, country: as people name them. */
const parts = ["store", "app", "country"];

function byPart([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return parts.indexOf(a) - parts.indexOf(b);
}

/** Datasets of which nothing was available, and the lists that are none of theirs. */
export function withUnread(unavailable: readonly string[], unread: readonly string[]): readonly string[] {
  return [...unavailable, ...unread.filter((list) => !unavailable.some((name) => list.split(" ")[0] === name))];
}
