import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Session } from "chdb";

/** The binary of chDB for a machine, searched for as a file of a package finds its packages; null where there is none. */
export function engineFor(machine: Pick<NodeJS.Process, "platform" | "arch">, file: string): string | null {
  const name = `@chdb/lib-${machine.platform}-${machine.arch}${machine.platform === "linux" ? "-gnu" : ""}`;
  try {
    const found = createRequire(file).resolve(`${name}/package.json`);
    // a package without a binary stands in for those of machines that some registries lack
    const binary = path.join(path.dirname(found), "chdb_node.node");
    return existsSync(binary) ? binary : null;
  } catch {
    return null;
  }
}

/** The engine of this machine; null where chDB has none. One that is there and does not load fails its tests. */
export const enginePath = engineFor(process, createRequire(import.meta.url).resolve("chdb/package.json"));

const lacks = `chDB has no binary here for ${process.platform} ${process.arch}; there is one for Linux x64`;

/** Why tests with ClickHouse are left out, for the name of their group. */
export const leftOut = enginePath === null ? ` (left out: ${lacks})` : "";

/** Opens ClickHouse in this process, in a folder of its own that goes with it. Loaded late: without a binary the import throws. */
export async function openEngine(): Promise<Session> {
  if (enginePath === null) throw new Error(lacks);
  const chdb = await import("chdb");
  return new chdb.Session();
}
