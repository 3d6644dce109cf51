import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fail } from "./errors.ts";

/**
 * Makes a folder and its parents, step by step: where the kernel makes the names, as under /proc, the recursive option of Node never ends.
 * Throws `unwritable_file`, which names the folder that could not be made.
 */
export async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  let at = path.resolve(folder);
  while (!(await isThere(at, folder))) {
    missing.unshift(at);
    at = path.dirname(at);
  }
  for (const step of missing)
    await mkdir(step).catch((error: NodeJS.ErrnoException) => {
      // another process may have made it in the meantime
      if (error.code !== "EEXIST") throw unwritableFile(folder, error);
    });
}

async function isThere(step: string, folder: string): Promise<boolean> {
  try {
    if ((await stat(step)).isDirectory()) return true;
  } catch (error) {
    const cause = error as NodeJS.ErrnoException;
    if (cause.code === "ENOENT") return false;
    throw unwritableFile(folder, cause);
  }
  throw unwritableFile(folder, { code: step === path.resolve(folder) ? "EEXIST" : "ENOTDIR" });
}

/** The text of a file; null if there is none. Throws `unreadable_file` for one that exists and cannot be read. */
export async function readIfThere(file: string): Promise<string | null> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw unreadableFile(file, error);
  });
}

/** The error of a file or folder that exists and cannot be read. */
export function unreadableFile(file: string, error: NodeJS.ErrnoException): Error {
  return fail("unreadable_file", { file, cause: error.code }, error);
}

/** The error of a file or folder that cannot be written, as one of ours. */
export function unwritableFile(file: string, error: { readonly code?: string | undefined }): Error {
  return fail("unwritable_file", { file, cause: error.code }, error);
}

/** Writes a file atomically, and makes its folders; `flush`: it is on the disk before it gets its name. Throws `unwritable_file`. */
export async function putFile(file: string, text: string, options: { readonly flush?: boolean } = {}): Promise<void> {
  await makeFolder(path.dirname(file));
  const part = `${file}.part`;
  try {
    await writeFile(part, text, options);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw unwritableFile(file, error as NodeJS.ErrnoException);
  }
}
