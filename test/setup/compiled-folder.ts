import { readdirSync, rmSync } from "node:fs";
import path from "node:path";

const folder = path.join(import.meta.dirname, "../../node_modules/.cache/storehouse-tests");
/** The program and the tests are 1,500 files; each run compiles those of the tests under names of its own. */
const mostFiles = 15_000;

/** Where Node keeps what it has compiled, for the next process that runs tests; begun anew once it is full of what no run reads again. */
export function compiledFolder(): string {
  if (filesIn(folder) > mostFiles) rmSync(folder, { recursive: true, force: true });
  return folder;
}

function filesIn(place: string): number {
  try {
    return readdirSync(place, { recursive: true }).length;
  } catch {
    return 0;
  }
}
