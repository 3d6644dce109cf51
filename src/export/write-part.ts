import { createHash } from "node:crypto";
import { closeSync, createReadStream, openSync, writeSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import pg, { type Connection, type PoolClient, type Submittable } from "pg";
import { columnType, type ColumnType } from "./column-type.ts";
import type { ParquetWriter } from "./parquet.ts";
import { from, type TablePart } from "./parts-of-table.ts";
import type { Column, Relation } from "../postgres/relations.ts";

/** Where the rows of a table are read, and what makes its files. `work` is the export's own folder. */
export type PartWriter = {
  readonly client: PoolClient;
  /** Null for CSV. */
  readonly parquet: ParquetWriter | null;
  readonly work: string;
};

/** Writes the rows of a part as a file. The same rows give the same bytes. */
export async function writePart(
  { client, parquet, work }: PartWriter,
  relation: Relation,
  { part, to }: { readonly part: TablePart; readonly to: string },
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const rows = { where: part.where, order: ` order by ${order(relation)}` };
  if (parquet === null) {
    // nothing is null, and "" an empty text: the CSV that most programs write
    await copyOut(client, statement(relation, rows, "format csv, header"), to);
  } else await writeParquet({ client, parquet, work }, relation, { ...rows, to });
  return { bytes: (await stat(to)).size, sha256: await sha256Of(to) };
}

/** Which rows are written, in which order, and how their columns are written if not as in an export. */
type Rows = {
  readonly where: string;
  readonly order?: string;
  readonly typed?: (column: Column) => ColumnType;
};

/** Writes the rows that meet a condition as Parquet, in any order. */
export async function writeParquet(
  { client, parquet, work }: PartWriter & { readonly parquet: ParquetWriter },
  relation: Relation,
  { to, ...rows }: Rows & { readonly to: string },
): Promise<void> {
  const file = path.join(work, "rows.csv");
  const columns = relation.columns.map((column) => ({ name: column.name, ...(rows.typed ?? columnType)(column) }));
  const longest = await copyOut(client, statement(relation, rows, "format csv, null '\\N', force_quote *"), file);
  await parquet.write({ file, longest }, to, columns);
  await rm(file);
}

function statement(relation: Relation, { where, order: ordered = "", typed = columnType }: Rows, options: string) {
  const columns = relation.columns.map((column) => `${typed(column).select} as ${pg.escapeIdentifier(column.name)}`);
  return `
    copy (select ${columns.join(", ")} from ${from(relation)} as t where ${where}${ordered})
    to stdout (${options})`;
}

/** By the primary key; rows of a view by all columns. Text is sorted by character code on every machine. */
function order({ columns, key }: Relation): string {
  const by = key.length > 0 ? columns.filter(({ name }) => key.includes(name)) : columns;
  const sorted = key.length > 0 ? by.toSorted((a, b) => key.indexOf(a.name) - key.indexOf(b.name)) : by;
  return sorted.map(sortable).join(", ");
}

function sortable({ name, type }: Column): string {
  // qualified with the table: a list is selected as JSON under the same name, which has no order
  const column = `t.${pg.escapeIdentifier(name)}`;
  if (type === "json") return `${column}::text collate "C"`;
  return /^(text|character varying|character|"char")/.test(type) ? `${column} collate "C"` : column;
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** What the driver calls while a `COPY` runs; its types leave these out. */
type CopyOut = Submittable & {
  readonly handleCopyData: (message: { readonly chunk: Buffer }) => void;
  readonly handleCommandComplete: () => void;
  readonly handleReadyForQuery: () => void;
  readonly handleError: (error: Error) => void;
};

const bufferBytes = 1 << 20;

/**
 * Writes the output of `copy ... to stdout` into a new file as rows arrive, so that memory stays flat for any number of rows. Returns the
 * bytes of the longest row.
 */
async function copyOut(client: PoolClient, text: string, file: string): Promise<number> {
  const descriptor = openSync(file, "w");
  try {
    const buffer = Buffer.allocUnsafe(bufferBytes);
    let held = 0;
    let longest = 0;
    const flush = () => {
      writeWhole(descriptor, buffer.subarray(0, held));
      held = 0;
    };
    await submit(client, text, (row) => {
      // Postgres sends each row as a separate message
      longest = Math.max(longest, row.length);
      if (held + row.length > bufferBytes) flush();
      if (row.length > bufferBytes) writeWhole(descriptor, row);
      else held += row.copy(buffer, held);
    });
    flush();
    return longest;
  } finally {
    closeSync(descriptor);
  }
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

async function submit(client: PoolClient, text: string, take: (row: Buffer) => void): Promise<void> {
  let failed: unknown = null;
  await new Promise<void>((resolve, reject) => {
    const copy: CopyOut = {
      submit: (connection: Connection) => connection.query(text),
      handleCopyData: ({ chunk }) => {
        if (failed !== null) return;
        try {
          take(chunk);
        } catch (error) {
          // if it were thrown into the driver, it would end the process
          failed = error;
        }
      },
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(),
      handleError: reject,
    };
    client.query(copy);
  });
  if (failed !== null) throw failed;
}
