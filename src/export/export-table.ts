import { readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { makeFolder } from "../core/files.ts";
import type { Window } from "../core/window.ts";
import { columnType } from "./column-type.ts";
import { fail } from "../core/errors.ts";
import { readManifest, writeManifest, type ExportedFile, type FileFormat, type Manifest } from "./manifest.ts";
import { monthsAway, partsOf, wholeMonths, type TablePart } from "./parts-of-table.ts";
import type { Relation } from "../postgres/relations.ts";
import { writePart, type PartWriter } from "./write-part.ts";

/** What became of a table: files written, left as they were and taken away, and the rows and bytes of all that the manifest now names. */
export type TableExport = {
  readonly table: string;
  readonly folder: string;
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly rows: number;
  readonly bytes: number;
};

/** What an export of one table is made with. `within`: the months that these days touch are compared, all others stay as they are. */
export type TableRequest = {
  /** With the types that its files get. */
  readonly relation: Relation;
  /** With the types of the database. */
  readonly declared: Relation;
  readonly format: FileFormat;
  readonly within: Partial<Window>;
  readonly out: string;
  readonly storehouse: string;
  readonly now: () => number;
};

type Made = { readonly file: ExportedFile; readonly isNew: boolean };

/**
 * Brings the files of a table up to date. New ones are made apart, under names that their rows decide; the manifest changes in one step when
 * all are there; only then do old ones go. A kill on the way leaves the old manifest with its files, or the new one. Months that retention took
 * away stay as they were exported last.
 */
export async function exportTable(writer: PartWriter, request: TableRequest): Promise<TableExport> {
  const { relation, within, out, now } = request;
  const folder = path.join(out, relation.schema, relation.table);
  await makeFolder(folder);
  const before = await readOwnManifest(folder, request.format);
  const old = before?.files ?? [];
  await sweep(folder, old);
  const parts = await partsOf(writer.client, relation, within);
  const away = await monthsAway(writer.client, relation);
  const isAway = ({ window }: ExportedFile) =>
    window !== null && away.has(window.from) && !parts.some((part) => part.window?.from === window.from);
  const kept = old.filter((file) => !isWithin(file, within) || isAway(file));
  const made: Made[] = [];
  for (const part of parts) {
    const same = await stillThere(folder, old, part);
    made.push({ file: same ?? (await writeNew({ ...request, folder }, writer, part)), isNew: same === null });
  }
  const written = made.filter(({ isNew }) => isNew).map(({ file }) => file);
  const files = [...kept, ...made.map(({ file }) => file)].sort((a, b) => (a.path < b.path ? -1 : 1));
  const gone = old.filter(({ path: name }) => !files.some((file) => file.path === name));
  const manifest = manifestOf(request, files, new Date(now()).toISOString());
  for (const { path: name } of written) await rename(path.join(folder, unfinished(name)), path.join(folder, name));
  if (before === null || !saysTheSame(before, manifest)) await writeManifest(folder, manifest);
  await sweep(folder, files);
  return {
    table: relation.name,
    folder,
    written: written.length,
    unchanged: files.length - written.length,
    removed: gone.filter(({ window }) => !files.some((file) => file.window?.from === window?.from)).length,
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/** Months that an export leaves as they are would stay in another format. */
async function readOwnManifest(folder: string, format: FileFormat): Promise<Manifest | null> {
  const manifest = await readManifest(folder);
  if (manifest === null || manifest.file_format === format) return manifest;
  throw fail("bad_argument", {
    path: folder,
    problem: `holds an export as ${manifest.file_format}: choose another --out, or --format ${manifest.file_format}`,
  });
}

/** The name of a file until it is whole, which engines that read the folder pass over. */
function unfinished(name: string): string {
  return path.posix.join(path.posix.dirname(name), `_${path.posix.basename(name)}.part`);
}

/** Files without a window are always compared. */
function isWithin({ window }: ExportedFile, within: Partial<Window>): boolean {
  const { start, end } = wholeMonths(within);
  if (window === null) return true;
  return (start === undefined || window.from >= start) && (end === undefined || window.from < end);
}

async function stillThere(folder: string, old: readonly ExportedFile[], part: TablePart): Promise<ExportedFile | null> {
  const same = old.find(
    ({ path: name, digest }) => digest === part.digest && path.posix.dirname(name) === (part.folder || "."),
  );
  if (same === undefined) return null;
  const size = await stat(path.join(folder, same.path)).then(
    (entry) => entry.size,
    () => -1,
  );
  return size === same.bytes ? same : null;
}

async function writeNew(
  { relation, folder, format, now }: TableRequest & { readonly folder: string },
  writer: PartWriter,
  part: TablePart,
): Promise<ExportedFile> {
  const name = path.posix.join(part.folder, `rows-${part.digest.slice(0, 16)}.${format}`);
  await makeFolder(path.join(folder, part.folder));
  const done = await writePart(writer, relation, { part, to: path.join(folder, unfinished(name)) });
  const { rows, window, digest } = part;
  return { path: name, window, rows, ...done, digest, written_at: new Date(now()).toISOString() };
}

function manifestOf(
  { relation, declared, format, storehouse }: TableRequest,
  files: ExportedFile[],
  writtenAt: string,
): Manifest {
  return {
    format: "storehouse-export-1",
    file_format: format,
    table: relation.name,
    comment: relation.comment,
    storehouse,
    written_at: writtenAt,
    key: [...relation.key],
    columns: relation.columns.map(({ name, type, comment }, index) => ({
      name,
      type: columnType({ name, type }).type,
      postgres: declared.columns[index]?.type ?? type,
      comment,
    })),
    files,
  };
}

function saysTheSame(before: Manifest, after: Manifest): boolean {
  return JSON.stringify({ ...before, written_at: after.written_at }) === JSON.stringify(after);
}

/** Takes away files of ours that the manifest does not name: what an export that was killed left, and what was replaced. */
async function sweep(folder: string, named: readonly Pick<ExportedFile, "path">[]): Promise<void> {
  const keep = new Set(named.map(({ path: name }) => name));
  const found = await readdir(folder, { recursive: true });
  const names = found.map((name) => name.replaceAll("\\", "/"));
  const ours = names.filter(
    (name) => /(^|\/)_?rows-[\da-f]{16}\.(parquet|csv)(\.part)?$/.test(name) && !keep.has(name),
  );
  for (const name of ours) await rm(path.join(folder, name), { force: true });
  for (const name of names.filter((one) => /^date_month=[\w-]+$/.test(one))) {
    const left = await readdir(path.join(folder, name));
    if (left.length === 0) await rm(path.join(folder, name), { recursive: true });
  }
}
