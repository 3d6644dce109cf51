import { createServer, type AddressInfo } from "node:net";

/** A server that speaks just enough of Postgres' protocol to say which version it is, for any query. */
export async function serverOfVersion(version: number): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    let greeted = false;
    socket.on("data", (data) => {
      // first comes the start-up message, which has no letter, then a query without values, which is a Q
      if (!greeted) socket.write(greeting);
      else if (data.subarray(0, 1).toString() === "Q") socket.write(answer(version));
      greeted = true;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://somebody:s3cret-word@127.0.0.1:${port}/any`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The number of the session's process, at the start and in the answer. */
const pid = 7;

/** Welcome, the session's process with a key, ready. */
const greeting = Buffer.concat([
  message("R", int32(0)),
  message("K", Buffer.concat([int32(pid), int32(0)])),
  message("Z", Buffer.from("I")),
]);

/** Columns `version` and `pid` of type int4 and `encoding` of type text, one row, done. */
function answer(version: number): Buffer {
  const column = (name: string, type: number) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(type), int16(4), int32(-1), int16(0)]);
  const value = (text: string) => Buffer.concat([int32(text.length), Buffer.from(text)]);
  return Buffer.concat([
    message("T", Buffer.concat([int16(3), column("version", 23), column("encoding", 25), column("pid", 23)])),
    message("D", Buffer.concat([int16(3), value(String(version)), value("UTF8"), value(String(pid))])),
    message("C", Buffer.from("SELECT 1\0")),
    message("Z", Buffer.from("I")),
  ]);
}

function message(letter: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(letter), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}
