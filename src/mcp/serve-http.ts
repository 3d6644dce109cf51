import type { AddressInfo } from "node:net";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { fail, causeCode } from "../core/errors.ts";
import type { ServerParts } from "./parts.ts";
import { createMcpServer } from "./server.ts";

/** The running server and its address. Disposing closes open connections. */
export type HttpServer = AsyncDisposable & { readonly url: string };

/** Only this machine: there is no login. */
const host = "127.0.0.1";
const path = "/mcp";
const bodyLimit = 1_048_576;

/**
 * Serves clients over streamable HTTP on loopback, each request separately: nothing about a client is kept between two requests. Throws
 * `port_taken`.
 */
export async function serveHttp(parts: ServerParts, port: number): Promise<HttpServer> {
  const server = fastify({ logger: false, forceCloseConnections: true, bodyLimit });
  server.addHook("onRequest", (request, reply, done) => {
    // a page in a browser may reach loopback, under its own name or one that resolves to it
    if (isHere(request)) done();
    else reply.code(403).send(refusal("only clients on this machine are served"));
  });
  server.post(path, (request, reply) => answer(parts, request, reply));
  server.route({
    method: ["GET", "DELETE", "PUT", "PATCH"],
    url: path,
    handler: (_, reply) => reply.code(405).header("allow", "POST").send(refusal("send POST requests")),
  });
  server.setNotFoundHandler((_, reply) => reply.code(404).send(refusal(`the server is at ${path}`)));
  try {
    await server.listen({ host, port });
  } catch (cause) {
    await server.close();
    throw causeCode(cause) === "EADDRINUSE" ? fail("port_taken", { port }, cause) : cause;
  }
  const { port: got } = server.server.address() as AddressInfo;
  return { url: `http://${host}:${got}${path}`, [Symbol.asyncDispose]: () => server.close() };
}

async function answer(parts: ServerParts, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const server = createMcpServer(parts);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  // a client that is gone waits for no answer, and closing ends its statement
  const gone = new Promise<null>((resolve) => reply.raw.once("close", () => resolve(null)));
  try {
    const forwarded = new Request(`http://${host}${path}`, { method: "POST", headers: headersOf(request) });
    const answered = await Promise.race([transport.handleRequest(forwarded, { parsedBody: request.body }), gone]);
    if (answered === null) return await reply;
    return await reply
      .code(answered.status)
      .headers(Object.fromEntries(answered.headers))
      .send(await answered.text());
  } finally {
    await server.close();
  }
}

function headersOf({ headers }: FastifyRequest): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(", ")] as [string, string]],
  );
}

const here = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

function isHere({ headers }: FastifyRequest): boolean {
  const origin = headers.origin === undefined ? null : (URL.parse(headers.origin)?.host ?? "");
  return here.test(headers.host ?? "") && (origin === null || here.test(origin));
}

function refusal(message: string) {
  return { jsonrpc: "2.0", error: { code: -32000, message }, id: null };
}
