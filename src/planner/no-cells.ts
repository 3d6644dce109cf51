import type { Settings } from "../config/settings.ts";
import { listed } from "../core/words.ts";
import { datasetNamed, datasets } from "../datasets/shared/all.ts";
import { planningSourcesOf, type Dataset } from "../datasets/shared/define-dataset.ts";
import type { Database } from "../postgres/database.ts";
import { readPartitionGroups } from "./gaps.ts";
import type { SyncRequest } from "./request.ts";

/** A note for each dataset that a request names and of which the portfolio has no cell: nothing is missing of it, and nothing is loaded. */
export async function noCellNotes(db: Database, request: SyncRequest, settings: Settings): Promise<readonly string[]> {
  if (request.datasets.length === 0) return [];
  const having = new Set((await readPartitionGroups(db, { request, settings })).map(({ dataset }) => dataset));
  return request.datasets.filter((name) => !having.has(name)).map((name) => noCellWords(datasetNamed(name)));
}

/** A dataset that is planned from the rows of others has no cell until these are loaded, or if the service has no such rows. */
function noCellWords({ name, plannedFrom = [] }: Dataset): string {
  const sources = datasets.filter(
    (other) => other.name !== name && planningSourcesOf(other).some((source) => plannedFrom.includes(source.name)),
  );
  const none = `The portfolio has no such cell of ${name}:`;
  if (sources.length === 0)
    return `${none} \`storehouse datasets\` says what it is about, \`storehouse sync\` reads the portfolio.`;
  const from = listed(sources.map((source) => source.name));
  return `${none} it is planned from ${from}, and no loaded row of ${from} gives such a cell. \`storehouse sync --dataset ${name}\` requests ${from} first, when due; if there is still no such cell, the service reports none.`;
}
