import { statfs } from "node:fs/promises";
import path from "node:path";
import { failedWith, failure, pass, warn, type Diagnosis } from "./diagnosis.ts";

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

/** The crontab: its file, and the function that reads its lines and throws if one is invalid. */
export type ScheduleFile = {
  readonly file: string;
  /** Each line with the datasets that it names; null if it plans nothing. */
  readonly read: (file: string) => readonly { readonly datasets: readonly string[] | null }[];
};

/** Whether the crontab is valid, and names existing tasks and datasets. */
export function checkCrontab({ file, read }: ScheduleFile): Diagnosis {
  try {
    const { length } = read(file);
    if (length === 0)
      return warn("crontab", `${file} has no lines`, "add a line: without one the worker plans nothing on a schedule");
    return pass("crontab", `${length} ${length === 1 ? "line" : "lines"} in ${file}`);
  } catch (error) {
    return failedWith("crontab", error);
  }
}
