import { mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { fail } from "../core/errors.ts";
import { makeFolder, putFile, unwritableFile, readIfThere } from "../core/files.ts";
import { lockFileNow } from "../postgres/embedded/file-lock.ts";
import { tableManifestName } from "./manifest.ts";
import { isOwnName } from "./own-names.ts";
import type { ExportPlace, TablePlace } from "./place.ts";

const lockName = ".storehouse-export.lock";
const workPrefix = ".storehouse-export-";

/**
 * Opens a folder of this machine. Throws `export_under_way` if another export writes into it, `unwritable_file` if nothing can be written.
 */
export async function openFolder(out: string): Promise<ExportPlace> {
  const folder = path.resolve(out);
  await using opened = new AsyncDisposableStack();
  await makeFolder(folder);
  opened.use(lockOn(folder));
  await sweepWork(folder);
  const work = opened.adopt(
    await mkdtemp(path.join(folder, workPrefix)).catch((error: NodeJS.ErrnoException) => {
      throw unwritableFile(folder, error);
    }),
    (one) => rm(one, { recursive: true, force: true }),
  );
  const stack = opened.move();
  return {
    work,
    lockName: null,
    table: (schema, table) => openTable(path.join(folder, schema, table)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function openTable(folder: string): Promise<TablePlace> {
  await makeFolder(folder);
  return {
    folder,
    readManifest: () => readIfThere(path.join(folder, tableManifestName)),
    writeManifest: (text) => putFile(path.join(folder, tableManifestName), text, { flush: true }),
    bytesOf: (name) =>
      stat(path.join(folder, name)).then(
        ({ size }) => size,
        () => null,
      ),
    // the files of an interrupted export do not have their final names yet
    leftOver: () => Promise.resolve(null),
    draft: async (name) => {
      await makeFolder(path.join(folder, path.dirname(name)));
      return path.join(folder, unfinished(name));
    },
    store: () => Promise.resolve(),
    reveal: async (names) => {
      for (const name of names) await rename(path.join(folder, unfinished(name)), path.join(folder, name));
    },
    sweep: (_, named) => sweep(folder, named),
  };
}

/** The name of an incomplete file, which engines that read the folder ignore. */
function unfinished(name: string): string {
  return path.posix.join(path.posix.dirname(name), `_${path.posix.basename(name)}.part`);
}

function lockOn(out: string): Disposable {
  let lock: Disposable | null;
  try {
    lock = lockFileNow(path.join(out, lockName));
  } catch (error) {
    throw unwritableFile(out, { code: (error as { errstr?: string }).errstr ?? String(error) });
  }
  if (lock === null) throw fail("export_under_way", { place: out });
  return lock;
}

/** Removes the unfinished files of a killed export. */
async function sweepWork(out: string): Promise<void> {
  const left = await readdir(out, { withFileTypes: true });
  for (const entry of left)
    if (entry.isDirectory() && entry.name.startsWith(workPrefix))
      await rm(path.join(out, entry.name), { recursive: true, force: true });
}

/** Removes what a killed export left, and replaced files. */
async function sweep(folder: string, named: readonly string[]): Promise<void> {
  const keep = new Set(named);
  const found = await readdir(folder, { recursive: true });
  const names = found.map((name) => name.replaceAll("\\", "/"));
  for (const name of names.filter((one) => isOwnName(one) && !keep.has(one)))
    await rm(path.join(folder, name), { force: true });
  for (const name of names.filter((one) => /^date_month=[\w-]+$/.test(one))) {
    const left = await readdir(path.join(folder, name));
    if (left.length === 0) await rm(path.join(folder, name), { recursive: true });
  }
}
