import { text as textOf } from "node:stream/consumers";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { remainingCredits } from "../../src/api/operations/account.ts";
import { addKeywords, deleteKeywords } from "../../src/api/operations/dashboard-keyword.ts";
import { iosKeywordMetadata } from "../../src/api/operations/keyword.ts";
import { appMatch } from "../../src/api/operations/market.ts";
import type { Clock } from "../../src/core/clock.ts";
import { json, openClient, queryOf, segmentsOf, serve, token } from "../support/api-server.ts";

const yoga = { countryCode: "US", keyword: "yoga" };

test("an answer is its status, its bytes and what its headers say of the credits", async () => {
  const clock: Clock = { now: () => 4500, today: () => expect.fail(), sleep: () => expect.fail() };
  await using server = await serve((response) =>
    json(response, { keyword: "yoga" }, { "X-Credit-Cost": "5", "X-Credit-Remaining": "95", "X-Credit-Reset": "60" }),
  );
  await using client = openClient(server.origin, { clock });
  expect(await client.send(iosKeywordMetadata, yoga)).toEqual({
    status: 200,
    answer: Buffer.from('{"keyword":"yoga"}'),
    problem: null,
    byteCount: 18,
    mayMeanExhausted: false,
    credits: { charged: 5, price: 5, remaining: 95, resetsAt: 64_500, tooFast: false, notBefore: null },
    receivedAt: 4500,
    durationMs: expect.any(Number) as number,
    serverTime: expect.any(Number) as number,
  });
});

test("what a call took is never less than nothing, also where the clock of the machine is set back meanwhile", async () => {
  let now = 7_200_000;
  const clock: Clock = { now: () => now, today: () => expect.fail(), sleep: () => expect.fail() };
  const took: number[] = [];
  await using server = await serve((response) => {
    now = 1000;
    json(response);
  });
  await using client = openClient(server.origin, { clock, onRequest: ({ durationMs }) => took.push(durationMs) });
  const { durationMs } = await client.send(iosKeywordMetadata, yoga);
  expect(took).toEqual([durationMs]);
  expect(durationMs).toBeGreaterThanOrEqual(0);
});

test("the token travels once, as a query parameter, and in no header", async () => {
  await using server = await serve((response) => json(response));
  await using client = openClient(server.origin);
  await client.send(iosKeywordMetadata, yoga);
  await client.send(remainingCredits, {});
  expect(server.received.map(({ url }) => queryOf(url))).toEqual([
    { keyword: ["yoga"], token: [token] },
    { token: [token] },
  ]);
  expect(JSON.stringify(server.received.map(({ headers }) => headers))).not.toContain("T0k");
});

test("a body travels as JSON and says so, also with DELETE; a call without one names no type", async () => {
  const bodies: Promise<string>[] = [];
  await using server = await serve((response, request) => {
    bodies.push(textOf(request));
    json(response, {});
  });
  await using client = openClient(server.origin);
  const tracked = { trackId: "1459023318", countryCode: "US", body: ["yoga", "タスク, a"] };
  await client.send(addKeywords, tracked);
  await client.send(deleteKeywords, tracked);
  await client.send(iosKeywordMetadata, yoga);
  expect(server.received.map(({ method, headers }) => [method, headers["content-type"]])).toEqual([
    ["POST", "application/json"],
    ["DELETE", "application/json"],
    ["GET", undefined],
  ]);
  expect(await Promise.all(bodies)).toEqual(['["yoga","タスク, a"]', '["yoga","タスク, a"]', ""]);
});

test.each([
  ["", []],
  ["/", []],
  ["/v1/market", ["v1", "market"]],
  ["/v1/market//", ["v1", "market"]],
  ["/pre%20fix/", ["pre fix"]],
])("a base URL that ends in %j puts that before every path", async (end, prefix) => {
  await using server = await serve((response) => json(response));
  await using client = openClient(`${server.origin}${end}`);
  await client.send(remainingCredits, {});
  expect(segmentsOf(server.received[0]?.url ?? "")).toEqual([...prefix, "api-key"]);
});

test.each([400, 401, 402, 403, 404, 429, 500, 503])("a %i is a reply, its body unread", async (status) => {
  await using server = await serve((response) => response.writeHead(status).end("<html>"));
  await using client = openClient(server.origin);
  expect(await client.send(remainingCredits, {})).toMatchObject({ status, byteCount: 6, answer: null });
});

test("each request names the program, in front of services that refuse one without a name", async () => {
  await using server = await serve((response, { headers }) => {
    response.writeHead(headers["user-agent"] === undefined ? 403 : 200, { "content-type": "application/json" });
    response.end("{}");
  });
  await using client = openClient(server.origin);
  expect(await client.send(remainingCredits, {})).toMatchObject({ status: 200, problem: null });
});

test("a service that has an answer as text alone may send it, and one that has both sends JSON", async () => {
  await using server = await serve((response, { headers }) => {
    const [first, ...others] = (headers.accept ?? "").split(/\s*,\s*/);
    expect(first).toBe("application/json");
    if (others.some((type) => /^text\/plain\b/.test(type)))
      response.writeHead(200, { "content-type": "text/plain" }).end("app.lumi.habit");
    else response.writeHead(406).end();
  });
  await using client = openClient(server.origin);
  const { answer } = await client.send(appMatch, { store: "ios", trackId: "6446318020" });
  expect(answer?.toString()).toBe("app.lumi.habit");
});

test("an empty reply that says how it is packed is empty", async () => {
  await using server = await serve((response) => response.writeHead(204, { "content-encoding": "gzip" }).end());
  await using client = openClient(server.origin);
  expect(await client.send(iosKeywordMetadata, yoga)).toMatchObject({ status: 204, problem: { code: "no_content" } });
});

test("a 401 without body and content type is a reply that charged nothing, although it names a cost", async () => {
  await using server = await serve((response) => response.writeHead(401, { "X-Credit-Cost": "5" }).end());
  await using client = openClient(server.origin);
  expect(await client.send(iosKeywordMetadata, yoga)).toMatchObject({
    status: 401,
    byteCount: 0,
    problem: { code: "unauthorised" },
    credits: { charged: null, price: null, remaining: null, resetsAt: null },
  });
});

describe("the size limit", () => {
  test.each([
    ["gzip", gzipSync],
    ["GZIP", gzipSync],
    ["br", brotliCompressSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["zstd", zstdCompressSync],
    ["gzip, GZIP", (text: string) => gzipSync(gzipSync(text))],
    ["deflate, identity, br", (text: string) => brotliCompressSync(deflateSync(text))],
  ])("an answer packed as %s is unpacked", async (encoding, pack) => {
    await using server = await serve((response, request) => {
      expect(request.headers["accept-encoding"]).toBe("gzip");
      response.writeHead(200, { "content-encoding": encoding }).end(pack('["タスク"]'));
    });
    await using client = openClient(server.origin);
    expect(String((await client.send(remainingCredits, {})).answer)).toBe('["タスク"]');
  });

  test("an answer of exactly the limit is taken, packed or not", async () => {
    const body = Buffer.alloc(1000, "x");
    await using server = await serve((response, _, count) =>
      count === 0
        ? response.writeHead(200).end(body)
        : response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(body)),
    );
    await using client = openClient(server.origin, { largestAnswer: 1000 });
    expect((await client.send(remainingCredits, {})).answer).toHaveLength(1000);
    expect((await client.send(remainingCredits, {})).answer).toHaveLength(1000);
  });

  test("an answer above the limit is given up as soon as it is too large", async () => {
    await using server = await serve((response) => {
      response.writeHead(200);
      const more = () => {
        while (response.write(Buffer.alloc(10_000, "x")));
      };
      response.on("drain", more);
      more();
    });
    await using client = openClient(server.origin, { largestAnswer: 100_000 });
    const problem = { code: "answer_too_large", context: { limit: 100_000 } };
    expect(await client.send(remainingCredits, {})).toMatchObject({ status: 200, problem });
  });

  test("a small answer that unpacks to a huge one is refused", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    await using server = await serve((response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    await using client = openClient(server.origin, { largestAnswer: 1_000_000 });
    expect(await client.send(remainingCredits, {})).toMatchObject({ problem: { code: "answer_too_large" } });
  });
});

test("a body that echoes the token comes without it", async () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0xe9]);
  await using server = await serve((response, request) => {
    const text = JSON.stringify({ path: request.url, token, more: "タスク" });
    response.writeHead(200).end(Buffer.concat([Buffer.from(text), bytes]));
  });
  await using client = openClient(server.origin);
  const clean = '{"path":"/api-key?token=[hidden]","token":"[hidden]","more":"タスク"}';
  expect((await client.send(remainingCredits, {})).answer).toEqual(Buffer.concat([Buffer.from(clean), bytes]));
});

test("calls that do not fit are not sent", async () => {
  await using server = await serve((response) => json(response));
  await using client = openClient(server.origin);
  await expect(client.send(iosKeywordMetadata, { countryCode: "US" })).rejects.toMatchObject({ code: "bad_request" });
  expect(server.received).toEqual([]);
});

test("connections stay open for the next call and are closed with the client", async () => {
  await using server = await serve((response) => json(response));
  const client = openClient(server.origin);
  await client.send(remainingCredits, {});
  expect(server.sockets.size).toBe(1);
  await client[Symbol.asyncDispose]();
  await expect.poll(() => server.sockets.size).toBe(0);
});
