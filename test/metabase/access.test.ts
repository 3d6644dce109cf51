import { fastify } from "fastify";
import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { long } from "../support/long.ts";
import { admin, apiKey, openMetabaseStage } from "../support/metabase-stage.ts";

test("waits while Metabase starts, and says so", async () => {
  await using stage = await openMetabaseStage();
  stage.metabase.starting(5);
  await stage.apply({ isDryRun: true });
  expect(stage.said[0]).toBe("Metabase is starting; waiting up to 60 seconds.");
  expect(stage.slept()).toBeGreaterThanOrEqual(5000);
});

test("waits also while the port refuses connections, and while a proxy before Metabase answers 502", async () => {
  await using stage = await openMetabaseStage();
  const proxy = fastify({ forceCloseConnections: true });
  proxy.get("/api/health", (_, reply) => reply.code(502).type("text/html").send("<html>Bad Gateway</html>"));
  const url = await freeAddress();
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
    if (now === 3000) await proxy.listen({ host: "127.0.0.1", port: Number(new URL(url).port) });
  };
  const clock = { now: () => now, today: () => day("2026-08-20"), sleep };
  await expect(stage.apply({ url, seconds: 9, clock })).rejects.toThrow(
    "metabase_starting: Metabase was still starting after 9 seconds",
  );
  await proxy.close();
  expect(stage.said).toEqual([
    "Metabase does not respond yet; waiting up to 9 seconds.",
    "Metabase is starting; waiting up to 6 seconds.",
  ]);
});

test("waits no longer than the given seconds", async () => {
  await using stage = await openMetabaseStage();
  stage.metabase.starting(1000);
  await expect(stage.apply({ seconds: 7 })).rejects.toThrow(
    "metabase_starting: Metabase was still starting after 7 seconds",
  );
  expect(stage.slept()).toBe(7000);
  expect(stage.metabase.writes()).toEqual([]);
});

test("credentials that do not work are an error that says what to do next, and nothing is changed", async () => {
  await using stage = await openMetabaseStage();
  const { state } = stage.metabase;
  state.apiKeys.set("mb_reader", { isAdmin: false });
  const entering = (credentials: object) => stage.apply({ credentials });
  await expect(entering({ apiKey: "mb_gone" })).rejects.toThrow(/^metabase_wrong_access: .*METABASE_API_KEY; check/);
  await expect(entering({ apiKey: "mb_reader" })).rejects.toThrow(/^metabase_forbidden: .*Administrators/);
  await expect(entering({})).rejects.toThrow(/^metabase_no_access: .*set METABASE_API_KEY/);
  await expect(entering({ email: admin.email })).rejects.toThrow(/^metabase_no_access/);
  await expect(entering({ ...admin, password: "not this one" })).rejects.toThrow(
    /^metabase_wrong_access: Metabase refused METABASE_EMAIL and METABASE_PASSWORD/,
  );
  expect(stage.metabase.writes()).toEqual([]);
});

// test/metabase/apply.test.ts signs in with these every day
test.runIf(long)(
  "an administrator's name and password do as well as a key, and no session is left behind",
  async () => {
    await using stage = await openMetabaseStage();
    await stage.apply({ credentials: admin });
    expect(stage.metabase.state.databases.size).toBe(1);
    expect(stage.metabase.state.sessions.size).toBe(0);
  },
);

test("a new Metabase wants a name and a password for its administrator, also where a key is given", async () => {
  await using stage = await openMetabaseStage({ isSetUp: false });
  await expect(stage.apply({ credentials: { apiKey } })).rejects.toThrow(/^metabase_not_set_up: .*METABASE_EMAIL/);
  const weak = { email: admin.email, password: "mouse" };
  await expect(stage.apply({ credentials: weak })).rejects.toThrow(
    /^metabase_refused: Metabase refused to create its first administrator: 400 user.password: password is too common/,
  );
  expect(stage.metabase.state.admin).toBeNull();
});

test("Metabase's own error message is reported without the secrets that it repeats", async () => {
  await using stage = await openMetabaseStage({ isSetUp: false });
  stage.metabase.fail({
    method: "POST",
    path: /^\/api\/setup$/,
    status: 500,
    body: { message: `cannot hash ${admin.password}` },
  });
  await expect(stage.apply()).rejects.toThrow(/^metabase_failed: .*: 500 cannot hash \[hidden\];/);
});

test.each([
  ["v0.49.12", true],
  ["v1.49.0", true],
  ["v0.50.0", false],
  ["v1.64.2.2", false],
  ["vUNKNOWN", false],
])("Metabase %s is too old: %s", async (version, isTooOld) => {
  await using stage = await openMetabaseStage();
  stage.metabase.state.version = version;
  const refused = await stage.apply({ isDryRun: true }).then(
    () => "",
    (error: Error) => error.message,
  );
  expect(refused.startsWith(`metabase_too_old: Metabase ${version} is too old; use Metabase 50`)).toBe(isTooOld);
});

test("an address where something else answers and an address that refuses connections are different errors", async () => {
  await using stage = await openMetabaseStage();
  const other = fastify();
  other.get("/api/health", (_, reply) => reply.type("text/html").send("<html>welcome</html>"));
  const url = await other.listen({ host: "127.0.0.1", port: 0 });
  await expect(stage.apply({ url })).rejects.toThrow(/^not_metabase: .*METABASE_URL/);
  await other.close();
  await expect(stage.apply({ url })).rejects.toThrow(/^metabase_unreachable: .*ECONNREFUSED.*COMPOSE_PROFILES=bi/);
});

test("goes through a path that is in front of Metabase's own", async () => {
  await using stage = await openMetabaseStage();
  await expect(stage.apply({ url: `${stage.metabase.url}/bi/` })).rejects.toThrow(/^not_metabase/);
  expect(await stage.apply({ url: `${stage.metabase.url}/`, isDryRun: true })).toMatchObject({ version: "v0.64.2.2" });
});

/** An address of this machine that refuses connections. */
async function freeAddress(): Promise<string> {
  const server = fastify();
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  await server.close();
  return url;
}
