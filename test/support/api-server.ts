import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createClient, type Client, type ClientOptions } from "../../src/api/client.ts";
import { systemClock } from "../../src/core/clock.ts";

/** A request as it came over the wire: `url` is raw. */
type Received = { readonly method: string; readonly url: string; readonly headers: IncomingHttpHeaders };

/** A plain HTTP server on loopback that knows nothing of the API. */
export type TestServer = AsyncDisposable & {
  readonly origin: string;
  readonly received: readonly Received[];
  /** The connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
};

/** Serves every request with `answer`; `count` is the number of requests before it. */
export async function serve(
  answer: (response: ServerResponse, request: IncomingMessage, count: number) => void,
): Promise<TestServer> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    received.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers });
    answer(response, request, received.length - 1);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    sockets,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** An answer with a JSON body. */
export function json(response: ServerResponse, value: unknown = [], headers: Record<string, string> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

export const token = "T0k+en/with=odd&signs";

/** A client with patience and limits that no test runs into unless it says so. */
export function openClient(baseUrl: string, options: Partial<ClientOptions> = {}): Client {
  return createClient({
    baseUrl,
    token,
    storeWords: { ios: "iosstore", android: "androidstore" },
    timeoutMs: 30_000,
    largestAnswer: 2 ** 20,
    clock: systemClock(),
    ...options,
  });
}

/** The segments of a raw URL's path, decoded each on its own, as any router does. */
export function segmentsOf(url: string): string[] {
  const [path = ""] = url.split("?");
  return path.split("/").slice(1).map(decodeURIComponent);
}

/** The query of a raw URL: values by name, in the order in which they came. */
export function queryOf(url: string): Record<string, string[]> {
  const pairs = url
    .split("?")
    .slice(1)
    .join("?")
    .split("&")
    .filter((pair) => pair !== "");
  const named = pairs.map((pair) => pair.split("=").map(decodeURIComponent));
  const grouped = Map.groupBy(named, ([name = ""]) => name);
  return Object.fromEntries([...grouped].map(([name, entries]) => [name, entries.map(([, value = ""]) => value)]));
}
