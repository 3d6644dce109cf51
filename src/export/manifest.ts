import { z } from "zod";
import { fail } from "../core/errors.ts";

/** A file of an export: a whole month of a table, or the whole table if rows have no day. */
const ExportedFile = z.strictObject({
  /** Relative to the manifest's folder, with slashes. */
  path: z.string(),
  /** First and last day, both inclusive; null if rows have no day. */
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

/** What a table's folder contains. */
export type Manifest = z.output<typeof Manifest>;

/** One file as the manifest lists it. */
export type ExportedFile = z.output<typeof ExportedFile>;

/** How rows are written. */
export type FileFormat = Manifest["file_format"];

/** The name of the manifest in a table's folder: engines that read a whole folder ignore names that begin with an underscore. */
export const tableManifestName = "_manifest.json";

/** Reads the text of a manifest, which is at `file`. Throws a UsageError if it is not one of ours. */
export function parseManifest(text: string, file: string): Manifest {
  try {
    return Manifest.parse(JSON.parse(text));
  } catch (error) {
    throw fail("bad_argument", { problem: `${file} is not a manifest of an export` }, error);
  }
}

/** The text of a manifest. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
