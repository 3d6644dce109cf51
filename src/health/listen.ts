import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { causeCode, fail } from "../core/errors.ts";

/** A server that listens, and its port. Disposing closes open connections. */
export type ListeningServer = AsyncDisposable & { readonly port: number };

/** Several processes of one machine use consecutive ports. */
const mostPorts = 10;

/** Where a server listens. */
type Listening = {
  readonly host: string;
  /** 0 means any free one. */
  readonly port: number;
  /** Makes the server for a port. */
  readonly open: (port: number) => FastifyInstance | Promise<FastifyInstance>;
  /** The error for a host or port that cannot be used at all. */
  readonly code: "console_not_listening" | "gateway_not_listening" | "health_not_listening";
};

/** Opens a server as `listenOnFree` does; throws the error with `code` also if all ports are in use. */
export async function listenOrFail(listening: Listening): Promise<ListeningServer> {
  const { host, port, code } = listening;
  const got = await listenOnFree(listening);
  if (got === null) throw fail(code, { host, port, cause: "it and the next ports are in use" });
  return got;
}

/**
 * Opens a server on the port, or on the next free one of ten if it is taken; null if all are. Throws the error with `code` if the host or
 * port cannot be used at all, with the operating system's reason.
 */
export async function listenOnFree({ host, port, open, code }: Listening): Promise<ListeningServer | null> {
  const ports =
    port === 0 ? [0] : Array.from({ length: mostPorts }, (_, index) => port + index).filter((one) => one < 65_536);
  for (const one of ports) {
    const server = await open(one);
    try {
      await server.listen({ host, port: one });
    } catch (cause) {
      await server.close();
      const reason = causeCode(cause);
      if (reason === "EADDRINUSE") continue;
      throw fail(code, { host, port: one, cause: reason }, cause);
    }
    const { port: got } = server.server.address() as AddressInfo;
    return { port: got, [Symbol.asyncDispose]: () => server.close() };
  }
  return null;
}
