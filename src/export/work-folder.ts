import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fail } from "../core/errors.ts";
import { lockFileNow } from "../postgres/embedded/file-lock.ts";

/** A folder for temporary files; disposing removes it. */
type WorkFolder = AsyncDisposable & { readonly work: string };

const lockName = "lock";

/**
 * Makes a folder for temporary files, and removes those with the same prefix that killed processes left: each is locked as long as its
 * process runs. Throws `unusable_temporary_folder`.
 */
export async function openWorkFolder(prefix: string): Promise<WorkFolder> {
  await using opened = new AsyncDisposableStack();
  await removeLeft(prefix);
  try {
    const work = opened.adopt(await mkdtemp(path.join(tmpdir(), prefix)), (folder) =>
      rm(folder, { recursive: true, force: true }),
    );
    opened.use(lockFileNow(path.join(work, lockName)));
    const stack = opened.move();
    return { work, [Symbol.asyncDispose]: () => stack.disposeAsync() };
  } catch (error) {
    throw unusableTemporaryFolder(diskProblem(error) ?? String(error), error);
  }
}

async function removeLeft(prefix: string): Promise<void> {
  // what is wrong with the folder of all these is reported when one is made in it
  const found = await readdir(tmpdir(), { withFileTypes: true }).catch(() => []);
  for (const entry of found.filter((one) => one.isDirectory() && one.name.startsWith(prefix))) {
    const folder = path.join(tmpdir(), entry.name);
    if (isLeft(folder)) await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A folder without a lock is just being made, or not one of these. One of another user cannot be locked, and is that user's to remove. */
function isLeft(folder: string): boolean {
  if (!existsSync(path.join(folder, lockName))) return false;
  try {
    using lock = lockFileNow(path.join(folder, lockName));
    return lock !== null;
  } catch {
    return false;
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
