import pg from "pg";
import { fail } from "../core/errors.ts";

/** The order of statements on two connections, by number. It has each order of two, for poolers that use their sessions in turn. */
const turns = [0, 1, 1, 0, 0, 0, 1, 1] as const;

/**
 * Throws `database_pooled` when a pooler runs each statement of a connection in a session that is free: locks, settings and notifications
 * belong to a session, so the holder of a lock taken there would not know of it. `pid` is the process of the session in which a statement
 * on `client` ran. Without a pooler the server has named the same process at login; a pooler invents another number. Only then a second
 * connection is opened: with a pooler in session mode, each keeps its own session.
 */
export async function checkSessions(
  client: pg.ClientBase,
  { pid, address }: { readonly pid: number; readonly address: pg.ClientConfig },
): Promise<void> {
  // the driver has it, its types do not
  if ((client as { readonly processID?: number | null }).processID === pid) return;
  const beside = new pg.Client({ ...address, query_timeout: address.connectionTimeoutMillis ?? 0 });
  beside.on("error", () => undefined);
  await beside.connect();
  const pids: number[] = [];
  try {
    for (const turn of turns) pids.push(await sessionOf([client, beside][turn]));
  } catch (error) {
    // a pooler in session mode lets a connection wait until another one is closed
    throw error instanceof Error && /read timeout/.test(error.message) ? fail("database_busy", {}, error) : error;
  } finally {
    await beside.end();
  }
  if (!keepsSessions(pids)) throw fail("database_pooled");
}

async function sessionOf(client: pg.ClientBase | undefined): Promise<number> {
  const result = await client?.query<{ pid: number }>("select pg_catalog.pg_backend_pid() as pid");
  return result?.rows[0]?.pid ?? 0;
}

/** True if the statements of each connection reached one session, a different one for each connection. */
function keepsSessions(pids: readonly number[]): boolean {
  const [own, others] = [0, 1].map((turn) => [...new Set(pids.filter((_, index) => turns[index] === turn))]);
  return own?.length === 1 && others?.length === 1 && own[0] !== others[0];
}
