import { statfs } from "node:fs/promises";
import path from "node:path";
import { failed, ill, well, type Diagnosis } from "./diagnosis.ts";

const gib = 2 ** 30;
/** A night's answers and their rows; below the lower one the server may stop at any moment. */
const roomNoticed = 5 * gib;
const roomNeeded = gib / 2;

/** How much room is left where the own Postgres keeps its data, or would. */
export async function checkDisk(home: string): Promise<Diagnosis> {
  const place = await statfsAbove(home);
  if (place === null)
    return ill(
      "disk",
      "warn",
      `${home} cannot be looked at`,
      "see that STOREHOUSE_HOME names a folder that can be made",
    );
  const free = place.bavail * place.bsize;
  const found = `${(free / gib).toFixed(1)} GiB free for ${home}`;
  if (free < roomNeeded) return ill("disk", "fail", found, "make room, or let STOREHOUSE_HOME name another disk");
  if (free < roomNoticed)
    return ill("disk", "warn", found, "make room soon: `storehouse prune` drops answers that are loaded");
  return well("disk", found);
}

/** Of the folder, or of the nearest one above it that is there. */
async function statfsAbove(folder: string): Promise<{ bavail: number; bsize: number } | null> {
  for (let at = folder; ; at = path.dirname(at)) {
    const found = await statfs(at).catch(() => null);
    if (found !== null || at === path.dirname(at)) return found;
  }
}

/** The schedule: its file, and what reads it, a line each; that throws where one does not fit. */
export type Schedule = { readonly file: string; readonly read: (file: string) => readonly unknown[] };

/** Whether the schedule can be read, and names tasks and datasets that there are. */
export function checkCrontab({ file, read }: Schedule): Diagnosis {
  try {
    const { length } = read(file);
    if (length === 0)
      return ill("crontab", "warn", `${file} has no line`, "without one nothing is planned by the clock");
    return well("crontab", `${length} ${length === 1 ? "line" : "lines"} in ${file}`);
  } catch (error) {
    return failed("crontab", error);
  }
}
