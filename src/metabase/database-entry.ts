import { z } from "zod";
import { readText } from "../config/read-text.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import type { Remote } from "./remote.ts";

/** Where Metabase finds the warehouse, and which user reads. `password` may be unknown while the one in Metabase works. */
export type Connection = {
  readonly host: string;
  readonly port: number;
  readonly dbname: string;
  readonly sslMode: "disable" | "require" | "verify-ca" | "verify-full";
  /** The certificate (PEM) of the authority that signed the server's; undefined for authorities that Metabase's machine trusts. */
  readonly rootCertificate?: string | undefined;
  readonly password: string | undefined;
};

/** The name of the database in Metabase, and of the collection. */
export const entryName = "Storehouse";
/** The schemas that Metabase sees, without partitions. */
const shownSchemas = ["mart", "core", "ops"];
/** The role with which Metabase reads. */
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

/** How Metabase reaches the warehouse: as in DATABASE_URL, unless Metabase knows the host under another name. */
export function connectionOf(
  databaseUrl: string,
  seenAs: string | undefined,
  password: string | undefined,
): Connection {
  const url = new URL(databaseUrl);
  const [, host = url.hostname, port = url.port] =
    /^(.*?)(?::(\d+))?$/.exec(seenAs ?? "")?.map((part) => part || undefined) ?? [];
  return {
    host: (host || url.searchParams.get("host") || "localhost").replaceAll(/^\[|\]$/g, ""),
    port: Number(port || "5432"),
    dbname: decodeURIComponent(url.pathname.slice(1)) || "postgres",
    ...securedBy(url.searchParams),
    password,
  };
}

/** The mode and the authority: `require` with an authority checks it, as libpq does. */
function securedBy(query: URLSearchParams): Pick<Connection, "sslMode" | "rootCertificate"> {
  const mode = query.get("sslmode") ?? "disable";
  const root = query.get("sslrootcert");
  if (mode === "disable" || mode === "allow") return { sslMode: "disable" };
  const isVerified = mode === "verify-ca" || mode === "verify-full";
  if (root === null || root === "system") return { sslMode: isVerified ? mode : "require" };
  const rootCertificate = readText(root);
  if (rootCertificate === null)
    throw fail("bad_setting", { variable: "DATABASE_URL", problem: "names a file as sslrootcert that does not exist" });
  return { sslMode: isVerified ? mode : "verify-ca", rootCertificate };
}

/** The properties of the entry that we set; others stay. */
function ownDetails({ host, port, dbname, sslMode, rootCertificate }: Connection): Readonly<Record<string, unknown>> {
  return {
    host,
    port,
    dbname,
    user: readerRole,
    ssl: sslMode !== "disable",
    ...(sslMode === "disable" ? {} : { "ssl-mode": sslMode, "ssl-use-client-auth": false }),
    // Metabase runs elsewhere: it gets the certificate itself, not the path of a file on this machine
    ...(rootCertificate === undefined ? {} : { "ssl-root-cert-options": "uploaded" }),
    "schema-filters-type": "inclusion",
    "schema-filters-patterns": shownSchemas.join(", "),
    // a JSON column would be unfolded into as many columns as it has ever had keys
    "json-unfolding": false,
  };
}

/** Adds the warehouse to Metabase, or brings its entry up to date. Returns its id, or null if a dry run would have made it. */
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
      details: { ...details, ...trust(connection, {}), ...secretsOf(connection) },
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
  const wanted = { ...details, ...trust(connection, now ?? {}) };
  const stale = Object.entries(wanted).filter(([name, value]) => now?.[name] !== value);
  // Metabase shows no password: a failed health check shows that it changed; versions before 54 have no such check
  const health = await remote.find(`${path}/healthcheck`, Health, "test its database");
  const properties = [
    ...stale.map(([name]) => name),
    ...(health === null || health.status === "ok" ? [] : ["password"]),
  ];
  if (properties.length === 0) return found.id;
  const changed = properties.includes("password") || connection.password !== undefined ? secretsOf(connection) : {};
  const body = { details: { ...now, ...wanted, ...changed } };
  await connected(() =>
    remote.write({ what: "database", name: entryName, action: "update", properties, method: "PUT", path, body }),
  );
  return found.id;
}

const whereabouts = ["host", "port", "dbname", "user"] as const;

function isSame(one: Readonly<Record<string, unknown>> | null | undefined, wanted: Readonly<Record<string, unknown>>) {
  return whereabouts.every((name) => one?.[name] === wanted[name]);
}

/** Metabase's driver reads a separate certificate file unless this option names Java's own trust store. */
const javaTrust = "sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory";
const options = "additional-options";

/** Options of the driver for a server with a public certificate authority, in addition to those that people have set. */
function trust(
  { sslMode, rootCertificate }: Connection,
  now: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const current = now[options];
  const others = (typeof current === "string" ? current : "")
    .split("&")
    .filter((one) => one !== "" && one !== javaTrust);
  if (sslMode.startsWith("verify-") && rootCertificate === undefined)
    return { [options]: [...others, javaTrust].join("&") };
  return others.length > 0 || current === javaTrust ? { [options]: others.join("&") } : {};
}

/** The properties that Metabase stores and never shows. */
function secretsOf(connection: Connection): Readonly<Record<string, string>> {
  const { rootCertificate } = connection;
  const certificate = rootCertificate === undefined ? {} : { "ssl-root-cert-value": rootCertificate };
  return { password: passwordOf(connection), ...certificate };
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
    if (!(error instanceof StorehouseError) || error.code !== "metabase_refused") throw error;
    throw fail("metabase_database", { problem: error.context["problem"] ?? "it does not say why" }, error);
  }
}
