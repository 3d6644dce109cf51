import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fail } from "../core/errors.ts";
import { lockExistingFile, lockFileNow } from "../postgres/embedded/file-lock.ts";

/** A folder for temporary files; disposing removes it. */
type WorkFolder = AsyncDisposable & { readonly work: string };

const lockName = "lock";
/** Another process takes one folder now and then; more often, the file system has no locks. */
const mostTries = 20;

/**
 * Makes a folder for temporary files, and removes those with the same prefix that killed processes left: each is locked as long as its
 * process runs. Throws `unusable_temporary_folder`.
 */
export async function openWorkFolder(prefix: string): Promise<WorkFolder> {
  await removeLeft(prefix);
  try {
    for (let tries = 0; tries < mostTries; tries += 1) {
      const made = await makeLocked(prefix);
      if (made !== null) return made;
    }
  } catch (error) {
    throw unusableTemporaryFolder(diskProblem(error) ?? String(error), error);
  }
  throw unusableTemporaryFolder("its files cannot be locked", undefined);
}

/** Null if another process took the folder for a left one before it was locked; that process removes it while holding the lock. */
async function makeLocked(prefix: string): Promise<WorkFolder | null> {
  await using opened = new AsyncDisposableStack();
  const work = opened.adopt(await mkdtemp(path.join(tmpdir(), prefix)), (folder) =>
    rm(folder, { recursive: true, force: true }),
  );
  const lock = opened.use(lockFileNow(path.join(work, lockName)));
  if (lock === null || !existsSync(path.join(work, lockName))) return null;
  const stack = opened.move();
  return { work, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

async function removeLeft(prefix: string): Promise<void> {
  // what is wrong with the folder of all these is reported when one is made in it
  const found = await readdir(tmpdir(), { withFileTypes: true }).catch(() => []);
  for (const entry of found.filter((one) => one.isDirectory() && one.name.startsWith(prefix))) {
    const folder = path.join(tmpdir(), entry.name);
    using lock = lockLeft(folder);
    if (lock !== null) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/**
 * Null for a folder that is in use, and for one without a lock: it is just being made or removed, or not one of these. No lock is made in
 * it: its process may be removing it. A folder of another user cannot be locked, and is that user's to remove.
 */
function lockLeft(folder: string): Disposable | null {
  try {
    return lockExistingFile(path.join(folder, lockName));
  } catch {
    return null;
  }
}

/** The error of a disk for temporary files that cannot be written. */
export function unusableTemporaryFolder(cause: string, error: unknown): Error {
  return fail("unusable_temporary_folder", { folder: tmpdir(), cause }, error);
}

/** Why nothing can be written to the disk: Node reports a code, DuckDB words. Null for any other problem. */
export function diskProblem(error: unknown): string | null {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && code !== undefined) return code;
  return /no space left on device/i.test(message) ? "ENOSPC" : null;
}
