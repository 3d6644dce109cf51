import { sql } from "kysely";
import { operationById } from "../api/operations/all.ts";
import { StorehouseError } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import type { Dataset } from "../datasets/define-dataset.ts";
import { landedSlices } from "../ledger/landed-slices.ts";
import { clearTable } from "../warehouse/clear.ts";
import type { Database } from "../warehouse/database.ts";
import { landedPages } from "../warehouse/landed.ts";
import { readPages, type Fetched } from "./read-pages.ts";
import { prepareSlice, writeSlice, type LoadParts } from "./slice-load.ts";

/** What rebuilding a dataset brought: slices and rows loaded, and slices whose landed answer still does not fit. */
export type Replayed = {
  readonly dataset: string;
  readonly slices: number;
  readonly rows: number;
  readonly unfit: number;
};

/**
 * Rebuilds the tables of a dataset from landed answers, in the order in which they came: no request, no credit. One transaction, so
 * that readers see the old tables until the new ones stand and a kill leaves the old. Answers that did not fit when they came and do
 * now are loaded as well, and their slices are no longer failed.
 */
export async function replay(parts: LoadParts, dataset: Dataset, within: Partial<Window>): Promise<Replayed> {
  return parts.db.transaction().execute(async (transaction) => {
    // a whole history is rebuilt from all its answers
    const reach = dataset.tables.every((table) => "date_day" in table.columns) ? within : {};
    for (const table of dataset.tables) await clearTable(transaction, table, reach);
    const done = { dataset: dataset.name, slices: 0, rows: 0, unfit: 0 };
    for await (const slice of landedSlices(parts.db, dataset.name, reach)) {
      const fetched = await landedAnswer(parts.db, slice);
      if (fetched === null) done.unfit += 1;
      else {
        const load = await prepareSlice(parts, dataset, slice, fetched);
        await writeSlice(transaction, parts, load);
        await noteLoaded(transaction, slice, { rows: load.rows, rejects: load.unfit.length });
        done.slices += 1;
        done.rows += load.rows;
      }
    }
    return done;
  });
}

/** The landed answer of a slice, null when it is not whole or does not fit. */
async function landedAnswer(db: Database, slice: Slice): Promise<Fetched | null> {
  const pages = await landedPages(db, slice.sliceId);
  try {
    return await readPages(operationById(slice.operation), async (index) => {
      const page = pages.get(index);
      if (page === undefined) throw new MissingPage();
      return page;
    });
  } catch (error) {
    if (error instanceof MissingPage || error instanceof StorehouseError) return null;
    throw error;
  }
}

class MissingPage extends Error {}

async function noteLoaded(
  db: Database,
  slice: Slice,
  { rows, rejects }: { rows: number; rejects: number },
): Promise<void> {
  await sql`
    update ops.slice
    set    state = ${rows > 0 ? "loaded" : "empty"}, error_code = null, error_message = null, rows_loaded = ${rows}, rows_rejected = ${rejects}
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt} and state in ('loaded', 'empty', 'failed')`.execute(
    db,
  );
}
