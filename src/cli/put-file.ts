import { rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeFolder, unwritableFile } from "../core/folder.ts";

/** Writes a file at once and whole, with the folders that it lies in. Throws `unwritable_file`. */
export async function putFile(file: string, text: string): Promise<void> {
  await makeFolder(path.dirname(file));
  const part = `${file}.part`;
  try {
    await writeFile(part, text);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw unwritableFile(file, error as NodeJS.ErrnoException);
  }
}
