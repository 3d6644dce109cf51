import { createHash } from "node:crypto";
import { accessSync, constants, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where Linux keeps files in memory. A copy of the template is 550 files: on a disk it takes ten times as long. */
const memory = "/dev/shm";
/** A run of all tests fills up to 2 GiB; a container often has 64 MiB there. */
const neededBytes = 4 * 1024 ** 3;

/** The folder under which tests keep data of Postgres: in memory where there is room, else that for temporary files. */
export function memoryFolder(): string {
  return hasRoom() ? memory : tmpdir();
}

/** The folder of one server for all runs of this checkout; `otherwise` where memory has no room. */
export function serverFolder(name: string, otherwise: string): string {
  if (!hasRoom()) return join(otherwise, name);
  const checkout = createHash("sha256")
    .update(import.meta.dirname)
    .digest("hex")
    .slice(0, 12);
  return join(memory, `storehouse-${checkout}`, name);
}

function hasRoom(): boolean {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= neededBytes;
  } catch {
    return false;
  }
}
