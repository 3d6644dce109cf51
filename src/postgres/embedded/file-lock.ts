import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const pollMs = 50;
/** Ten minutes: longer than the slowest crash recovery that the holder may be waiting for. */
const mostPolls = 12_000;
const sqliteBusy = 5;

/**
 * Waits until no other process, nor another caller in this one, holds the lock on `path`; disposing releases it.
 * The lock is the operating system's (through an SQLite file that stays empty), so it vanishes with a killed process. A file with a pid
 * would be a guess: pids are reused, in containers at once.
 */
export async function lockFile(path: string): Promise<Disposable> {
  const file = new DatabaseSync(path, { timeout: 0 });
  for (let poll = 0; poll < mostPolls; poll++) {
    if (tryLock(file)) return { [Symbol.dispose]: () => file.close() };
    await wait(pollMs);
  }
  file.close();
  throw new Error(`another process has been holding ${path} for too long`);
}

/** The same lock without waiting: null if another process holds it. */
export function lockFileNow(path: string): Disposable | null {
  return lockOpened(new DatabaseSync(path, { timeout: 0 }));
}

/** The same; throws if there is no such file, and never makes one. */
export function lockExistingFile(path: string): Disposable | null {
  const file = pathToFileURL(path);
  file.search = "mode=rw";
  return lockOpened(new DatabaseSync(file, { timeout: 0 }));
}

function lockOpened(file: DatabaseSync): Disposable | null {
  if (tryLock(file)) return { [Symbol.dispose]: () => file.close() };
  file.close();
  return null;
}

function tryLock(file: DatabaseSync): boolean {
  try {
    // the journal stays in memory: nothing is ever written, and no journal file is left behind
    file.exec("pragma journal_mode = memory; begin exclusive");
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === sqliteBusy) return false;
    file.close();
    throw error;
  }
}
