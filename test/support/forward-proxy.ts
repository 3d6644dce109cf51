import { createServer, request, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type AddressInfo, type Socket } from "node:net";
import { createServer as createTlsFront } from "node:tls";

/** A proxy on loopback that knows hosts which nobody else can resolve. */
export type ForwardProxy = AsyncDisposable & {
  /** Its address, with user and password where it wants some. */
  readonly url: string;
  /** Each request that it let through, as its first line has it, without the version. */
  readonly passed: readonly string[];
  /** Everything that was readable to it. */
  readonly read: () => string;
};

type ProxyOptions = {
  /** Local ports by `host:port`. */
  readonly routes: Readonly<Record<string, number>>;
  readonly user?: string;
  readonly password?: string;
  /** Speak TLS with the proxy itself. */
  readonly tls?: { readonly key: string; readonly certificate: string };
};

/** Starts a proxy that tunnels (CONNECT) and forwards requests; 407 without the right credentials, 502 for a host that it does not know. */
export async function openForwardProxy({ routes, user, password, tls }: ProxyOptions): Promise<ForwardProxy> {
  const passed: string[] = [];
  const readable: string[] = [];
  const sockets = new Set<Socket>();
  const wanted = user === undefined ? null : `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const refusal = (incoming: IncomingMessage, host: string): number | null => {
    readable.push(`${incoming.method} ${incoming.url} ${JSON.stringify(incoming.headers)}`);
    if (wanted !== null && incoming.headers["proxy-authorization"] !== wanted) return 407;
    return routes[host] === undefined ? 502 : null;
  };
  const server = tls === undefined ? createServer() : createTlsServer({ key: tls.key, cert: tls.certificate });
  server.on("request", (incoming, outgoing) => {
    const { host, port, pathname, search } = new URL(incoming.url ?? "");
    const to = port === "" ? `${host}:80` : host;
    const status = refusal(incoming, to);
    if (status !== null) {
      outgoing.writeHead(status).end();
      return;
    }
    passed.push(`${incoming.method} ${incoming.url?.split("?")[0]}`);
    const { method, headers } = incoming;
    const onward = request({ host: "127.0.0.1", port: routes[to], method, headers, path: pathname + search });
    onward.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  server.on("connect", (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    const status = refusal(incoming, incoming.url ?? "");
    if (status !== null) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    passed.push(`CONNECT ${incoming.url}`);
    const onward = connect(routes[incoming.url ?? ""] ?? 0, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.write(head);
      socket.on("data", (part) => readable.push(part.toString("latin1"))).pipe(onward);
      onward.pipe(socket);
    });
    for (const [one, other] of [[socket, onward] as const, [onward, socket] as const])
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = tls === undefined ? "http://" : "https://";
  const login = user === undefined ? "" : `${user}:${encodeURIComponent(password ?? "")}@`;
  return {
    url: `${at}${login}localhost:${(server.address() as AddressInfo).port}`,
    passed,
    read: () => readable.join("\n"),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts a server that speaks TLS and passes what it receives to a plain server on a local port. */
export async function openTlsFront(
  { key, certificate }: { readonly key: string; readonly certificate: string },
  plainPort: number,
): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>();
  const server = createTlsFront({ key, cert: certificate }, (socket) => {
    const onward = connect(plainPort, "127.0.0.1");
    sockets.add(socket).add(onward);
    for (const [one, other] of [[socket, onward] as const, [onward, socket] as const])
      one
        .on("error", () => other.destroy())
        .on("close", () => other.destroy())
        .pipe(other);
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
