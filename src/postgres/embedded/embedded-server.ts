import { open, stat } from "node:fs/promises";
import { type Client, escapeIdentifier } from "pg";
import { fail, StorehouseError, messageOf } from "../../core/errors.ts";
import { embeddedUser, prepareData } from "./data-directory.ts";
import { lockFile } from "./file-lock.ts";
import { embeddedPlace, type EmbeddedPlace } from "./place.ts";
import { startPostmaster, stopPostmaster } from "./postmaster.ts";
import { connect, hold, joinServer, release } from "./shared-use.ts";

/*
 * One server per directory, shared by every process that opens it.
 *
 *   open     under the lock file: init if needed, join the server that runs or start one, then hold a SHARED advisory
 *            lock on a separate connection for as long as we use it
 *   dispose  under the lock file: release the shared lock and try the EXCLUSIVE one; the process that gets it is the last and
 *            stops the server; all others leave it running
 *   killed   both locks vanish with the process; the server stays and is joined by the next process
 *
 * The lock file separates opening from stopping, so no process joins a server that is about to stop. Only a process killed in the middle of
 * its stop can take a server away from one that has just joined: hence the second try.
 */

/**
 * What to open. `directory` is absolute; `durable: false` trades safety after a crash for speed, for tests; `umbrella` is the entry file of
 * an npm package with a Postgres other than the one that Storehouse includes.
 */
export type EmbeddedOptions = {
  readonly directory: string;
  readonly database: string;
  readonly durable?: boolean;
  readonly umbrella?: string;
  readonly log?: (line: string) => void;
};

/** An embedded Postgres, in use until disposed. */
export interface EmbeddedServer extends AsyncDisposable {
  /** postgres://user:password@127.0.0.1:port/database */
  readonly url: string;
  /** True when the server was already running. */
  readonly joined: boolean;
}

type Session = { readonly place: EmbeddedPlace; readonly password: string; readonly client: Client };

/** Starts, or joins, the Postgres whose data is under `directory`. Throws `embedded_postgres`. */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const place = await embeddedPlace(options.directory, options.umbrella).catch((cause: unknown) => {
    throw fail("embedded_postgres", { directory: options.directory, reason: messageOf(cause) }, cause);
  });
  return explained(place.log, async () => {
    using _lock = await lockFile(place.lock);
    const password = await prepareData(place);
    const { client, joined } = await joinOrStart(place, password, options);
    const { port } = client;
    options.log?.(`embedded postgres ${joined ? "joined" : "started"} on port ${port}, data in ${place.data}`);
    const url = `postgres://${embeddedUser}:${password}@127.0.0.1:${port}/${encodeURIComponent(options.database)}`;
    return { url, joined, [Symbol.asyncDispose]: disposer({ place, password, client }) };
  });
}

async function joinOrStart(
  place: EmbeddedPlace,
  password: string,
  { database, durable = true }: EmbeddedOptions,
): Promise<{ client: Client; joined: boolean }> {
  for (let attempt = 1; ; attempt++) {
    const running = await joinServer(place, password);
    const client = running ?? (await connect(await startPostmaster(place, durable), password));
    try {
      await hold(client);
      await ensureDatabase(client, database);
      return { client, joined: running !== undefined };
    } catch (error) {
      await leave({ place, password, client });
      if (running === undefined || attempt === 3) throw error;
    }
  }
}

async function ensureDatabase(client: Client, database: string): Promise<void> {
  const found = await client.query("select from pg_database where datname = $1", [database]);
  if (found.rowCount === 0) await client.query(`create database ${escapeIdentifier(database)}`);
}

function disposer(session: Session): () => Promise<void> {
  let left: Promise<void> | undefined;
  const lockAndLeave = async (): Promise<void> => {
    using _lock = await lockFile(session.place.lock);
    await leave(session);
  };
  return () => (left ??= explained(session.place.log, lockAndLeave));
}

/** Stops the server when nobody else holds it. */
async function leave(session: Session): Promise<void> {
  const last = await release(session.client).catch(() => releaseOnNewConnection(session));
  await session.client.end().catch(() => undefined);
  if (last) await stopPostmaster(session.place);
}

/** Our connection broke, which released our hold: the server is gone, or it recovered from the crash of a backend. */
async function releaseOnNewConnection({ place, password }: Session): Promise<boolean> {
  const client = await joinServer(place, password);
  if (client === undefined) return false;
  try {
    return await release(client);
  } finally {
    await client.end();
  }
}

/** Runs `work`; an error becomes `embedded_postgres`, with the path of the log and what the server wrote meanwhile. */
async function explained<T>(log: string, work: () => Promise<T>): Promise<T> {
  const from = await stat(log).then(
    ({ size }) => size,
    () => 0,
  );
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof StorehouseError) throw cause;
    throw fail("embedded_postgres", { log, last_line: await complaint(log, from), reason: messageOf(cause) }, cause);
  }
}

/** The last line since `from` that names an error, or the last one of all. */
async function complaint(log: string, from: number): Promise<string | undefined> {
  try {
    await using file = await open(log);
    const chunks: string[] = await file.createReadStream({ start: from, encoding: "utf8" }).toArray();
    const lines = chunks
      .join("")
      .split("\n")
      .filter((line) => line.trim() !== "");
    return lines.findLast((line) => /FATAL|PANIC|error:|error while/.test(line)) ?? lines.at(-1);
  } catch {
    // a log that cannot be read must not hide the error itself
    return undefined;
  }
}
