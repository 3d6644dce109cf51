import { z } from "zod";
import { fail } from "../core/errors.ts";
import type { Remote } from "./remote.ts";

/** Where Metabase finds the warehouse, and as whom it reads. `password` may be unknown while what Metabase has works. */
export type Connection = {
  readonly host: string;
  readonly port: number;
  readonly dbname: string;
  readonly sslMode: "disable" | "require" | "verify-ca" | "verify-full";
  readonly password: string | undefined;
};

/** The name of the database in Metabase, and of the collection. */
export const entryName = "Storehouse";
/** The schemas that Metabase is shown; partitions never. */
const shownSchemas = ["mart", "core", "ops"];
/** The role that Metabase reads as. */
const readerRole = "storehouse_reader";

const Entry = z.object({
  id: z.number(),
  name: z.string(),
  engine: z.string(),
  details: z.record(z.string(), z.unknown()).nullish(),
});
const Entries = z.object({ data: z.array(Entry) });
const Health = z.object({ status: z.string(), message: z.string().optional() });
const Made = z.object({ id: z.number() });

/** How Metabase reaches the warehouse: as DATABASE_URL says, unless Metabase sees its host under another name. */
export function connectionOf(
  databaseUrl: string,
  seenAs: string | undefined,
  password: string | undefined,
): Connection {
  const url = new URL(databaseUrl);
  const [, host = url.hostname, port = url.port] =
    /^(.*?)(?::(\d+))?$/.exec(seenAs ?? "")?.map((part) => part || undefined) ?? [];
  const mode = url.searchParams.get("sslmode") ?? "disable";
  return {
    host: (host || url.searchParams.get("host") || "localhost").replaceAll(/^\[|\]$/g, ""),
    port: Number(port || "5432"),
    dbname: decodeURIComponent(url.pathname.slice(1)) || "postgres",
    sslMode:
      mode === "verify-ca" || mode === "verify-full"
        ? mode
        : mode === "disable" || mode === "allow"
          ? "disable"
          : "require",
    password,
  };
}

/** The properties of the entry that we set; others stay as they are. */
function ownDetails({ host, port, dbname, sslMode }: Connection): Readonly<Record<string, unknown>> {
  return {
    host,
    port,
    dbname,
    user: readerRole,
    ssl: sslMode !== "disable",
    ...(sslMode === "disable" ? {} : { "ssl-mode": sslMode }),
    "schema-filters-type": "inclusion",
    "schema-filters-patterns": shownSchemas.join(", "),
    // a column of JSON would be unfolded into as many columns as it has ever had keys
    "json-unfolding": false,
  };
}

/** Adds the warehouse to Metabase, or brings its entry up to date. Returns its id, null where a dry run would have made it. */
export async function applyDatabase(remote: Remote, connection: Connection): Promise<number | null> {
  const { data } = await remote.get("/api/database", Entries, "list its databases");
  const details = ownDetails(connection);
  const ours = data.filter(({ engine }) => engine === "postgres");
  // it may have been renamed
  const found = ours.find(({ name }) => name === entryName) ?? ours.find((one) => isSame(one.details, details));
  if (found === undefined) {
    const body = {
      name: entryName,
      engine: "postgres",
      details: { ...details, password: passwordOf(connection) },
      is_full_sync: true,
    };
    const made = await connected(() =>
      remote.write({
        what: "database",
        name: entryName,
        action: "create",
        properties: [],
        method: "POST",
        path: "/api/database",
        body,
      }),
    );
    return made === null ? null : Made.parse(made).id;
  }
  const path = `/api/database/${found.id}`;
  const { details: now } = await remote.get(path, Entry, "show its database");
  const stale = Object.entries(details).filter(([name, value]) => now?.[name] !== value);
  // Metabase shows no password: a failed health check is the sign that it changed; versions before 54 have no such check
  const health = await remote.find(`${path}/healthcheck`, Health, "test its database");
  const properties = [
    ...stale.map(([name]) => name),
    ...(health === null || health.status === "ok" ? [] : ["password"]),
  ];
  if (properties.length === 0) return found.id;
  const changed =
    properties.includes("password") || connection.password !== undefined ? { password: passwordOf(connection) } : {};
  const body = { details: { ...now, ...details, ...changed } };
  await connected(() =>
    remote.write({ what: "database", name: entryName, action: "update", properties, method: "PUT", path, body }),
  );
  return found.id;
}

const whereabouts = ["host", "port", "dbname", "user"] as const;

function isSame(one: Readonly<Record<string, unknown>> | null | undefined, wanted: Readonly<Record<string, unknown>>) {
  return whereabouts.every((name) => one?.[name] === wanted[name]);
}

function passwordOf({ password }: Connection): string {
  if (password === undefined)
    throw fail("bad_setting", { variable: "STOREHOUSE_READER_PASSWORD", problem: "is not set" });
  return password;
}

/** Metabase tests a connection before it saves it, and refuses one that it cannot open. */
async function connected<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isRefused = error instanceof Error && "code" in error && error.code === "metabase_refused";
    if (!isRefused) throw error;
    const context = "context" in error ? (error.context as { problem?: string }) : {};
    throw fail("metabase_database", { problem: context.problem ?? "it does not say why" }, error);
  }
}
