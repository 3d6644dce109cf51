import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { causeCode } from "../core/errors.ts";

/** A server that listens, and its port. Disposing closes open connections. */
export type ListeningServer = AsyncDisposable & { readonly port: number };

/** Several processes of one machine use consecutive ports. */
const mostPorts = 10;

/**
 * Opens a server on the port, or on the next free one of ten if it is taken; null if all are. Port 0 means any free one. If the host or
 * port cannot be used at all, throws the error that `failed` makes from the code of the operating system.
 */
export async function listenOnFree({
  host,
  port,
  open,
  failed,
}: {
  readonly host: string;
  readonly port: number;
  /** Makes the server for a port. */
  readonly open: (port: number) => FastifyInstance | Promise<FastifyInstance>;
  readonly failed: (port: number, code: string, cause: unknown) => Error;
}): Promise<ListeningServer | null> {
  const ports =
    port === 0 ? [0] : Array.from({ length: mostPorts }, (_, index) => port + index).filter((one) => one < 65_536);
  for (const one of ports) {
    const server = await open(one);
    try {
      await server.listen({ host, port: one });
    } catch (cause) {
      await server.close();
      const code = causeCode(cause);
      if (code === "EADDRINUSE") continue;
      throw failed(one, code, cause);
    }
    const { port: got } = server.server.address() as AddressInfo;
    return { port: got, [Symbol.asyncDispose]: () => server.close() };
  }
  return null;
}
