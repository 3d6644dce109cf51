import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Client } from "../../src/api/client.ts";
import { remainingCredits } from "../../src/api/operations/account.ts";
import { iosKeywordMetadata } from "../../src/api/operations/keyword.ts";
import { StorehouseError } from "../../src/core/errors.ts";
import { json, openClient, serve, token, type TestServer } from "../support/api-server.ts";

const impatient = 150;
/** Longer where headers must arrive in time, on a busy machine as well. */
const headersArrive = 2_000;

/** The error of a call whose headers did not arrive. */
function thrownBy(client: Client): Promise<unknown> {
  return client.send(remainingCredits, {}).then(
    (reply) => expect.unreachable(`it replied with ${reply.status}`),
    (error: unknown) => error,
  );
}

/** Why a reply has no answer: its headers arrived. */
async function problemOf(client: Client, signal?: AbortSignal): Promise<unknown> {
  return (await client.send(remainingCredits, {}, signal)).problem;
}

/** An address on which nobody listens. */
async function deafOrigin(): Promise<string> {
  await using server = await serve((response) => json(response));
  return server.origin;
}

/** A server that breaks the connection after it sent `text` as it is. */
function breaking(text: string): Promise<TestServer> {
  return serve((response) => {
    const { socket } = response;
    if (text === "") socket?.destroy();
    else socket?.end(text);
  });
}

describe("an answer that takes too long", () => {
  test.each<[string, Parameters<typeof serve>[0], (client: Client) => Promise<unknown>, number]>([
    ["no headers", () => undefined, thrownBy, impatient],
    [
      "no body",
      (response) => response.writeHead(200, { "content-length": "10" }).flushHeaders(),
      problemOf,
      headersArrive,
    ],
    [
      "a stalled body",
      (response) => void response.writeHead(200, { "content-length": "10" }).write("["),
      problemOf,
      headersArrive,
    ],
  ])("%s", async (_, answer, failure, timeoutMs) => {
    await using server = await serve(answer);
    await using client = openClient(server.origin, { timeoutMs });
    expect(await failure(client)).toMatchObject({
      name: "RetryError",
      code: "timeout",
      context: { operation: "account.remaining-credits" },
    });
  });

  test("a body that trickles without end", async () => {
    await using server = await serve((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
    });
    await using client = openClient(server.origin, { timeoutMs: headersArrive });
    expect(await problemOf(client)).toMatchObject({ code: "timeout" });
  });

  test("redirects that each keep within it but not together", async () => {
    await using server = await serve((response) => {
      setTimeout(() => response.writeHead(302, { location: "/again" }).end(), impatient / 2);
    });
    await using client = openClient(server.origin, { timeoutMs: impatient });
    expect(await thrownBy(client)).toMatchObject({ code: "timeout" });
  });
});

describe("a connection that is cut", () => {
  test.each<[string, string, (client: Client) => Promise<unknown>]>([
    ["before the headers", "", thrownBy],
    ["within the headers", "HTTP/1.1 200 OK\r\ncontent-le", thrownBy],
    ["within a body of known length", "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n[1,2", problemOf],
    ["within a body in chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n[1,2\r\n", problemOf],
  ])("%s", async (_, text, failure) => {
    await using server = await breaking(text);
    await using client = openClient(server.origin);
    expect(await failure(client)).toMatchObject({
      name: "RetryError",
      code: "cut_connection",
    });
  });

  test("because the other end speaks no HTTP, which its cause reports", async () => {
    await using server = await breaking("SSH-2.0-OpenSSH_9.9\r\n\r\n");
    await using client = openClient(server.origin);
    expect(await thrownBy(client)).toMatchObject({
      code: "cut_connection",
      context: { cause: "HTTPParserError" },
    });
  });

  test("a packed answer that ends early", async () => {
    const packed = gzipSync(JSON.stringify(Array.from({ length: 1000 }, (_, index) => index)));
    await using server = await serve((response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(packed.subarray(0, packed.length / 2)),
    );
    await using client = openClient(server.origin);
    expect(await problemOf(client)).toMatchObject({ code: "cut_connection" });
  });
});

describe("an answer whose body fails costs what its headers say", () => {
  const creditFields = { "x-credit-cost": "7", "x-credit-remaining": "93" };
  const head = "HTTP/1.1 200 OK\r\nx-credit-cost: 7\r\nx-credit-remaining: 93\r\n";
  const packed = gzipSync(JSON.stringify(Array.from({ length: 1000 }, (_, index) => index)));
  test.each<[string, string, (response: ServerResponse) => void]>([
    ["it ends early", "cut_connection", ({ socket }) => void socket?.end(`${head}content-length: 100\r\n\r\n[1,2`)],
    [
      "its connection is reset",
      "cut_connection",
      ({ socket }) =>
        void socket?.write(`${head}content-length: 100\r\n\r\n[1,2`, () =>
          setImmediate(() => socket.resetAndDestroy()),
        ),
    ],
    [
      "it stalls",
      "timeout",
      (response) => void response.writeHead(200, { ...creditFields, "content-length": "9" }).write("["),
    ],
    [
      "it is too large",
      "answer_too_large",
      (response) => response.writeHead(200, creditFields).end("x".repeat(20_000)),
    ],
    [
      "it cannot be unpacked",
      "cut_connection",
      (response) =>
        response.writeHead(200, { ...creditFields, "content-encoding": "gzip" }).end(packed.subarray(0, 99)),
    ],
  ])("because %s", async (_, code, answer) => {
    await using server = await serve(answer);
    await using client = openClient(server.origin, { timeoutMs: headersArrive, largestAnswer: 10_000 });
    expect(await client.send(remainingCredits, {})).toMatchObject({
      status: 200,
      answer: null,
      problem: { code },
      credits: { charged: 7, price: 7, remaining: 93 },
    });
  });
});

test("a server that answers once a connection and does not say so costs a call for each that is open, and every later one has a connection of its own", async () => {
  const used = new WeakSet<object>();
  await using server = await serve((response, { socket }) => {
    if (used.has(socket)) socket.destroy();
    else json(response);
    used.add(socket);
  });
  await using client = openClient(server.origin);
  const ends: (number | string)[] = [];
  for (let call = 0; call < 20; call += 1)
    ends.push(
      await client.send(remainingCredits, {}).then(
        ({ status, problem }) => problem?.code ?? status,
        ({ code }: StorehouseError) => code,
      ),
    );
  expect(ends).toContain("cut_connection");
  expect(new Set(ends.slice(10))).toEqual(new Set([200]));
});

describe("a refusal is known by its status", () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ["whose body is cut", (response) => void response.socket?.end("HTTP/1.1 401 No\r\ncontent-length: 100\r\n\r\nsor")],
    ["whose body stalls", (response) => response.writeHead(401, { "content-length": "10" }).flushHeaders()],
    [
      "whose body is not packed as it says",
      (response) => response.writeHead(401, { "content-encoding": "gzip" }).end("no"),
    ],
    ["whose body is too large", (response) => response.writeHead(401).end("x".repeat(2000))],
  ])("%s", async (_, answer) => {
    await using server = await serve(answer);
    await using client = openClient(server.origin, { timeoutMs: headersArrive, largestAnswer: 1000 });
    expect(await client.send(remainingCredits, {})).toMatchObject({ status: 401, problem: { code: "unauthorised" } });
  });
});

describe("no connection at all", () => {
  test("a port on which nobody listens", async () => {
    await using client = openClient(await deafOrigin());
    await expect(client.send(remainingCredits, {})).rejects.toMatchObject({
      name: "RetryError",
      code: "no_connection",
      context: { cause: "ECONNREFUSED" },
    });
  });

  test("a host name with several addresses on which nobody listens", async () => {
    const origin = await deafOrigin();
    await using client = openClient(origin.replace("127.0.0.1", "localhost"));
    await expect(client.send(remainingCredits, {})).rejects.toMatchObject({ code: "no_connection" });
  });

  test("https where plain http is spoken", async () => {
    await using server = await serve((response) => json(response));
    await using client = openClient(server.origin.replace("http:", "https:"));
    await expect(client.send(remainingCredits, {})).rejects.toMatchObject({ code: "no_connection" });
  });
});

describe("a stop", () => {
  test("under way ends the call at once and closes its connection", async () => {
    const stop = new AbortController();
    await using server = await serve(() => stop.abort());
    await using client = openClient(server.origin);
    await expect(client.send(remainingCredits, {}, stop.signal)).rejects.toMatchObject({
      name: "FencedError",
      code: "stopped",
    });
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test("while the body comes", async () => {
    const stop = new AbortController();
    // once the client has read the headers
    const onHeaders = () => void setImmediate(() => stop.abort());
    subscribe("undici:request:headers", onHeaders);
    onTestFinished(() => void unsubscribe("undici:request:headers", onHeaders));
    await using server = await serve((response) => {
      response.writeHead(200, { "content-length": "10" }).write("[");
    });
    await using client = openClient(server.origin);
    expect(await problemOf(client, stop.signal)).toMatchObject({ code: "stopped" });
  });

  test("before the call sends nothing", async () => {
    await using server = await serve((response) => json(response));
    await using client = openClient(server.origin);
    await expect(client.send(remainingCredits, {}, AbortSignal.abort())).rejects.toMatchObject({ code: "stopped" });
    expect(server.received).toEqual([]);
  });

  test("by closing the client, while a call is under way and ever after", async () => {
    const { promise: requested, resolve } = Promise.withResolvers<void>();
    await using server = await serve(() => resolve());
    const client = openClient(server.origin);
    const closed = requested.then(() => client[Symbol.asyncDispose]());
    await expect(client.send(remainingCredits, {})).rejects.toMatchObject({ code: "stopped" });
    await closed;
    await expect(client.send(remainingCredits, {})).rejects.toMatchObject({ code: "stopped" });
  });

  test("that never comes leaves nothing behind on its signal", async () => {
    const stop = new AbortController();
    await using server = await serve((response) => json(response));
    await using client = openClient(server.origin);
    let listeners = 0;
    const add = stop.signal.addEventListener.bind(stop.signal);
    const remove = stop.signal.removeEventListener.bind(stop.signal);
    stop.signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    stop.signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    for (let call = 0; call < 20; call += 1) await client.send(remainingCredits, {}, stop.signal);
    expect(listeners).toBe(0);
  });
});

test("no error shows the token or an address, however deep its causes go", async () => {
  await using stalled = await serve(() => undefined);
  await using cut = await breaking("");
  await using foreign = await breaking("SSH-2.0-OpenSSH_9.9\r\n\r\n");
  await using away = await serve((response, request) =>
    response.writeHead(302, { location: `http://elsewhere.invalid${request.url}` }).end(),
  );
  await using garbled = await serve((response, request) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(request.url),
  );
  const stop = new AbortController();
  await using stopping = await serve(() => stop.abort());
  const errorOf = async (origin: string, signal?: AbortSignal): Promise<unknown> => {
    // the others have to end by what the server does, also where the machine is slow
    await using client = openClient(origin, origin === stalled.origin ? { timeoutMs: impatient } : {});
    return await client.send(iosKeywordMetadata, { countryCode: "US", keyword: "yoga" }, signal).then(
      ({ problem }) => problem,
      (error: unknown) => error,
    );
  };
  const origins = [stalled, cut, foreign, away, garbled].map(({ origin }) => origin);
  const errors = await Promise.all([
    ...[...origins, await deafOrigin()].map((origin) => errorOf(origin)),
    errorOf(stopping.origin, stop.signal),
  ]);
  expect(errors.map((error) => error instanceof StorehouseError && error.code)).toEqual([
    "timeout",
    "cut_connection",
    "cut_connection",
    "redirected",
    "cut_connection",
    "no_connection",
    "stopped",
  ]);
  const shown = errors.map((error) => inspect(error, { depth: Infinity, showHidden: true, getters: true })).join("\n");
  for (const secret of [token, encodeURIComponent(token), "T0k", "token=", "yoga", "http://"])
    expect(shown).not.toContain(secret);
});
