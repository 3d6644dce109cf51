import type { Settings } from "../config/settings.ts";
import type { Database } from "../postgres/database.ts";
import { readPartitionGroups } from "./gaps.ts";
import type { SyncRequest } from "./request.ts";

/** A note for each dataset that a request names and of which the portfolio has no cell: nothing is missing of it, and nothing is loaded. */
export async function noCellNotes(db: Database, request: SyncRequest, settings: Settings): Promise<readonly string[]> {
  if (request.datasets.length === 0) return [];
  const having = new Set((await readPartitionGroups(db, { request, settings })).map(({ dataset }) => dataset));
  return request.datasets
    .filter((name) => !having.has(name))
    .map(
      (name) =>
        `The portfolio has no such cell of ${name}: \`storehouse datasets\` says what it is about, \`storehouse sync\` reads the portfolio.`,
    );
}
