import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";

/** A TCP proxy between Storehouse and whom it talks to. What it does, it does to the connections of the moment; later ones pass. */
export type Wire = AsyncDisposable & {
  readonly port: number;
  /** Breaks each, both ends notice. */
  readonly cut: () => void;
  /** No byte gets through any more, in either direction; each stays open until an end gives it up. */
  readonly stall: () => void;
  /** The far end goes without a notification to the near one: what is sent is swallowed, nothing ever comes. */
  readonly halfOpen: () => void;
};

/** What a wire can do to its connections. */
export const mishaps = ["cut", "stall", "halfOpen"] as const;

type Pair = { readonly near: Socket; readonly far: Socket };

/** Opens a proxy on loopback to a port there; `at` a port of its own, or any. */
export async function openWire(to: number, at = 0): Promise<Wire> {
  const pairs = new Set<Pair>();
  const all = new Set<Socket>();
  const server = createServer((near) => {
    const far = createConnection(to, "127.0.0.1");
    const pair = { near, far };
    pairs.add(pair);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      all.add(one);
      one.on("error", () => undefined);
      one.on("close", () => {
        all.delete(one);
        // a half-open pair was taken out before: its near end lives on
        if (pairs.delete(pair)) other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    cut: () => {
      for (const { near } of pairs) near.resetAndDestroy();
    },
    stall: () => {
      for (const { near, far } of pairs) {
        // read and dropped, since a socket that is not read does not report that its other end has gone
        near.unpipe(far).resume();
        far.unpipe(near).resume();
      }
    },
    halfOpen: () => {
      for (const pair of pairs) {
        pairs.delete(pair);
        pair.near.unpipe(pair.far).resume();
        pair.far.unpipe(pair.near).destroy();
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of all) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
