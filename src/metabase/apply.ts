import type { Clock } from "../core/clock.ts";
import type { Network } from "../core/http-agent.ts";
import type { Warehouse } from "../postgres/database.ts";
import { logIn, loginMethodOf, logOut, setUp, waitUntilUp, type Credentials } from "./access.ts";
import { readRelations } from "../postgres/relations.ts";
import { createMetabaseClient } from "./client.ts";
import { applyCollection } from "./collection.ts";
import { readCollection } from "./collection-file.ts";
import { applyDatabase, type Connection } from "./database-entry.ts";
import { applyMetadata } from "./metadata.ts";
import { createRemote, type Change } from "./remote.ts";
import { syncSchema } from "./schema-sync.ts";
import { lookUpIn } from "./wanted-cards.ts";

/** What the command needs. `seconds` bounds each of the two waits: for Metabase to start, and to read the schema. */
export type MetabaseOptions = {
  readonly url: string;
  readonly credentials: Credentials;
  readonly connection: Connection;
  readonly network: Network;
  /** The folder of the starter collection. */
  readonly folder: string;
  readonly isDryRun: boolean;
  readonly overwrite: boolean;
  readonly seconds: number;
  readonly clock: Clock;
  readonly say: (line: string) => void;
};

/** What was or would be done, and to which version; `isComplete` is false if a dry run could not see past its first step. */
export type Applied = { readonly version: string; readonly changes: readonly Change[]; readonly isComplete: boolean };

/** Sets up a Metabase for the warehouse: login, database, schema, metadata, starter collection, in this order. */
export async function applyMetabase(warehouse: Warehouse, options: MetabaseOptions): Promise<Applied> {
  const { credentials, connection, clock, seconds, say } = options;
  const read = readCollection(options.folder);
  const secrets = [credentials.apiKey, credentials.password, connection.password].flatMap((secret) => secret ?? []);
  await using client = createMetabaseClient(options.url, secrets, options.network);
  const found = await waitUntilUp(client, { clock, seconds, say });
  const files = found.hasMetrics ? read : { ...read, metrics: {} };
  const method = loginMethodOf(found, credentials);
  const remote = createRemote(client, options.isDryRun);
  const applied = (isComplete: boolean) => ({ version: found.version, changes: remote.changes, isComplete });
  if (method === "setup") {
    remote.note({ what: "administrator", name: credentials.email ?? "", action: "create", properties: [] });
    if (options.isDryRun) return applied(false);
    await setUp(client, found, credentials);
  } else await logIn(client, method, credentials);
  try {
    const databaseId = await applyDatabase(remote, connection);
    if (databaseId === null) return applied(false);
    const tables = await readRelations(warehouse.db);
    const needed = new Set(
      [...files.dashboards.flatMap(({ cards }) => Object.values(cards)), ...Object.values(files.metrics)].map(
        ({ table }) => table,
      ),
    );
    const finder = await syncSchema(remote, databaseId, { tables, needed, waiting: { clock, seconds, say } });
    await applyMetadata(remote, { finder, tables, say });
    // a dry run cannot look up tables that Metabase does not know yet
    if (options.isDryRun && remote.changes.some(({ what }) => what === "schema")) return applied(false);
    await applyCollection(remote, files, {
      lookup: lookUpIn(warehouse.pool, databaseId, finder),
      overwrite: options.overwrite,
    });
    return applied(true);
  } finally {
    if (method !== "key") await logOut(client);
  }
}
