import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { remainingCredits } from "../../src/api/operations/account.ts";
import { networkOf } from "../../src/config/network.ts";
import { readEnvironment } from "../../src/config/env.ts";
import { StorehouseError } from "../../src/core/errors.ts";
import { createCut, createHttpAgent, type Network } from "../../src/core/http-agent.ts";
import { testMessage } from "../../src/incidents/message.ts";
import { createWebhook } from "../../src/incidents/webhook.ts";
import { createMetabaseClient } from "../../src/metabase/client.ts";
import { openClickHouse } from "../../src/publish/clickhouse.ts";
import { json, openClient, serve, token, type TestServer } from "../support/api-server.ts";
import { openForwardProxy, openTlsFront } from "../support/forward-proxy.ts";
import { ownAuthority, type Authority } from "../support/own-authority.ts";
import { folderForTests } from "../support/folder.ts";

/** A host that no name server knows: only the proxy leads to it. */
const host = "api.invalid";
const login = { user: "me", password: "pr0xy+secret/&" } as const;

const folder = folderForTests();
let authority: Authority | null;
let authorities: string;
let certificate: { key: string; certificate: string };
let server: TestServer;
let opened: AsyncDisposableStack;
let routes: Record<string, number>;

beforeAll(async () => {
  opened = new AsyncDisposableStack();
  authority = await ownAuthority(folder, "company");
  if (authority === null) return;
  authorities = await readFile(authority.rootFile, "utf8");
  certificate = await authority.sign(host);
  server = opened.use(await serve((response) => json(response, { data: balance })));
  const port = Number(new URL(server.origin).port);
  const front = opened.use(await openTlsFront(certificate, port));
  routes = { [`${host}:443`]: front.port, [`${host}:80`]: port };
});

afterAll(() => opened.disposeAsync());

async function signed(name: string): Promise<{ key: string; certificate: string }> {
  return authority?.sign(name) ?? expect.fail("openssl is missing");
}

const balance = { creditTotal: 10, creditRemaining: 5, creditResetPeriod: 24, creditResetTime: 60 };

async function answers(baseUrl: string, network: Network): Promise<number> {
  await using client = openClient(baseUrl, { network });
  return (await client.send(remainingCredits, {})).status;
}

async function failureOf(baseUrl: string, network: Network): Promise<unknown> {
  return answers(baseUrl, network).then(
    () => expect.fail("there is no answer"),
    (error: unknown) => error,
  );
}

describe("through a proxy that wants a password", () => {
  test("https addresses of API, webhook and Metabase are reached by CONNECT, under a company's own authority", async ({
    skip,
  }) => {
    skip(authority === null, "openssl is missing");
    await using proxy = await openForwardProxy({ routes, ...login });
    const network = { httpsProxy: proxy.url, authorities };
    expect(await answers(`https://${host}`, network)).toBe(200);
    await createWebhook({ url: `https://${host}/services/T0?k=v`, format: "json", network })(testMessage(0));
    await using metabase = createMetabaseClient(`https://${host}`, [], network);
    expect(await metabase.request({ method: "GET", path: "/api/health", what: "look" })).toEqual({ data: balance });
    expect(proxy.passed).toEqual(Array(3).fill(`CONNECT ${host}:443`));
    expect(server.received.slice(-3).map(({ method, url }) => `${method} ${url.split("token")[0]}`)).toEqual([
      "GET /api-key?",
      "POST /services/T0?k=v",
      "GET /api/health",
    ]);
    for (const secret of [token, encodeURIComponent(token), "/api-key", "/services"])
      expect(proxy.read()).not.toContain(secret);
    expect(JSON.stringify(server.received.map(({ headers }) => headers))).not.toContain("proxy-authorization");
  });

  test("http addresses are forwarded", async ({ skip }) => {
    skip(authority === null, "openssl is missing");
    await using proxy = await openForwardProxy({ routes, ...login });
    const network = { httpProxy: proxy.url };
    expect(await answers(`http://${host}`, network)).toBe(200);
    await createWebhook({ url: `http://${host}/services/T0`, format: "json", network })(testMessage(0));
    await using metabase = createMetabaseClient(`http://${host}`, [], network);
    expect(await metabase.request({ method: "GET", path: "/api/health", what: "look" })).toEqual({ data: balance });
    expect(proxy.passed).toEqual([
      `GET http://${host}/api-key`,
      `POST http://${host}/services/T0`,
      `GET http://${host}/api/health`,
    ]);
  });

  test("a proxy that itself speaks TLS is trusted by the same authority", async ({ skip }) => {
    skip(authority === null, "openssl is missing");
    await using proxy = await openForwardProxy({ routes, tls: await signed("localhost"), ...login });
    expect(await answers(`https://${host}`, { httpsProxy: proxy.url, authorities })).toBe(200);
  });

  test("hosts in NO_PROXY, and this machine, are reached without it", async ({ skip }) => {
    skip(authority === null, "openssl is missing");
    await using proxy = await openForwardProxy({ routes });
    const both = { httpProxy: proxy.url, httpsProxy: proxy.url };
    expect(await answers(server.origin, both)).toBe(200);
    expect(await answers(server.origin.replace("127.0.0.1", "localhost"), both)).toBe(200);
    for (const noProxy of [host, ".invalid", `other.example, ${host}:80`, "*"])
      expect(await failureOf(`http://${host}`, { ...both, noProxy })).toMatchObject({ code: "no_connection" });
    expect(proxy.passed).toEqual([]);
    expect(await answers(`http://${host}`, { ...both, noProxy: `other.${host},${host}:81` })).toBe(200);
    expect(proxy.passed).toHaveLength(1);
  });
});

test("ClickHouse is trusted under a company's own authority and under those that Node knows", async ({ skip }) => {
  skip(authority === null, "openssl is missing");
  const known = (await ownAuthority(folder, "known")) as Authority;
  const before = getCACertificates("default");
  setDefaultCACertificates([await readFile(known.rootFile, "utf8")]);
  try {
    for (const shown of [await signed("localhost"), await known.sign("localhost")]) {
      await using front = await openTlsFront(shown, Number(new URL(server.origin).port));
      const environment = {
        CLICKHOUSE_URL: `https://localhost:${front.port}`,
        NODE_EXTRA_CA_CERTS: authority?.rootFile,
      };
      await using clickHouse = openClickHouse({ environment: readEnvironment(environment) });
      await expect(clickHouse.run("select 1")).resolves.toBeUndefined();
    }
  } finally {
    setDefaultCACertificates(before);
  }
});

describe("what is in the way is named, and neither address nor password is", () => {
  const shown = (error: unknown) => inspect(error, { depth: Infinity, showHidden: true, getters: true });

  test.for([
    ["https", "a wrong password", { password: "another" }, "the proxy answered 407"],
    ["http", "a wrong password", { password: "another" }, "the proxy answered 407"],
    ["https", "a host that it does not know", { routes: {} }, "the proxy answered 502"],
  ] as const)("%s: %s", async ([scheme, , change, cause], { skip }) => {
    skip(authority === null, "openssl is missing");
    await using proxy = await openForwardProxy({ routes, ...login, ...change });
    const url = new URL(proxy.url);
    url.password = encodeURIComponent(login.password);
    const network = { httpProxy: url.href, httpsProxy: url.href, authorities };
    const error = await failureOf(`${scheme}://${host}`, network);
    expect(error).toMatchObject({ name: "RetryError", code: "no_connection", context: { cause } });
    expect(error instanceof StorehouseError && error.message).toContain(`${scheme.toUpperCase()}_PROXY, which`);
    for (const secret of [login.password, encodeURIComponent(login.password), "http://", host])
      expect(shown(error)).not.toContain(secret);
    const webhook = createWebhook({ url: `${scheme}://${host}/x`, format: "json", network });
    await expect(webhook(testMessage(0))).rejects.toMatchObject({ code: "webhook_failed", context: { cause } });
    await using metabase = createMetabaseClient(`${scheme}://${host}`, [], network);
    await expect(metabase.request({ method: "GET", path: "/", what: "look" })).rejects.toMatchObject({
      code: "metabase_unreachable",
      context: { cause },
    });
  });

  test("a certificate of an authority that is not known", async ({ skip }) => {
    skip(authority === null, "openssl is missing");
    await using proxy = await openForwardProxy({ routes });
    const error = await failureOf(`https://${host}`, { httpsProxy: proxy.url });
    expect(error).toMatchObject({ code: "no_connection", message: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
  });

  test("a proxy that is gone", async () => {
    const gone = await openForwardProxy({ routes: {} });
    await gone[Symbol.asyncDispose]();
    const error = await failureOf(`https://${host}`, { httpsProxy: gone.url });
    expect(error).toMatchObject({ code: "no_connection", context: { cause: "ECONNREFUSED" } });
    expect(error).toMatchObject({ message: expect.stringContaining("HTTPS_PROXY, which") });
    const instead = await failureOf(`https://${host}`, { httpProxy: gone.url });
    expect(instead).toMatchObject({ message: expect.stringContaining("HTTP_PROXY, which") });
  });

  test("no proxy, where none is used for the address", async ({ skip }) => {
    skip(authority === null, "openssl is missing");
    await using proxy = await openForwardProxy({ routes });
    await using front = await openTlsFront(certificate, Number(new URL(server.origin).port));
    const both = { httpProxy: proxy.url, httpsProxy: proxy.url };
    for (const [address, network] of [
      [`https://${host}`, {}],
      [`https://${host}`, { ...both, noProxy: host }],
      [`http://${host}`, { ...both, noProxy: ".invalid" }],
      [`http://${host}`, { httpsProxy: proxy.url }],
      ["http://127.0.0.1:1", both],
      [`https://localhost:${front.port}`, both],
    ] as const) {
      const error = await failureOf(address, network);
      expect(error).toMatchObject({ code: "no_connection", message: expect.not.stringContaining("_PROXY") });
    }
    expect(proxy.passed).toEqual([]);
  });
});

describe("the variables", () => {
  const read = (variables: Record<string, string>) => networkOf(readEnvironment(variables));

  test("count in both cases, the lower one first, and without http://", () => {
    expect(
      read({ HTTPS_PROXY: "http://a:1", https_proxy: "b:2", http_proxy: "https://me:x@c", no_proxy: "d,e" }),
    ).toEqual({
      httpsProxy: "http://b:2",
      httpProxy: "https://me:x@c",
      noProxy: "d,e",
    });
  });

  test.each([
    [{ HTTPS_PROXY: "socks5://me:x1y2@h:1" }, "HTTPS_PROXY is not an http or https address of a proxy"],
    [{ http_proxy: "http://x1y2 x1y2" }, "HTTP_PROXY is not an http or https address of a proxy"],
    [{ NODE_EXTRA_CA_CERTS: "/nowhere.pem" }, "NODE_EXTRA_CA_CERTS names a file that does not exist"],
    [{ NODE_EXTRA_CA_CERTS: import.meta.filename }, "NODE_EXTRA_CA_CERTS contains no certificate"],
  ])("are refused by name: %j", (variables, problem) => {
    expect(() => read(variables as Record<string, string>)).toThrow(problem);
    expect(() => read(variables as Record<string, string>)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("x1y2") as string }),
    );
  });
});

test("a request ends when it is cut while its connection is still made", async () => {
  const cut = createCut();
  // it takes the connection and says nothing of TLS
  const silent = createServer(() => cut.end(new Error("cut"))).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const origin = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const agent = createHttpAgent({}, { connectMs: 3_600_000, answerMs: 3_600_000 });
  const sent = agent.exchange({ origin, path: "/", method: "GET" }, { onPart: () => undefined, cut });
  await expect(sent).rejects.toThrow("cut");
  await agent.destroy();
  silent.close();
});
