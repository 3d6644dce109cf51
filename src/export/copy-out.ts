import { closeSync, openSync, writeSync } from "node:fs";
import type { Connection, PoolClient, Submittable } from "pg";

/** What the driver calls while a `COPY` runs; its types leave these out. */
type CopyOut = Submittable & {
  readonly handleCopyData: (message: { readonly chunk: Buffer }) => void;
  readonly handleCommandComplete: () => void;
  readonly handleReadyForQuery: () => void;
  readonly handleError: (error: Error) => void;
};

const bufferBytes = 1 << 20;

/**
 * Writes what `copy ... to stdout` gives into a new file, as fast as rows come in, so that memory stays flat however many they are. Returns the
 * bytes of the longest row.
 */
export async function copyOut(client: PoolClient, statement: string, file: string): Promise<number> {
  const descriptor = openSync(file, "w");
  try {
    const buffer = Buffer.allocUnsafe(bufferBytes);
    let held = 0;
    let longest = 0;
    const flush = () => {
      writeWhole(descriptor, buffer.subarray(0, held));
      held = 0;
    };
    await submit(client, statement, (row) => {
      // Postgres sends each row as a message of its own
      longest = Math.max(longest, row.length);
      if (held + row.length > bufferBytes) flush();
      if (row.length > bufferBytes) writeWhole(descriptor, row);
      else held += row.copy(buffer, held);
    });
    flush();
    return longest;
  } finally {
    closeSync(descriptor);
  }
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

async function submit(client: PoolClient, statement: string, take: (row: Buffer) => void): Promise<void> {
  let failed: unknown = null;
  await new Promise<void>((resolve, reject) => {
    const copy: CopyOut = {
      submit: (connection: Connection) => connection.query(statement),
      handleCopyData: ({ chunk }) => {
        if (failed !== null) return;
        try {
          take(chunk);
        } catch (error) {
          // thrown into the driver it would end the process
          failed = error;
        }
      },
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(),
      handleError: reject,
    };
    client.query(copy);
  });
  if (failed !== null) throw failed;
}
