import { createServer, request, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** An answer on its way back, which a test may change before it is handed on. */
export type Passing = {
  /** As it was requested, undecoded, with its query. */
  readonly target: string;
  readonly method: string;
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
};

/** A server in front of the sandbox that alters answers. */
export type Proxy = { readonly url: string; readonly token: string } & AsyncDisposable;

/** Starts a server that passes every request on byte by byte and lets `alter` change what comes back. */
export async function openProxy(
  to: { readonly url: string; readonly token: string },
  alter: (passing: Passing) => void | Promise<void>,
): Promise<Proxy> {
  const server = createServer((incoming, outgoing) => {
    const target = incoming.url ?? "/";
    const onward = request(to.url, { method: incoming.method, path: target }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("error", () => outgoing.destroy());
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        const { "content-length": _length, ...headers } = answer.headers;
        const passing: Passing = {
          target,
          method: incoming.method ?? "GET",
          status: answer.statusCode ?? 500,
          headers,
          body: Buffer.concat(parts).toString(),
        };
        const send = () => outgoing.writeHead(passing.status, passing.headers).end(passing.body);
        void Promise.resolve(alter(passing)).then(send, () => outgoing.destroy());
      });
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token: to.token,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
