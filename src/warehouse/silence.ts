import type { Socket } from "node:net";
import type { PoolClient } from "pg";

/** What the driver has and its types leave out. */
type Inside = {
  readonly readyForQuery: boolean;
  readonly _ending: boolean;
  readonly connection: { readonly stream: Socket };
};

/**
 * Breaks a connection off when a statement, or a farewell, is at work on it and nothing was heard for so many ms: the other end may have
 * gone without a word, and then no answer would ever come. Whoever waits sees a lost connection. Idle ones may be silent for ever.
 */
export function breakWhenSilent(client: PoolClient, ms: number): void {
  const inside = client as unknown as Inside;
  const { stream } = inside.connection;
  stream.setTimeout(ms);
  stream.on("timeout", () => {
    if (!inside.readyForQuery || inside._ending)
      stream.destroy(new Error("Connection terminated: nothing was heard for too long"));
  });
}
