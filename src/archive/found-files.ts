import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { fail } from "../core/errors.ts";
import { sha256 } from "./answer-file.ts";
import { answersManifestName, readManifest } from "./export-answers.ts";
import { unreadableFile } from "../core/files.ts";

/** A file that may contain an answer, and its checksum in the manifest of its folder. */
export type FoundFile = { readonly file: string; readonly sum: string | null };

/**
 * The files to import: each named file, and for a folder every .json file in it and below, with those that its manifest lists. In the order
 * of their paths.
 */
export async function filesToImport(places: readonly string[]): Promise<readonly FoundFile[]> {
  const found = new Map<string, string | null>();
  for (const place of places) {
    const entry = await stat(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw unreadableFile(place, error);
      throw fail("bad_argument", { problem: `there is no file or folder ${place}` });
    });
    if (!entry.isDirectory()) found.set(place, found.get(place) ?? null);
    else for (const [file, sum] of await filesIn(place)) found.set(file, sum);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, sum]) => ({ file, sum }));
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string | null>> {
  const listed = await readManifest(folder);
  const found = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw unreadableFile(error.path ?? folder, error);
  });
  const names = found.filter((name) => name.endsWith(".json") && path.basename(name) !== answersManifestName);
  const files = new Map(names.map((name): [string, string | null] => [path.join(folder, name), null]));
  for (const [name, sum] of Object.entries(listed)) files.set(path.join(folder, name), sum);
  if (files.size === 0) throw fail("bad_argument", { problem: `there is no .json file with an answer in ${folder}` });
  return files;
}

/** The text of a file and when it was written (epoch-ms), or what is wrong with it. A file is read twice, so a pipe is not allowed. */
type ReadFile = { readonly text: string; readonly writtenAt: number };

/**
 * Reads a file; with `checked`, also verifies that it is UTF-8 and matches its manifest. Synchronous: for a small file most of the time
 * would be the way to another thread and back.
 */
export function readFound({ file, sum }: FoundFile, { checked }: { readonly checked: boolean }): ReadFile | string {
  try {
    const entry = statSync(file);
    if (!entry.isFile()) return "it is a pipe, a device or a folder: write the answer into a file";
    const bytes = readFileSync(file);
    // the replacement for such bytes would count as characters of the answer
    if (checked && !isUtf8(bytes)) return "it is not UTF-8 text: save it as UTF-8";
    if (checked && sum !== null && sha256(bytes) !== sum)
      return "its content does not match the manifest of its folder";
    return { text: bytes.toString("utf8"), writtenAt: entry.mtimeMs };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "the manifest names it, but it does not exist" : `it cannot be read (${code})`;
  }
}
