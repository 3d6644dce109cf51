import type { Pool } from "pg";
import { fail, StorehouseError, messageOf } from "../core/errors.ts";
import { unwritableFile } from "../core/files.ts";
import type { Window } from "../core/window.ts";
import { tryLockNamed } from "../postgres/advisory-lock.ts";
import { databaseOn } from "../postgres/database.ts";
import { databaseOutage, isLostConnection } from "../postgres/database-errors.ts";
import { exportTable, type TableExport } from "./export-table.ts";
import { withExactTypes } from "./exact-types.ts";
import type { FileFormat } from "./manifest.ts";
import { openPlace } from "./open-place.ts";
import type { ExportPlace, PlaceOptions } from "./place.ts";
import type { Relation } from "../postgres/relations.ts";
import { diskProblem } from "./work-folder.ts";
import { openSnapshot } from "./snapshot.ts";
import type { PartWriter } from "./write-part.ts";

/** What to export, and where. `onTable` is called with each table as soon as it is done. */
export type TableExportRequest = {
  readonly relations: readonly Relation[];
  readonly within: Partial<Window>;
  /** A folder, or `s3://bucket/prefix`. */
  readonly out: string;
  readonly reach: PlaceOptions;
  readonly format: FileFormat;
  readonly storehouse: string;
  readonly now: () => number;
  readonly onTable?: (done: TableExport) => void;
  /** Stops the export between two files. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * Brings the files of some tables up to date, all from one moment of the database. Throws `export_under_way` if another export writes into
 * the place, and `unwritable_file` or an error of the bucket if nothing can be written.
 */
export async function exportTables(pool: Pool, request: TableExportRequest): Promise<readonly TableExport[]> {
  const { out } = request;
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await openPlace(out, request.reach));
  const { work } = place;
  const parquet = request.format === "csv" ? null : opened.use(await openParquet(work));
  const { client } = opened.use(await openSnapshot(pool));
  if (place.lockName !== null && !(await tryLockNamed(databaseOn(client), "export", place.lockName)))
    throw fail("export_under_way", { place: out });
  const done: TableExport[] = [];
  for (const relation of request.relations) {
    const one = await exportOne({ client, parquet, work, place }, request, relation).catch((error: unknown) => {
      // a stop is no failure
      throw request.signal?.aborted ? error : exportProblem(relation, out, error);
    });
    done.push(one);
    request.onTable?.(one);
  }
  return done;
}

/** CSV has no types: its numbers are written unchanged. */
async function exportOne(
  { place, ...writer }: PartWriter & { readonly place: ExportPlace },
  request: TableExportRequest,
  declared: Relation,
): Promise<TableExport> {
  const relation = request.format === "csv" ? declared : await withExactTypes(writer.client, declared);
  const table = await place.table(relation.schema, relation.table);
  return exportTable(writer, { ...request, relation, declared, place: table });
}

// DuckDB takes longer to load than the rest of the program
async function openParquet(work: string) {
  const { openParquetWriter } = await import("./parquet.ts");
  return openParquetWriter(work);
}

function exportProblem({ name }: Relation, out: string, error: unknown): unknown {
  if (error instanceof StorehouseError) return error;
  if (isLostConnection(error)) return databaseOutage(error);
  const problem = messageOf(error).split("\n")[0] ?? "";
  const cause = diskProblem(error);
  if (cause !== null) return unwritableFile(out, { code: cause });
  return fail("export_failed", { table: name, problem }, error);
}
