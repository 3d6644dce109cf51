import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { fail } from "../core/errors.ts";
import { unwritableFile } from "../core/files.ts";

/** A file of an export: a whole month of a table, or the whole table where rows have no day. */
const ExportedFile = z.strictObject({
  /** From the manifest's folder, with slashes. */
  path: z.string(),
  /** First and last day, both inclusive; null where rows have no day. */
  window: z.strictObject({ from: z.string(), to: z.string() }).nullable(),
  rows: z.number(),
  bytes: z.number(),
  sha256: z.string(),
  /** A digest of the rows, independent of their order: it changes when any value changes. */
  digest: z.string(),
  written_at: z.string(),
});

const Manifest = z.strictObject({
  format: z.literal("storehouse-export-1"),
  file_format: z.enum(["parquet", "csv"]),
  table: z.string(),
  comment: z.string(),
  storehouse: z.string(),
  written_at: z.string(),
  /** The key of a row; files are sorted by it. */
  key: z.array(z.string()),
  columns: z.array(z.strictObject({ name: z.string(), type: z.string(), postgres: z.string(), comment: z.string() })),
  files: z.array(ExportedFile),
});

/** What a table's folder says of itself. */
export type Manifest = z.output<typeof Manifest>;

/** One file as the manifest lists it. */
export type ExportedFile = z.output<typeof ExportedFile>;

/** How rows are written. */
export type FileFormat = Manifest["file_format"];

/** The name of the manifest in a table's folder: engines that read a whole folder pass over names that begin with a line. */
const manifestName = "_manifest.json";

/** The manifest of a folder; null where there is none. Throws a UsageError when it is none of ours. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const file = path.join(folder, manifestName);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw fail("unreadable_file", { file, cause: error.code }, error);
  });
  if (text === null) return null;
  try {
    return Manifest.parse(JSON.parse(text));
  } catch (error) {
    throw fail("bad_argument", { path: file, problem: "is no manifest of an export" }, error);
  }
}

/** Puts a manifest into its folder, at once and whole. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const file = path.join(folder, manifestName);
  try {
    await writeFile(`${file}.part`, `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
    await rename(`${file}.part`, file);
  } catch (error) {
    throw unwritableFile(file, error as NodeJS.ErrnoException);
  }
}
