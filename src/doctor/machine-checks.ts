import { statfs } from "node:fs/promises";
import path from "node:path";
import { failure, pass, warn, type Diagnosis } from "./diagnosis.ts";

const gib = 2 ** 30;
/** Below the first, one night's answers and rows may fill the disk; below the second Postgres may stop at any moment. */
const spaceWarned = 5 * gib;
const spaceNeeded = gib / 2;

/** How much disk space is left where the embedded Postgres keeps its data, or would. */
export async function checkDisk(home: string): Promise<Diagnosis> {
  const place = await statfsAbove(home);
  if (place === null)
    return warn("disk", `${home} cannot be read`, "set STOREHOUSE_HOME to a folder that can be created");
  const free = place.bavail * place.bsize;
  const found = `${(free / gib).toFixed(1)} GiB free for ${home}`;
  if (free < spaceNeeded)
    return failure("disk", found, "free disk space, or set STOREHOUSE_HOME to a folder on another disk");
  if (free < spaceWarned)
    return warn("disk", found, "free disk space soon: `storehouse prune` deletes stored answers that are loaded");
  return pass("disk", found);
}

/** Statistics of the folder, or of the nearest existing folder above it. */
async function statfsAbove(folder: string): Promise<{ bavail: number; bsize: number } | null> {
  for (let at = folder; ; at = path.dirname(at)) {
    const found = await statfs(at).catch(() => null);
    if (found !== null || at === path.dirname(at)) return found;
  }
}
