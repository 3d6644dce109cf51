import type { FastifyInstance } from "fastify";
import { fail } from "../core/errors.ts";
import type { ConsoleParts } from "./console-parts.ts";

/** Serves the stream of changes. */
export function addLive(server: FastifyInstance, { access, pulse }: ConsoleParts): void {
  server.get("/live", (request, reply) => {
    if (access.visitorOf(request) === null) throw fail("console_signed_out");
    if (pulse.isFull()) throw fail("console_too_often");
    reply.hijack();
    const headers = { ...reply.getHeaders(), "content-type": "text/event-stream", "cache-control": "no-store" };
    reply.raw.writeHead(200, headers as Record<string, string>);
    reply.raw.write("retry: 5000\n\n");
    if (!pulse.add(reply.raw)) reply.raw.end();
  });
}
