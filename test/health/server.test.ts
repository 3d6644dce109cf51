import { afterAll, beforeAll, expect, test } from "vitest";
import type { ListeningServer } from "../../src/health/listen.ts";
import { startHealth } from "../../src/health/server.ts";

let server: ListeningServer | null;

beforeAll(async () => {
  const ready = async () => ({ ready: true }) as never;
  server = await startHealth({
    host: "127.0.0.1",
    port: 0,
    ready,
    scrape: async () => ({ contentType: "text/plain", text: "" }),
  });
});

afterAll(() => server?.[Symbol.asyncDispose]());

const badRequest = { problem: "bad request", next: "request /healthz, /readyz or /metrics by GET, without a body" };
const notFound = { problem: "not found", next: "request /healthz, /readyz or /metrics" };

test.each([
  ["/healthz", "application/json", 413, badRequest],
  ["/metrics", "text/plain", 413, badRequest],
  ["/metrics", "application/octet-stream", 404, notFound],
  ["/nowhere", "application/json", 413, badRequest],
])("a body of 3 MB to %s (%s) is refused with %i, and the server goes on", async (path, type, status, refusal) => {
  const address = `http://127.0.0.1:${server?.port}`;
  const body = Buffer.alloc(3 * 2 ** 20, "a");
  const answer = await fetch(address + path, { method: "POST", body, headers: { "content-type": type } });
  expect({ status: answer.status, body: await answer.json() }).toEqual({ status, body: refusal });
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
});

test("a body that is no JSON is refused with 400", async () => {
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${server?.port}/healthz`, { method: "POST", body: "{", headers });
  expect(answer.status).toBe(400);
});
