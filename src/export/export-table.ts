import path from "node:path";
import type { Window } from "../core/window.ts";
import { columnType } from "./column-type.ts";
import { fail } from "../core/errors.ts";
import {
  tableManifestName,
  manifestText,
  parseManifest,
  type ExportedFile,
  type FileFormat,
  type Manifest,
} from "./manifest.ts";
import { nameOf } from "./own-names.ts";
import type { TablePlace } from "./place.ts";
import { monthsAway } from "./months-away.ts";
import { readParts, wholeMonths, type TablePart } from "./parts-of-table.ts";
import type { Relation } from "../postgres/relations.ts";
import { writePart, type PartWriter } from "./write-part.ts";
import { sumBy } from "../core/sum.ts";

/**
 * The result for a table: files written, unchanged and removed, and the rows and bytes of all files that the manifest now names. `again`:
 * months that retention removed from the table and of which rows are loaded again, which their files do not have.
 */
export type TableExport = {
  readonly table: string;
  readonly folder: string;
  readonly written: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly rows: number;
  readonly bytes: number;
  readonly again: readonly string[];
};

/** The input for the export of one table. `within`: only the months that these days touch are compared; others stay as they are. */
export type TableRequest = {
  /** With the types of its files. */
  readonly relation: Relation;
  /** With the types of the database. */
  readonly declared: Relation;
  readonly format: FileFormat;
  readonly within: Partial<Window>;
  readonly place: TablePlace;
  readonly storehouse: string;
  readonly now: () => number;
  /** Stops the export between two files. */
  readonly signal?: AbortSignal | undefined;
};

type Made = { readonly file: ExportedFile; readonly isNew: boolean };

/**
 * Brings the files of a table up to date. New files are made separately, with names derived from their rows; the manifest changes in one
 * step when all are there; only then are old files removed. After a kill, the old or the new manifest is there with its files. Months that
 * retention removed, from a table or from the tables that a view reads, stay as they were last exported.
 */
export async function exportTable(writer: PartWriter, request: TableRequest): Promise<TableExport> {
  const { relation, within, place, now } = request;
  const before = await readOwnManifest(place, request.format);
  const old = before?.files ?? [];
  await place.sweep("begins", namesOf(old));
  const away = await monthsAway(writer.client, relation);
  const parts: TablePart[] = [];
  const again: string[] = [];
  for (const part of await readParts(writer.client, relation, within))
    if (!(await isMoreThere(request, old, { part, awaySince: away.get(part.window?.from ?? "") }))) parts.push(part);
    else if (part.window !== null && !relation.isView && part.rows > 0) again.push(part.window.from);
  const isGone = ({ window }: ExportedFile) =>
    window !== null && away.has(window.from) && !parts.some((part) => part.window?.from === window.from);
  const kept = old.filter((file) => !isWithin(file, within) || isGone(file));
  const made: Made[] = [];
  for (const part of parts) {
    request.signal?.throwIfAborted();
    const same = await stillThere(place, old, part);
    made.push(same === null ? await makeNew(request, writer, part) : { file: same, isNew: false });
  }
  const written = made.filter(({ isNew }) => isNew).map(({ file }) => file);
  const files = [...kept, ...made.map(({ file }) => file)].sort((a, b) => (a.path < b.path ? -1 : 1));
  const gone = old.filter(({ path: name }) => !files.some((file) => file.path === name));
  const manifest = manifestOf(request, files, new Date(now()).toISOString());
  await place.reveal(namesOf(written));
  if (before === null || !saysTheSame(before, manifest)) await place.writeManifest(manifestText(manifest));
  await place.sweep("ended", namesOf(files));
  return {
    table: relation.name,
    folder: place.folder,
    written: written.length,
    unchanged: files.length - written.length,
    removed: gone.filter(({ window }) => !files.some((file) => file.window?.from === window?.from)).length,
    rows: sumBy(files, ({ rows }) => rows),
    bytes: sumBy(files, ({ bytes }) => bytes),
    again,
  };
}

/** Refuses another format: months that an export does not compare would stay in the old one. */
async function readOwnManifest(place: TablePlace, format: FileFormat): Promise<Manifest | null> {
  const text = await place.readManifest();
  const manifest =
    text === null ? null : parseManifest(text, `${place.folder.replace(/\/$/, "")}/${tableManifestName}`);
  if (manifest === null || manifest.file_format === format) return manifest;
  throw fail("bad_argument", {
    problem: `${place.folder} holds an export as ${manifest.file_format}: choose another --out, or --format ${manifest.file_format}`,
  });
}

/** Files without a window are always compared. */
function isWithin({ window }: ExportedFile, within: Partial<Window>): boolean {
  const { start, end } = wholeMonths(within);
  if (window === null) return true;
  return (start === undefined || window.from >= start) && (end === undefined || window.from < end);
}

function namesOf(files: readonly ExportedFile[]): readonly string[] {
  return files.map(({ path: name }) => name);
}

/** True for a month whose file was written before retention removed rows that it has: a new one would lack them. */
async function isMoreThere(
  { place }: Pick<TableRequest, "place">,
  old: readonly ExportedFile[],
  { part, awaySince }: { readonly part: TablePart; readonly awaySince: number | undefined },
): Promise<boolean> {
  if (awaySince === undefined) return false;
  const file = old.find(({ window }) => window !== null && window.from === part.window?.from);
  // with the very same rows it is a month like any other
  if (file === undefined || file.digest === part.digest || Date.parse(file.written_at) > awaySince) return false;
  return (await place.bytesOf(file.path)) === file.bytes;
}

async function stillThere(
  place: TablePlace,
  old: readonly ExportedFile[],
  part: TablePart,
): Promise<ExportedFile | null> {
  const same = old.find(
    ({ path: name, digest }) => digest === part.digest && path.posix.dirname(name) === (part.folder || "."),
  );
  return same !== undefined && (await place.bytesOf(same.path)) === same.bytes ? same : null;
}

/** Makes the file of a part, unless an interrupted export has stored it already. */
async function makeNew(
  { relation, place, format, now }: TableRequest,
  writer: PartWriter,
  part: TablePart,
): Promise<Made> {
  const { rows, window, digest } = part;
  const name = path.posix.join(part.folder, nameOf(digest, format));
  const left = await place.leftOver(name, digest);
  const done = left ?? (await writePart(writer, relation, { part, to: await place.draft(name) }));
  if (left === null) await place.store(name, { ...done, digest });
  const file = { path: name, window, rows, ...done, digest, written_at: new Date(now()).toISOString() };
  return { file, isNew: left === null };
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
