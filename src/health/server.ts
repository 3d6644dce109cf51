import fastify, { type FastifyInstance } from "fastify";
import { listenOnFree, type ListeningServer } from "./listen.ts";
import type { Metrics } from "./metrics.ts";
import type { Readiness } from "./readiness.ts";

/** What the health server serves, and where. */
export type HealthParts = {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly ready: () => Promise<Readiness>;
  readonly scrape: Metrics["scrape"];
};

/** Requests are short; a client that takes longer to send one is disconnected. */
const requestTimeoutMs = 5_000;

/**
 * Answers `/healthz`, `/readyz` and `/metrics` on the port, or on the next free one of ten if it is taken; null if all are. Throws
 * `health_not_listening` if the host or port cannot be used at all.
 */
export function startHealth(parts: HealthParts): Promise<ListeningServer | null> {
  const { host, port } = parts;
  return listenOnFree({ host, port, open: () => serverOf(parts), code: "health_not_listening" });
}

const badRequest = { problem: "bad request", next: "request /healthz, /readyz or /metrics by GET, without a body" };

function serverOf({ ready, scrape }: HealthParts): FastifyInstance {
  const server = fastify({
    logger: false,
    // a scraper keeps its connection open, and a stop must not wait for it
    forceCloseConnections: true,
    requestTimeout: requestTimeoutMs,
    bodyLimit: 1_024,
  });
  server.get("/healthz", () => ({ alive: true }));
  server.get("/readyz", async (_, reply) => {
    const readiness = await ready();
    return reply
      .code(readiness.ready ? 200 : 503)
      .header("cache-control", "no-store")
      .send(readiness);
  });
  server.get("/metrics", async (_, reply) => {
    const { contentType, text } = await scrape();
    return reply.header("content-type", contentType).header("cache-control", "no-store").send(text);
  });
  server.setNotFoundHandler((_, reply) =>
    reply.code(404).send({ problem: "not found", next: "request /healthz, /readyz or /metrics" }),
  );
  server.setErrorHandler((error, _, reply) => {
    const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
    if (status < 500) return reply.code(status).send(badRequest);
    return reply.code(500).send({ problem: "internal error", next: "see the worker's log" });
  });
  return server;
}
