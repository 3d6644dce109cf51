import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Window } from "../../src/core/window.ts";
import { exportTables, type TableExportRequest } from "../../src/export/export-tables.ts";
import type { TableExport } from "../../src/export/export-table.ts";
import { namedRelations } from "../../src/postgres/named-relations.ts";
import { parseManifest, type FileFormat, type Manifest } from "../../src/export/manifest.ts";
import { readRelations } from "../../src/postgres/relations.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { Table } from "../../src/load/table.ts";
import { openWarehouseStage, type WarehouseStage } from "./warehouse-stage.ts";

const [ranks] = keywordRank.tables as readonly [Table];

/** A warehouse with a folder that it is exported to. */
export type ExportStage = AsyncDisposable &
  Pick<WarehouseStage, "url" | "db" | "pool"> & {
    readonly out: string;
    /** Exports tables; every export counts as one hour later than the one before. */
    readonly export: (
      tables: readonly string[],
      within?: Partial<Window>,
      reported?: (done: TableExport) => void,
      format?: FileFormat,
      into?: Into,
    ) => Promise<readonly TableExport[]>;
    readonly manifest: (table: string) => Promise<Manifest>;
    /** What DuckDB reads, each value as its own text. */
    readonly read: (select: string) => Promise<readonly (readonly (string | null)[])[]>;
    /** When each file was last written, and which file it is: equal for two moments between which nothing was. */
    readonly files: () => Promise<Readonly<Record<string, string>>>;
    /** Ranks 1 to `count` of the first keywords, one a row, on a day; in the partition of its month, or of the day alone. */
    readonly ranks: (day: string, count: number, partition?: "month" | "day") => Promise<void>;
  };

/** Where to, and how it is reached. */
type Into = Pick<TableExportRequest, "out" | "reach">;

const here = (out: string): Into => ({ out, reach: { network: {}, bucket: {} } });

/** Opens a stage. */
export async function openExportStage(): Promise<ExportStage> {
  await using opened = new AsyncDisposableStack();
  const { url, db, pool } = opened.use(await openWarehouseStage());
  const out = opened.adopt(await mkdtemp(path.join(tmpdir(), "storehouse-export-")), (folder) =>
    rm(folder, { recursive: true, force: true }),
  );
  let hour = 0;
  let reader: Promise<Reader> | undefined;
  opened.defer(async () => (await reader)?.[Symbol.dispose]());
  const stack = opened.move();
  return {
    url,
    db,
    pool,
    out,
    export: async (tables, within = {}, onTable = () => undefined, format = "parquet", into = here(out)) => {
      hour += 1;
      const now = Date.UTC(2026, 7, 20, hour);
      const relations = namedRelations(await readRelations(db), tables);
      return exportTables(pool, { ...into, relations, within, format, storehouse: "0.0.0", now: () => now, onTable });
    },
    manifest: async (table) =>
      parseManifest(await readFile(path.join(out, ...table.split("."), "_manifest.json"), "utf8"), table),
    read: async (select) => (await (reader ??= openReader())).rows(select.replaceAll("OUT", out)),
    files: () => filesUnder(out),
    ranks: async (day, count, partition = "month") => {
      await createPartitions(db, new Set(partition === "day" ? [ranks.name] : [])).cover(ranks, [day as never]);
      await pool.query(
        "insert into core.dim_app (app_key, store, track_id) overriding system value values (1, 'ios', '1') on conflict do nothing",
      );
      await pool.query(
        `insert into core.dim_keyword (keyword_key, keyword) overriding system value
         select n, 'keyword ' || n from generate_series(1, $1::int) as n on conflict do nothing`,
        [count],
      );
      await pool.query(
        `insert into core.fact_keyword_rank (app_key, date_day, country_key, keyword_key, device_key, rank, slice_id, fetched_at)
         select 1, $1::date, 840, n, 1, n, 1, $1::date::timestamp at time zone 'UTC' from generate_series(1, $2::int) as n`,
        [day, count],
      );
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

type Reader = Disposable & { readonly rows: (select: string) => Promise<readonly (readonly (string | null)[])[]> };

/** Opened at the first read, since many tests read nothing: it takes longer than a copy of the database. */
async function openReader(): Promise<Reader> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run("set TimeZone = 'UTC'");
  return {
    rows: async (select: string) => (await connection.runAndReadAll(select)).getRowsJson() as (string | null)[][],
    [Symbol.dispose]: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function filesUnder(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const reported = await Promise.all(
    files.sort().map(async (file) => {
      const { ino, mtimeMs } = await stat(file);
      return [path.relative(root, file), `${ino} ${mtimeMs} ${await sha256(file)}`] as const;
    }),
  );
  return Object.fromEntries(reported);
}

/** SHA-256 of a file. */
export async function sha256(file: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
}
