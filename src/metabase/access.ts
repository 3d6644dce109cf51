import { z } from "zod";
import type { Clock } from "../core/clock.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { type MetabaseClient, wordsIn } from "./client.ts";

/** Ways in: an API key, or an administrator's name and password. */
export type Credentials = {
  readonly apiKey?: string | undefined;
  readonly email?: string | undefined;
  readonly password?: string | undefined;
};

/** What a Metabase says of itself before anyone has logged in. */
export type Welcome = {
  readonly isSetUp: boolean;
  readonly setupToken: string | null;
  readonly version: string;
  /** False for the one version that we know and that has no metrics of its own. */
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

/** Waits, at most `seconds`, until Metabase is up, and reads what it is; `say` is told that it still starts. */
export async function welcome(
  client: MetabaseClient,
  { clock, seconds, say }: { readonly clock: Clock; readonly seconds: number; readonly say: (line: string) => void },
): Promise<Welcome> {
  const until = clock.now() + seconds * 1000;
  for (let state = await stateOf(client), said = ""; state !== "up"; state = await stateOf(client)) {
    if (clock.now() >= until) throw state === "starts" ? fail("metabase_starting", { seconds }) : state;
    const line = state === "starts" ? "Metabase is starting" : "Nobody answers at Metabase's address yet";
    if (line !== said) say(`${line}; waiting up to ${Math.ceil((until - clock.now()) / 1000)} seconds.`);
    said = line;
    await clock.sleep(pollMs);
  }
  const properties = Properties.safeParse(
    (await client.send({ method: "GET", path: "/api/session/properties", what: "say what it is" })).body,
  );
  if (!properties.success) throw fail("not_metabase");
  const { version, "has-user-setup": isSetUp, "setup-token": setupToken } = properties.data;
  // v0.64.2 or v1.64.2 (the paid edition); a build from source names no number, and is taken as new
  const release = Number(/^v?[01]\.(\d+)/.exec(version.tag)?.[1] ?? metricsSince);
  if (release < oldest) throw fail("metabase_too_old", { found: version.tag });
  return { isSetUp, setupToken: setupToken ?? null, version: version.tag, hasMetrics: release >= metricsSince };
}

/** What a proxy before it, or it itself, answers while it starts. */
const startingStatuses: readonly number[] = [502, 503, 504];
/** A connection that nobody takes, or that ends at once, as one to a container does whose program does not listen yet. */
const notListening: readonly unknown[] = ["ECONNREFUSED", "ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

/** How it is: up, starting, or the error with which nobody takes the connection. Throws where something else answers. */
async function stateOf(client: MetabaseClient): Promise<"up" | "starts" | StorehouseError> {
  const asked = client.send({ method: "GET", path: "/api/health", what: "say how it is" });
  const reply = await asked.catch((error: unknown) => {
    if (error instanceof StorehouseError && notListening.includes(error.context["cause"])) return error;
    throw error;
  });
  if (reply instanceof StorehouseError) return reply;
  if (startingStatuses.includes(reply.status)) return "starts";
  const health = Health.safeParse(reply.body);
  if (!health.success || reply.status !== 200) throw fail("not_metabase");
  return health.data.status === "ok" ? "up" : "starts";
}

/** Which way in the credentials give to this Metabase: by its first set-up, by key or by password. Throws when there is none. */
export function wayIn({ isSetUp }: Welcome, { apiKey, email, password }: Credentials): "setup" | "key" | "password" {
  const hasPassword = email !== undefined && password !== undefined;
  if (!isSetUp) {
    if (!hasPassword) throw fail("metabase_not_set_up");
    return "setup";
  }
  if (apiKey !== undefined) return "key";
  if (!hasPassword) throw fail("metabase_no_access");
  return "password";
}

/** Makes the first administrator and logs in as him. */
export async function setUp(client: MetabaseClient, { setupToken }: Welcome, credentials: Credentials): Promise<void> {
  const { email, password } = credentials;
  const body = {
    token: setupToken,
    user: { email, password, first_name: "Storehouse", last_name: "Admin", site_name: "Storehouse" },
    prefs: { site_name: "Storehouse", site_locale: "en", allow_tracking: false },
  };
  const made = await client.ask({ method: "POST", path: "/api/setup", body, what: "make its first administrator" });
  client.identify({ "x-metabase-session": Session.parse(made).id });
}

/** Enters with a key or a password and makes sure that an administrator has entered. */
export async function enter(
  client: MetabaseClient,
  way: "key" | "password",
  { apiKey, email, password }: Credentials,
): Promise<void> {
  if (way === "key") client.identify({ "x-api-key": apiKey ?? "" });
  else {
    const body = { username: email, password };
    const reply = await client.send({ method: "POST", path: "/api/session", body, what: "log in" });
    if (reply.status === 401 || reply.status === 400)
      throw fail("metabase_wrong_access", { what: "METABASE_EMAIL and METABASE_PASSWORD" });
    const session = Session.safeParse(reply.body);
    if (!session.success) throw fail("metabase_failed", { what: "log in", problem: wordsIn(reply.body) });
    client.identify({ "x-metabase-session": session.data.id });
  }
  const who = await client.send({ method: "GET", path: "/api/user/current", what: "say who is in" });
  if (who.status === 401 || who.status === 403) throw fail("metabase_wrong_access", { what: "METABASE_API_KEY" });
  const person = Person.safeParse(who.body);
  if (!person.success || !person.data.is_superuser) throw fail("metabase_forbidden", { what: "change its settings" });
}

/** Ends the session that was begun by a password; a key has none. */
export async function leave(client: MetabaseClient): Promise<void> {
  await client.send({ method: "DELETE", path: "/api/session", what: "log out" });
}
