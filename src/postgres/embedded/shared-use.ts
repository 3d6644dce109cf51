import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { embeddedUser } from "./data-directory.ts";
import type { EmbeddedPlace } from "./place.ts";
import { findPostmaster } from "./postmaster.ts";

/** The key of the advisory lock in the database `postgres`: any number that no other software uses. */
const holdersKey = 5_702_887;
const pollMs = 100;
/** Six minutes: longer than a start may take (see postmaster.ts). */
const mostPolls = 3600;

/** Connects to the running server; undefined if there is none. Waits for one that is starting or stopping. */
export async function joinServer(place: EmbeddedPlace, password: string): Promise<Client | undefined> {
  for (let poll = 0; poll < mostPolls; poll++) {
    const postmaster = await findPostmaster(place);
    if (postmaster === undefined) return undefined;
    try {
      if (postmaster.port !== undefined) return await connect(postmaster.port, password);
    } catch (error) {
      // class 28 is a wrong password: waiting does not help
      if ((error as { code?: string }).code?.startsWith("28")) throw error;
    }
    await wait(pollMs);
  }
  throw new Error("a server holds the data directory and does not respond");
}

/** A connection to the database `postgres`, to be kept as long as the server is used. */
export async function connect(port: number, password: string): Promise<Client> {
  const client = new Client({
    host: "127.0.0.1",
    port,
    user: embeddedUser,
    password,
    database: "postgres",
    ssl: false,
    keepAlive: true,
    application_name: "storehouse holder",
    connectionTimeoutMillis: 10_000,
  });
  // if the server goes away, the next query fails; without this listener the process would end
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** Declares the server in use for as long as the connection lives. */
export async function hold(client: Client): Promise<void> {
  await client.query("select pg_advisory_lock_shared($1)", [holdersKey]);
}

/** Releases the hold; true if no other process has one, and then none can get one while this connection lives. */
export async function release(client: Client): Promise<boolean> {
  await client.query("select pg_advisory_unlock_shared($1)", [holdersKey]);
  const { rows } = await client.query<{ last: boolean }>("select pg_try_advisory_lock($1) as last", [holdersKey]);
  return rows[0]?.last === true;
}
