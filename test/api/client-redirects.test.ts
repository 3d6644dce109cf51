import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineOperation } from "../../src/api/define-operation.ts";
import { remainingCredits } from "../../src/api/operations/account.ts";
import { iosKeywordHistory, iosKeywordRanking } from "../../src/api/operations/keyword.ts";
import { json, openClient, queryOf, segmentsOf, serve, token, type TestServer } from "../support/api-server.ts";

const who = { trackId: "6446318020", countryCode: "US" };

/** A server that sends its first requests on to these places, one after the other, and answers the rest. */
function redirecting(...locations: readonly string[]): Promise<TestServer> {
  return serve((response, _, count) => {
    const location = locations[count];
    if (location === undefined) json(response);
    else response.writeHead(302, { location }).end();
  });
}

test.each([
  ["a path", "/v2/api-key"],
  ["a path that repeats the token", `/v2/api-key?token=${encodeURIComponent(token)}`],
  ["a relative path", "v2/api-key?token"],
])("%s within the origin is accepted, with the token once", async (_, location) => {
  await using server = await redirecting(location);
  await using client = openClient(server.origin);
  expect((await client.send(remainingCredits, {})).status).toBe(200);
  expect(server.received.map(({ url }) => [segmentsOf(url), queryOf(url)])).toEqual([
    [["api-key"], { token: [token] }],
    [["v2", "api-key"], { token: [token] }],
  ]);
});

test.each([200, 201, 400])("a place that a %i names is no redirect", async (status) => {
  await using server = await serve((response) => response.writeHead(status, { location: "/v2/api-key" }).end("[]"));
  await using client = openClient(server.origin);
  expect([(await client.send(remainingCredits, {})).status, server.received.length]).toEqual([status, 1]);
});

test("a whole address within the origin is accepted, its query kept as it is spelled", async () => {
  const path = "/v2/keywordrankings?token=old&keywords=a%2Fb,c%20d&flag&date=2026-08-10";
  await using server = await serve((response, request, count) =>
    count > 0
      ? json(response)
      : response.writeHead(307, { location: `http://${request.headers.host}${path}#top` }).end(),
  );
  await using client = openClient(server.origin);
  await client.send(iosKeywordRanking, { ...who, keywords: ["a/b", "c d"] });
  expect(server.received[1]?.url).toBe(
    `/v2/keywordrankings?keywords=a%2Fb,c%20d&flag&date=2026-08-10&token=${encodeURIComponent(token)}`,
  );
});

test("an encoded slash stays in a keyword on the way", async () => {
  await using server = await serve((response, request, count) =>
    count > 0 ? json(response) : response.writeHead(308, { location: `/v2${request.url}` }).end(),
  );
  await using client = openClient(server.origin);
  await client.send(iosKeywordHistory, { ...who, keyword: "../a", startDate: "2026-08-10", endDate: "2026-08-10" });
  expect(segmentsOf(server.received[1]?.url ?? "").slice(1, 5)).toEqual([
    "iosstore-keyword-ranking",
    "6446318020",
    "US",
    "../a",
  ]);
});

test("the client takes three redirects, and refuses a fourth", async () => {
  await using server = await redirecting("/1", "/2", "/3");
  await using client = openClient(server.origin);
  expect((await client.send(remainingCredits, {})).status).toBe(200);
  expect(server.received).toHaveLength(4);
  await using endless = await redirecting("/1", "/2", "/3", "/4", "/5");
  await using other = openClient(endless.origin);
  await expect(other.send(remainingCredits, {})).rejects.toMatchObject({
    code: "redirected",
    context: { status: 302 },
  });
  expect(endless.received).toHaveLength(4);
});

describe("away from the origin", () => {
  test.each([
    ["a whole address", (other: string) => `${other}/api-key`],
    ["an address without a protocol", (other: string) => `${other.slice("http:".length)}/api-key`],
    ["another name of the same host", (other: string) => `${other.replace("127.0.0.1", "localhost")}/api-key`],
  ])("%s is refused and the other end hears nothing", async (_, locationOf) => {
    await using other = await serve((response) => json(response));
    await using server = await redirecting(locationOf(other.origin));
    await using client = openClient(server.origin);
    const lost = client.send(remainingCredits, {});
    await expect(lost).rejects.toMatchObject({ name: "AbortError", code: "redirected" });
    expect(other.received).toEqual([]);
    expect(other.sockets.size).toBe(0);
  });

  test("the same host under another protocol is refused", async () => {
    await using server = await serve((response, request) =>
      response.writeHead(301, { location: `https://${request.headers.host}/api-key` }).end(),
    );
    await using client = openClient(server.origin);
    await expect(client.send(remainingCredits, {})).rejects.toMatchObject({ code: "redirected" });
    expect(server.received).toHaveLength(1);
  });

  test("an address that cannot be read is refused", async () => {
    await using server = await redirecting("http://[");
    await using client = openClient(server.origin);
    await expect(client.send(remainingCredits, {})).rejects.toMatchObject({ code: "redirected" });
  });
});

test("a call that changes something is not sent a second time", async () => {
  const post = defineOperation({ ...remainingCredits, id: "test.post", method: "POST", answer: z.unknown() });
  await using server = await redirecting("/elsewhere");
  await using client = openClient(server.origin);
  await expect(client.send(post, {})).rejects.toMatchObject({ code: "redirected" });
  expect(server.received).toHaveLength(1);
});

test("a redirect that leads nowhere is an answer", async () => {
  await using server = await serve((response) => response.writeHead(304).end());
  await using client = openClient(server.origin);
  expect((await client.send(remainingCredits, {})).status).toBe(304);
});
