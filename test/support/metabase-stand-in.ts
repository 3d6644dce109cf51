import { fastify, type FastifyInstance, type FastifyRequest } from "fastify";
import { addMetabaseContent } from "./metabase-content.ts";
import { found, Refused, taken } from "./metabase-request.ts";
import * as shape from "./metabase-shapes.ts";
import { newState, nextId, readSchema, type MetabaseState } from "./metabase-state.ts";

/** A fault to come: the next request that fits gets this instead of an answer. */
type Fault = { readonly method: string; readonly path: RegExp; readonly status: number; readonly body?: unknown };

/** A stand-in for Metabase: on loopback, with state, strict about requests. */
export type MetabaseStandIn = AsyncDisposable & {
  readonly url: string;
  readonly state: MetabaseState;
  /** Every request so far that changed something; logging in and out do not count. */
  readonly writes: () => readonly string[];
  readonly forgetWrites: () => void;
  readonly fail: (fault: Fault) => void;
  /** So many questions for its health are answered with "initializing". */
  readonly starting: (times: number) => void;
};

/** The host under which this Metabase sees the warehouse, and the password of the reader. */
export type Sees = { readonly databaseUrl: string; readonly host: string; readonly password: string };

/** Starts the stand-in. It reads the schema of the warehouse itself, as the details that it is given allow. */
export async function startMetabase(sees: Sees): Promise<MetabaseStandIn> {
  const state = newState();
  const writes: string[] = [];
  const faults: Fault[] = [];
  let starts = 0;
  const server = fastify({ forceCloseConnections: true, exposeHeadRoutes: false });
  server.setNotFoundHandler((_, reply) => reply.code(404).send("API endpoint does not exist."));
  server.setErrorHandler((error, _, reply) =>
    error instanceof Refused
      ? reply.code(error.status).send(error.body)
      : reply.code(500).send({ message: String(error) }),
  );
  server.addHook("preHandler", async (request) => {
    const [path = ""] = request.url.split("?");
    const index = faults.findIndex((one) => one.method === request.method && one.path.test(path));
    const [fault] = index < 0 ? [] : faults.splice(index, 1);
    if (fault !== undefined) throw new Refused(fault.status, fault.body ?? "");
    if (!/^\/api\/(health|session|setup)/.test(path)) authorise(state, request);
    if (request.method !== "GET" && !path.startsWith("/api/session")) writes.push(`${request.method} ${path}`);
  });
  server.get("/api/health", async (_, reply) => {
    if (starts === 0) return { status: "ok" };
    starts -= 1;
    return reply.code(503).send({ status: "initializing", progress: 0.3 });
  });
  addDoors(server, state);
  addDatabases(server, state, sees);
  addSchema(server, state, sees);
  addMetabaseContent(server, state);
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    url,
    state,
    writes: () => writes,
    forgetWrites: () => void writes.splice(0),
    fail: (fault) => void faults.push(fault),
    starting: (times) => (starts = times),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function authorise(state: MetabaseState, { headers }: FastifyRequest): void {
  const key = state.apiKeys.get(String(headers["x-api-key"] ?? ""));
  const session = state.sessions.has(String(headers["x-metabase-session"] ?? ""));
  if (key === undefined && !session) throw new Refused(401, "Unauthenticated");
}

function addDoors(server: FastifyInstance, state: MetabaseState): void {
  const open = () => {
    const id = `session-${nextId(state)}`;
    state.sessions.add(id);
    return { id };
  };
  server.get("/api/session/properties", () => ({
    "has-user-setup": state.admin !== null,
    "setup-token": state.setupToken,
    version: { tag: state.version },
  }));
  server.post("/api/setup", (request) => {
    const { token, user } = taken(shape.Setup, request);
    if (state.admin !== null) throw new Refused(403, "The /api/setup route can only be used to create the first user.");
    if (token !== state.setupToken)
      throw new Refused(400, { errors: { token: "Token does not match the setup token." } });
    state.admin = { email: user.email, password: user.password };
    state.setupToken = null;
    return open();
  });
  server.post("/api/session", (request) => {
    const { username, password } = taken(shape.Login, request);
    if (state.admin?.email !== username || state.admin.password !== password)
      throw new Refused(401, { errors: { password: "did not match stored password" } });
    return open();
  });
  server.delete("/api/session", (request, reply) => {
    state.sessions.delete(String(request.headers["x-metabase-session"] ?? ""));
    return reply.code(204).send();
  });
  server.get("/api/user/current", ({ headers }) => {
    const key = state.apiKeys.get(String(headers["x-api-key"] ?? ""));
    return { id: 1, is_superuser: key?.isAdmin ?? true };
  });
}

const masked = "**MetabasePass**";
const shown = <D extends { readonly details: shape.Details }>(one: D) => ({
  ...one,
  details: {
    ...one.details,
    password: masked,
    ...(one.details["ssl-root-cert-value"] === undefined ? {} : { "ssl-root-cert-value": masked }),
  },
});

/** Details as they are sent, with the secrets that are kept where the ones sent are masked. */
function unmasked(sent: shape.Details, kept: shape.Details): shape.Details {
  const root = sent["ssl-root-cert-value"] === masked ? kept["ssl-root-cert-value"] : sent["ssl-root-cert-value"];
  const password = sent.password === masked ? kept.password : sent.password;
  return { ...sent, password, ...(root === undefined ? {} : { "ssl-root-cert-value": root }) };
}

const javaTrust = "sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory";

/** The driver reads the authority from the certificate that it is given, or from a file of its own, unless it is named what Java trusts. */
function tlsProblemOf(details: shape.Details): string | null {
  if (!details.ssl || !["verify-ca", "verify-full"].includes(details["ssl-mode"] ?? "")) return null;
  const { "ssl-root-cert-options": from, "ssl-root-cert-value": root = "" } = details;
  if (from === "uploaded") return root.includes("BEGIN CERTIFICATE") ? null : "Could not read SSL root certificate.";
  const isTrusted = (details["additional-options"] ?? "").split("&").includes(javaTrust);
  return isTrusted ? null : "Could not open SSL root certificate file /home/metabase/.postgresql/root.crt.";
}

/** Why this Metabase cannot connect, null when it can. */
function problemOf(details: shape.Details, sees: Sees): string | null {
  const { host, password, user } = details;
  if (host !== sees.host) return `Hmm, we couldn't find the host ${host}.`;
  if (user === "storehouse_reader" && password === sees.password) return tlsProblemOf(details);
  return "Looks like the username or password is incorrect.";
}

function checkConnection(details: shape.Details, sees: Sees): void {
  const message = problemOf(details, sees);
  if (message !== null) throw new Refused(400, { message, errors: { host: "check your host settings" } });
}

function addDatabases(server: FastifyInstance, state: MetabaseState, sees: Sees): void {
  server.get("/api/database", () => ({ data: [...state.databases.values()].map(shown), total: state.databases.size }));
  server.post("/api/database", (request) => {
    const { name, engine, details } = taken(shape.NewDatabase, request);
    checkConnection(details, sees);
    const row = { id: nextId(state), name, engine, details };
    state.databases.set(row.id, row);
    return shown(row);
  });
  server.get("/api/database/:id", (request) => shown(found(state.databases, request)));
  server.put("/api/database/:id", (request) => {
    const row = found(state.databases, request);
    const { details } = taken(shape.DatabaseUpdate, request);
    if (details == null) return shown(row);
    const whole = unmasked(details, row.details);
    checkConnection(whole, sees);
    row.details = whole;
    return shown(row);
  });
  server.get("/api/database/:id/healthcheck", (request) => {
    // it came with version 54
    if (/^v[01]\.5[0-3]\./.test(state.version)) throw new Refused(404, "API endpoint does not exist.");
    const message = problemOf(found(state.databases, request).details, sees);
    return message === null ? { status: "ok" } : { status: "error", message };
  });
}

/** The schema is read some time after it was requested. */
function addSchema(server: FastifyInstance, state: MetabaseState, { databaseUrl }: Sees): void {
  let [waits, isRequested] = [0, false];
  server.post("/api/database/:id/sync_schema", (request) => {
    found(state.databases, request);
    [waits, isRequested] = [state.slowSync, true];
    return { status: "ok" };
  });
  const metadata = async (request: FastifyRequest) => {
    const { id } = found(state.databases, request);
    if (isRequested && waits === 0) {
      await readSchema(state, id, databaseUrl);
      isRequested = false;
    } else waits -= 1;
    const isAll = (request.query as { include_hidden?: string }).include_hidden === "true";
    const tables = state.tables.filter((table) => table.db_id === id);
    const isShown = ({ visibility_type: kind }: { visibility_type: string }) => isAll || kind !== "sensitive";
    return { id, tables: tables.map((table) => ({ ...table, fields: table.fields.filter(isShown) })) };
  };
  server.get("/api/database/:id/metadata", (request) => metadata(request));
}
