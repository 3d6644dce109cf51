import type { Clock } from "../core/clock.ts";
import type { Warehouse } from "../postgres/database.ts";
import { enter, leave, setUp, wayIn, welcome, type Credentials } from "./access.ts";
import { readCatalogue } from "./catalogue.ts";
import { createMetabaseClient } from "./client.ts";
import { applyCollection } from "./collection.ts";
import { readCollection } from "./collection-file.ts";
import { applyDatabase, type Connection } from "./database-entry.ts";
import { applyMetadata } from "./metadata.ts";
import { createRemote, type Change } from "./remote.ts";
import { syncSchema } from "./schema-sync.ts";
import { lookUpIn } from "./wanted-cards.ts";

/** What the command is told. `seconds` bounds each of the two waits: for Metabase to start, and to read the schema. */
export type MetabaseOptions = {
  readonly url: string;
  readonly credentials: Credentials;
  readonly connection: Connection;
  /** The folder of the starter collection. */
  readonly folder: string;
  readonly isRehearsal: boolean;
  readonly overwrite: boolean;
  readonly seconds: number;
  readonly clock: Clock;
  readonly say: (line: string) => void;
};

/** What was or would be done, and to which version; `isWhole` is false when a rehearsal could not look further than to the first step. */
export type Applied = { readonly version: string; readonly changes: readonly Change[]; readonly isWhole: boolean };

/** Brings a Metabase to what the warehouse and the starter collection say: access, database, schema, metadata, dashboards, in this order. */
export async function applyMetabase(warehouse: Warehouse, options: MetabaseOptions): Promise<Applied> {
  const { credentials, connection, clock, seconds, say } = options;
  const read = readCollection(options.folder);
  const secrets = [credentials.apiKey, credentials.password, connection.password].flatMap((secret) => secret ?? []);
  await using client = createMetabaseClient(options.url, secrets);
  const found = await welcome(client, { clock, seconds, say });
  const files = found.hasMetrics ? read : { ...read, metrics: {} };
  const way = wayIn(found, credentials);
  const remote = createRemote(client, options.isRehearsal);
  const applied = (isWhole: boolean) => ({ version: found.version, changes: remote.changes, isWhole });
  if (way === "setup") {
    remote.note({ what: "administrator", name: credentials.email ?? "", action: "create", properties: [] });
    if (options.isRehearsal) return applied(false);
    await setUp(client, found, credentials);
  } else await enter(client, way, credentials);
  try {
    const databaseId = await applyDatabase(remote, connection);
    if (databaseId === null) return applied(false);
    const tables = await readCatalogue(warehouse.db);
    const needed = new Set(
      [...files.dashboards.flatMap(({ cards }) => Object.values(cards)), ...Object.values(files.metrics)].map(
        ({ table }) => table,
      ),
    );
    const finder = await syncSchema(remote, databaseId, { tables, needed, patience: { clock, seconds, say } });
    await applyMetadata(remote, { finder, tables, say });
    // what Metabase does not know yet, a rehearsal cannot look up
    if (options.isRehearsal && remote.changes.some(({ what }) => what === "schema")) return applied(false);
    await applyCollection(remote, files, {
      lookup: lookUpIn(warehouse.pool, databaseId, finder),
      overwrite: options.overwrite,
    });
    return applied(true);
  } finally {
    if (way !== "key") await leave(client);
  }
}
