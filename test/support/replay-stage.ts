import { replay, type Replayed, type ReplayRequest } from "../../src/archive/replay.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { Stage } from "./ingest-stage.ts";

/** Datasets whose tables are each loaded in another way: histories, rows of a shared dimension, rows with and without days, whole days, sums. */
export const eachWay = [
  "tracked_app",
  "tracked_country",
  "tracked_keyword",
  "app_history",
  "app_version",
  "app_change",
  "keyword_rank",
  "top_keyword",
];

/** Rebuilds datasets without a server: the sandbox refuses every request, and its log is checked afterwards. */
export async function rebuild(
  stage: Stage,
  names: readonly string[],
  request: Partial<ReplayRequest> = {},
): Promise<readonly Replayed[]> {
  await using app = await stage.open();
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  const done: Replayed[] = [];
  for (const dataset of datasets.filter(({ name }) => names.includes(name)))
    done.push(await replay(parts, dataset, { within: {}, keepPruned: false, ...request }));
  return done;
}

/** Every row of every table that datasets own, with surrogate keys, slices and times of receipt, as text. */
export async function everything(stage: Stage): Promise<Record<string, unknown>> {
  const tables = new Set(datasets.flatMap((dataset) => dataset.tables.map(({ name }) => name)));
  const found: Record<string, unknown> = {};
  for (const name of tables)
    found[name] = (await stage.query(`select t::text as row from ${name} as t order by 1`)).map(({ row }) => row);
  return found;
}
