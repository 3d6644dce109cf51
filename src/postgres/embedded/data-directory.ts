import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { access, chown, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { EmbeddedPlace } from "./place.ts";

/** The superuser, and the only user, of an embedded server. */
export const embeddedUser = "storehouse";

/** No sync: a broken init is redone anyway. */
const initOptions = [
  `--username=${embeddedUser}`,
  "--auth=scram-sha-256",
  "--encoding=UTF8",
  "--locale=C",
  "--no-sync",
  "--no-instructions",
];

/** Each connection is a process that starts with no memory: in large pages, and kept between statements, it costs a tenth less processor time. */
const memoryOfBackends = [
  "glibc.malloc.hugetlb=1",
  "glibc.malloc.trim_threshold=67108864",
  "glibc.malloc.mmap_threshold=16777216",
].join(":");

/** Builtin C.UTF-8: sort order and letter case never depend on the machine. Before 17 there is only C, which knows only ASCII letters. */
const localeOptions = ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"];

/**
 * Makes the password, log and data directory if they are missing, and returns the password. Call under the lock. Throws if the data is of
 * another version: pg_ctl would call it corrupt.
 */
export async function prepareData(place: EmbeddedPlace): Promise<string> {
  await ownFile(place, place.log, "");
  const version = join(place.data, "PG_VERSION");
  const ready = await exists(version);
  const made = ready ? (await readFile(version, "utf8")).trim() : String(place.major);
  if (made !== String(place.major))
    throw new Error(
      `its data is of Postgres ${made}, and this is Postgres ${place.major}: dump it while the earlier Storehouse runs, and load the dump with STOREHOUSE_HOME set to an empty folder`,
    );
  if (!ready) await ownFile(place, place.password, randomBytes(24).toString("hex"));
  const password = await readFile(place.password, "utf8");
  if (!ready) await initialise(place);
  return password;
}

/** Runs a Postgres tool as the place's user, its output appended to the log; true when it succeeded. */
export async function runTool(
  place: EmbeddedPlace,
  tool: "initdb" | "pg_ctl",
  args: readonly string[],
): Promise<boolean> {
  await using log = await open(place.log, "a");
  const child = spawn(join(place.bin, tool), args, {
    cwd: place.home,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", GLIBC_TUNABLES: memoryOfBackends },
    stdio: ["ignore", log.fd, log.fd],
    windowsHide: true,
    ...place.user,
  });
  const [code] = await once(child, "exit");
  return code === 0;
}

/** Initialises next to the final place and renames: an existing data directory is complete. */
async function initialise(place: EmbeddedPlace): Promise<void> {
  await removeDrafts(place);
  const draft = join(place.home, `draft-${randomBytes(6).toString("hex")}`);
  await mkdir(draft, { mode: 0o700 });
  if (place.user) await chown(draft, place.user.uid, place.user.gid);
  const options = [...initOptions, ...(place.major >= 17 ? localeOptions : [])];
  const done = await runTool(place, "initdb", [`--pgdata=${draft}`, `--pwfile=${place.password}`, ...options]);
  if (!done) throw new Error("initdb failed");
  await rename(draft, place.data);
}

/** Removes what killed processes left. An initdb that has outlived its process may still write there; it then fails, harmlessly. */
async function removeDrafts(place: EmbeddedPlace): Promise<void> {
  const drafts = (await readdir(place.home)).filter((name) => name.startsWith("draft-"));
  await Promise.allSettled(drafts.map((name) => rm(join(place.home, name), { recursive: true, force: true })));
}

/** A file of mode 0600 that the server's user can read and write; an existing one is left as it is. */
async function ownFile(place: EmbeddedPlace, path: string, text: string): Promise<void> {
  if (await exists(path)) return;
  const draft = `${path}.draft`;
  await writeFile(draft, text, { mode: 0o600 });
  if (place.user) await chown(draft, place.user.uid, place.user.gid);
  await rename(draft, path);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
