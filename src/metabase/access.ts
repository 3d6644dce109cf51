import { z } from "zod";
import type { Clock } from "../core/clock.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { type MetabaseClient, wordsIn } from "./client.ts";

/** What Metabase accepts as a login: an API key, or an administrator's name and password. */
export type Credentials = {
  readonly apiKey?: string | undefined;
  readonly email?: string | undefined;
  readonly password?: string | undefined;
};

/** What a Metabase reports of itself without a login. */
export type MetabaseServer = {
  readonly isSetUp: boolean;
  readonly setupToken: string | null;
  readonly version: string;
  /** False for versions that have no metrics. */
  readonly hasMetrics: boolean;
};

const oldest = 50;
const metricsSince = 51;
const pollMs = 1000;

const Health = z.object({ status: z.string(), progress: z.number().optional() });
const Properties = z.object({
  "has-user-setup": z.boolean(),
  "setup-token": z.string().nullish(),
  version: z.object({ tag: z.string() }),
});
const Session = z.object({ id: z.string().min(1) });
const Person = z.object({ is_superuser: z.boolean() });

/** Waits at most `seconds` until Metabase is up, and reads its version and whether it is set up; `say` gets a line if it waits. */
export async function waitUntilUp(
  client: MetabaseClient,
  { clock, seconds, say }: { readonly clock: Clock; readonly seconds: number; readonly say: (line: string) => void },
): Promise<MetabaseServer> {
  const until = clock.now() + seconds * 1000;
  for (let state = await stateOf(client), said = ""; state !== "up"; state = await stateOf(client)) {
    if (clock.now() >= until) throw state === "starts" ? fail("metabase_starting", { seconds }) : state;
    const line = state === "starts" ? "Metabase is starting" : "Metabase does not respond yet";
    if (line !== said) say(`${line}; waiting up to ${Math.ceil((until - clock.now()) / 1000)} seconds.`);
    said = line;
    await clock.sleep(pollMs);
  }
  const properties = Properties.safeParse(
    (await client.send({ method: "GET", path: "/api/session/properties", what: "report its version" })).body,
  );
  if (!properties.success) throw fail("not_metabase");
  const { version, "has-user-setup": isSetUp, "setup-token": setupToken } = properties.data;
  // v0.64.2 or v1.64.2 (the paid edition); a build from source has no number, and counts as new
  const release = Number(/^v?[01]\.(\d+)/.exec(version.tag)?.[1] ?? metricsSince);
  if (release < oldest) throw fail("metabase_too_old", { found: version.tag });
  return { isSetUp, setupToken: setupToken ?? null, version: version.tag, hasMetrics: release >= metricsSince };
}

/** Statuses of Metabase, or a proxy in front of it, while it starts. */
const startingStatuses: readonly number[] = [502, 503, 504];
/** A refused connection, or one that ends at once: a container does the latter until its program listens. */
const notListening: readonly unknown[] = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

/** Its state: up, starting, or the error of a refused connection. Throws if something other than Metabase answers. */
async function stateOf(client: MetabaseClient): Promise<"up" | "starts" | StorehouseError> {
  const checked = client.send({ method: "GET", path: "/api/health", what: "report its health" });
  const reply = await checked.catch((error: unknown) => {
    if (error instanceof StorehouseError && notListening.includes(error.context["cause"])) return error;
    throw error;
  });
  if (reply instanceof StorehouseError) return reply;
  if (startingStatuses.includes(reply.status)) return "starts";
  const health = Health.safeParse(reply.body);
  if (!health.success || reply.status !== 200) throw fail("not_metabase");
  return health.data.status === "ok" ? "up" : "starts";
}

/** How to log in to this Metabase: by its first setup, by key or by password. Throws when the credentials allow none. */
export function loginMethodOf(
  { isSetUp }: MetabaseServer,
  { apiKey, email, password }: Credentials,
): "setup" | "key" | "password" {
  const hasPassword = email !== undefined && password !== undefined;
  if (!isSetUp) {
    if (!hasPassword) throw fail("metabase_not_set_up");
    return "setup";
  }
  if (apiKey !== undefined) return "key";
  if (!hasPassword) throw fail("metabase_no_access");
  return "password";
}

/** Creates the first administrator and logs in with that account. */
export async function setUp(
  client: MetabaseClient,
  { setupToken }: MetabaseServer,
  credentials: Credentials,
): Promise<void> {
  const { email, password } = credentials;
  const body = {
    token: setupToken,
    user: { email, password, first_name: "Storehouse", last_name: "Admin", site_name: "Storehouse" },
    prefs: { site_name: "Storehouse", site_locale: "en", allow_tracking: false },
  };
  const made = await client.request({
    method: "POST",
    path: "/api/setup",
    body,
    what: "create its first administrator",
  });
  client.identify({ "x-metabase-session": Session.parse(made).id });
}

/** Logs in with a key or a password and checks that the account is an administrator. */
export async function logIn(
  client: MetabaseClient,
  method: "key" | "password",
  { apiKey, email, password }: Credentials,
): Promise<void> {
  if (method === "key") client.identify({ "x-api-key": apiKey ?? "" });
  else {
    const body = { username: email, password };
    const reply = await client.send({ method: "POST", path: "/api/session", body, what: "log in" });
    if (reply.status === 401 || reply.status === 400)
      throw fail("metabase_wrong_access", { what: "METABASE_EMAIL and METABASE_PASSWORD" });
    const session = Session.safeParse(reply.body);
    if (!session.success) throw fail("metabase_failed", { what: "log in", problem: wordsIn(reply.body) });
    client.identify({ "x-metabase-session": session.data.id });
  }
  const who = await client.send({ method: "GET", path: "/api/user/current", what: "report who is logged in" });
  if (who.status === 401 || who.status === 403) throw fail("metabase_wrong_access", { what: "METABASE_API_KEY" });
  const person = Person.safeParse(who.body);
  if (!person.success || !person.data.is_superuser) throw fail("metabase_forbidden", { what: "change its settings" });
}

/** Ends the session of a password; a key has none. */
export async function logOut(client: MetabaseClient): Promise<void> {
  await client.send({ method: "DELETE", path: "/api/session", what: "log out" });
}
