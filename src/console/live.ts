import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { fail } from "../core/errors.ts";
import type { ConsoleParts } from "./console-parts.ts";
import type { RequestLimits } from "./limits.ts";
import { parsed } from "./parse-input.ts";

/** Serves the stream of changes. */
export function addLive(server: FastifyInstance, { access, streams }: ConsoleParts, limits: RequestLimits): void {
  server.get("/live", { onRequest: limits.stream }, (request, reply) => {
    if (access.visitorOf(request) === null) throw fail("console_signed_out");
    const { since } = parsed(z.object({ since: z.coerce.number().int().min(0).default(0) }), request.query);
    const countedFor = access.countedFor(request);
    if (streams.isFull(countedFor)) throw fail("console_too_often");
    reply.hijack();
    const headers = { ...reply.getHeaders(), "content-type": "text/event-stream", "cache-control": "no-store" };
    reply.raw.writeHead(200, headers as Record<string, string>);
    reply.raw.write("retry: 5000\n\n");
    const isAllowed = () => access.visitorOf(request) !== null;
    if (!streams.add(reply.raw, { since, countedFor, isAllowed })) reply.raw.end();
  });
}
