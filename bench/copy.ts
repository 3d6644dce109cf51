import { once } from "node:events";
import type { Client, Connection, Submittable } from "pg";

/*
 * `COPY` over the driver's own connection: what a fast client does, and nothing else. The driver passes a statement's messages to the
 * submitted object; its types leave out those of `COPY`.
 */

type CopyConnection = Connection & {
  readonly sendCopyFromChunk: (chunk: Buffer) => void;
  readonly endCopyFrom: () => void;
  readonly sendCopyFail: (reason: string) => void;
};

/** What the driver calls while a statement runs. */
type Copy = Submittable & {
  readonly handleCopyInResponse: (connection: CopyConnection) => void;
  readonly handleCopyData: (message: { readonly chunk: Buffer }) => void;
  readonly handleCommandComplete: () => void;
  readonly handleReadyForQuery: () => void;
  readonly handleError: (error: Error) => void;
};

/** Sends ready text to a table: `statement` is `copy ... from stdin`. */
export function copyIn(client: Client, statement: string, chunks: readonly Buffer[]): Promise<void> {
  return run(client, statement, {
    handleCopyInResponse: (connection) =>
      void send(connection, chunks).catch((error: unknown) => connection.sendCopyFail(String(error))),
  });
}

/** Reads text from a table: `statement` is `copy ... to stdout`. Gives chunks of a thousand rows. */
export async function copyOut(client: Client, statement: string): Promise<readonly Buffer[]> {
  const rows: Buffer[] = [];
  await run(client, statement, {
    // the driver reuses its buffer
    handleCopyData: ({ chunk }) => void rows.push(Buffer.from(chunk)),
  });
  const chunks: Buffer[] = [];
  const rowsAChunk = 1000;
  for (let from = 0; from < rows.length; from += rowsAChunk)
    chunks.push(Buffer.concat(rows.slice(from, from + rowsAChunk)));
  return chunks;
}

async function send(connection: CopyConnection, chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) {
    connection.sendCopyFromChunk(chunk);
    if (connection.stream.writableNeedDrain) await once(connection.stream, "drain");
  }
  connection.endCopyFrom();
}

function run(client: Client, statement: string, handlers: Partial<Copy>): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy: Copy = {
      submit: (connection) => connection.query(statement),
      handleCopyInResponse: (connection) => connection.sendCopyFail("nothing to send"),
      handleCopyData: () => undefined,
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(),
      handleError: reject,
      ...handlers,
    };
    client.query(copy);
  });
}
