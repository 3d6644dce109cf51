import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { engineFor, enginePath, leftOut } from "./clickhouse-engine.ts";

/** Packages of a machine as npm leaves them, each with the names of its files. */
async function installed(packages: Readonly<Record<string, readonly string[]>>) {
  const folder = await mkdtemp(path.join(tmpdir(), "storehouse-packages-"));
  for (const [name, files] of Object.entries(packages)) {
    const own = path.join(folder, "node_modules", name);
    await mkdir(own, { recursive: true });
    for (const file of ["package.json", ...files]) await writeFile(path.join(own, file), "{}");
  }
  return {
    path: (file: string) => path.join(folder, file),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

test("the engine of chDB is that of the machine, and not what stands in for it", async () => {
  await using packages = await installed({
    "@chdb/lib-linux-x64-gnu": ["chdb_node.node"],
    "@chdb/lib-darwin-arm64": ["index.js"],
  });
  const file = packages.path("chdb.js");
  expect(engineFor({ platform: "linux", arch: "x64" }, file)).toMatch(/lib-linux-x64-gnu\/chdb_node\.node$/);
  expect(engineFor({ platform: "darwin", arch: "arm64" }, file)).toBe(null);
  expect(engineFor({ platform: "win32", arch: "x64" }, file)).toBe(null);
});

test("the name of a group says why it is left out, and only then", () => {
  expect(leftOut === "").toBe(enginePath !== null);
});
