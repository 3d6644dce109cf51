import { mkdtemp, readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Pool, PoolClient } from "pg";
import { fail, StorehouseError } from "../core/errors.ts";
import { makeFolder, unwritableFile } from "../core/files.ts";
import type { Window } from "../core/window.ts";
import { databaseOutage, isLostConnection } from "../postgres/database-errors.ts";
import { lockFileNow } from "../postgres/embedded/file-lock.ts";
import { exportTable, type TableExport } from "./export-table.ts";
import { withExactTypes } from "./exact-types.ts";
import type { FileFormat } from "./manifest.ts";
import type { Relation } from "../postgres/relations.ts";
import type { PartWriter } from "./write-part.ts";

/** What to export and where to. `onTable` is called with each table as soon as it is done. */
export type TableExportRequest = {
  readonly relations: readonly Relation[];
  readonly within: Partial<Window>;
  readonly out: string;
  readonly format: FileFormat;
  readonly storehouse: string;
  readonly now: () => number;
  readonly onTable?: (done: TableExport) => void;
};

const lockName = ".storehouse-export.lock";
const workPrefix = ".storehouse-export-";

/**
 * Brings the files of some tables up to date, all as one moment of the database has them. Throws `export_under_way` where another export writes
 * into the folder, `unwritable_file` where nothing can be written.
 */
export async function exportTables(pool: Pool, request: TableExportRequest): Promise<readonly TableExport[]> {
  const { out } = request;
  await makeFolder(out);
  using _lock = lockOn(out);
  await sweepWork(out);
  await using opened = new AsyncDisposableStack();
  const work = opened.adopt(
    await mkdtemp(path.join(out, workPrefix)).catch((error: NodeJS.ErrnoException) => {
      throw unwritableFile(out, error);
    }),
    (folder) => rm(folder, { recursive: true, force: true }),
  );
  const parquet = request.format === "csv" ? null : opened.use(await openParquet(work));
  const client = await pool.connect();
  opened.defer(() => client.release());
  await begin(client);
  opened.defer(() => client.query("rollback").then(nothing, nothing));
  const done: TableExport[] = [];
  for (const relation of request.relations) {
    const one = await exportOne({ client, parquet, work }, request, relation).catch((error: unknown) => {
      throw inOurWords(relation, out, error);
    });
    done.push(one);
    request.onTable?.(one);
  }
  return done;
}

/** CSV has no types: its numbers are written as they are. */
async function exportOne(writer: PartWriter, request: TableExportRequest, declared: Relation): Promise<TableExport> {
  const relation = request.format === "csv" ? declared : await withExactTypes(writer.client, declared);
  return exportTable(writer, { ...request, relation, declared });
}

// DuckDB takes longer to load than all the rest of the program
async function openParquet(work: string) {
  const { openParquetWriter } = await import("./parquet.ts");
  return openParquetWriter(work);
}

const nothing = () => undefined;

/** One moment for all tables, and values as text that means the same on every machine. DuckDB may take its time between two statements. */
async function begin(client: PoolClient): Promise<void> {
  await client.query(`
    begin isolation level repeatable read, read only;
    set local idle_in_transaction_session_timeout = 0;
    set local timezone = 'UTC';
    set local datestyle = 'ISO, YMD';
    set local intervalstyle = 'postgres';
    set local extra_float_digits = 1;
    set local bytea_output = 'hex'`);
}

function lockOn(out: string): Disposable {
  let lock: Disposable | null;
  try {
    lock = lockFileNow(path.join(out, lockName));
  } catch (error) {
    throw unwritableFile(out, { code: (error as { errstr?: string }).errstr ?? String(error) });
  }
  if (lock === null) throw fail("export_under_way", { folder: out });
  return lock;
}

/** The unfinished files of an export that was killed. */
async function sweepWork(out: string): Promise<void> {
  const left = await readdir(out, { withFileTypes: true });
  for (const entry of left)
    if (entry.isDirectory() && entry.name.startsWith(workPrefix))
      await rm(path.join(out, entry.name), { recursive: true, force: true });
}

function inOurWords({ name }: Relation, out: string, error: unknown): unknown {
  if (error instanceof StorehouseError) return error;
  if (isLostConnection(error)) return databaseOutage(error);
  const problem = (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
  const cause = causeOf(error, problem);
  if (cause !== null) return unwritableFile(out, { code: cause });
  return fail("export_failed", { table: name, problem }, error);
}

/** Why the disk took no more: Node says so by a code, DuckDB in words. Null for any other problem. */
function causeOf(error: unknown, problem: string): string | null {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && code !== undefined) return code;
  return /no space left on device/i.test(problem) ? "ENOSPC" : null;
}
