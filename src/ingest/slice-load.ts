import { sql } from "kysely";
import type { Unfit } from "../api/read-answer.ts";
import type { Slice } from "../core/slice.ts";
import type { Dataset } from "../datasets/define-dataset.ts";
import { checkRows } from "../warehouse/check-rows.ts";
import type { Database } from "../warehouse/database.ts";
import { prepareLoad, runLoad, type Load } from "../warehouse/load.ts";
import { appRef, type Row, type Table } from "../warehouse/table.ts";
import type { IngestParts } from "./parts.ts";
import type { Fetched } from "./read-pages.ts";

/** What loading takes: no way to the API. */
export type LoadParts = Pick<IngestParts, "db" | "dimensions" | "partitions" | "clock">;

/** An answer as rows of its tables, and what did not fit. */
export type SliceLoad = {
  readonly slice: Slice;
  readonly fetched: Fetched;
  readonly loads: readonly Load[];
  readonly unfit: readonly Unfit[];
  /** Rows over all tables. */
  readonly rows: number;
};

/** Normalises an answer and makes the keys and partitions that its rows need; those do no harm without the rows. */
export async function prepareSlice(
  parts: LoadParts,
  dataset: Dataset,
  slice: Slice,
  fetched: Fetched,
): Promise<SliceLoad> {
  const { loads, unfit } = loadsOf(dataset, slice, fetched);
  for (const load of loads) await prepareLoad(load, parts.dimensions, parts.partitions);
  return { slice, fetched, loads, unfit, rows: loads.reduce((sum, load) => sum + load.rows.length, 0) };
}

/** Writes rows, rejects and drift of a slice inside the caller's transaction. */
export async function writeSlice(transaction: Database, parts: LoadParts, load: SliceLoad): Promise<void> {
  await plannerSettings.execute(transaction);
  for (const one of load.loads) await runLoad(transaction, one, parts.dimensions);
  await writeRejects(transaction, load.slice, load.unfit, load.fetched.fetchedAt);
  await writeDrift(transaction, load.slice, load.fetched);
}

/** With stale statistics a merge may read the whole partition; the key's index is right for every batch. */
const plannerSettings = sql`
  select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`;

function loadsOf(
  dataset: Dataset,
  slice: Slice,
  fetched: Fetched,
): { loads: readonly Load[]; unfit: readonly Unfit[] } {
  const normalised = dataset.normalise(slice, fetched.pages, fetched.unfit);
  const unfit: Unfit[] = [...fetched.unfit, ...normalised.unfit];
  const checked = dataset.tables.map((table) => {
    const { fit, unfit: misfits } = checkRows(table, normalised.rows[table.name] ?? []);
    unfit.push(...misfits);
    return { table, rows: fit };
  });
  // an answer that was not understood whole cannot tell what is gone
  const complete = unfit.length === 0;
  const loads = checked.map(({ table, rows }) => ({
    table,
    rows,
    sliceId: slice.sliceId,
    fetchedAt: fetched.fetchedAt,
    day: slice.window.start,
    scope: scopeRow(table, slice),
    complete,
  }));
  return { loads, unfit };
}

/** The columns of a table that the slice's scope and window fix. */
function scopeRow(table: Table, { scope, window }: Slice): Row {
  const columns = "scope" in table.load ? table.load.scope : [];
  return Object.fromEntries(
    columns.map((column) => {
      const kind = table.columns[column];
      if (kind === "app") return [column, appRef(scope["store"] ?? "", scope["app"] ?? "")];
      if (kind === "day") return [column, window.start];
      if (kind === "device") return [column, scope["device"] ?? "ALL"];
      return [column, scope[kind === "text" ? column : (kind ?? column)] ?? null];
    }),
  );
}

async function writeRejects(db: Database, slice: Slice, unfit: readonly Unfit[], fetchedAt: number): Promise<void> {
  await sql`delete from ops.reject where slice_id = ${slice.sliceId}`.execute(db);
  if (unfit.length === 0) return;
  await sql`
    insert into ops.reject (slice_id, dataset, reason, item, fetched_at)
    select ${slice.sliceId}, ${slice.dataset}, reason, coalesce(item, 'null'), ${new Date(fetchedAt).toISOString()}::timestamptz
    from   jsonb_to_recordset(${JSON.stringify(unfit)}::jsonb) as r (reason text, item jsonb)`.execute(db);
}

async function writeDrift(db: Database, slice: Slice, fetched: Fetched): Promise<void> {
  if (fetched.drift.length === 0) return;
  await sql`
    insert into ops.drift (operation, path, kind, first_seen_at, slice_id)
    select ${slice.operation}, path, kind, ${new Date(fetched.fetchedAt).toISOString()}::timestamptz, ${slice.sliceId}
    from   jsonb_to_recordset(${JSON.stringify(fetched.drift)}::jsonb) as d (path text, kind text)
    order  by path, kind
    on conflict do nothing`.execute(db);
}
