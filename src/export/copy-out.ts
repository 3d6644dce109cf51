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

/** Writes what `copy ... to stdout` gives into a new file. The file is written as fast as rows come in, so that memory stays flat however many they are. */
export async function copyOut(client: PoolClient, statement: string, file: string): Promise<void> {
  const descriptor = openSync(file, "w");
  try {
    const parts: Buffer[] = [];
    let held = 0;
    const flush = () => {
      writeWhole(descriptor, Buffer.concat(parts.splice(0)));
      held = 0;
    };
    await submit(client, statement, (chunk) => {
      // the driver uses its buffer again
      parts.push(Buffer.from(chunk));
      held += chunk.length;
      if (held >= bufferBytes) flush();
    });
    flush();
  } finally {
    closeSync(descriptor);
  }
}

function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
}

async function submit(client: PoolClient, statement: string, take: (chunk: Buffer) => void): Promise<void> {
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
