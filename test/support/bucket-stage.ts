import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, rmSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
// @ts-expect-error it has no types
import S3rver from "@20minutes/s3rver";
import type { PlaceOptions } from "../../src/export/place.ts";

/**
 * A server on loopback that speaks like S3 and has the buckets `lake` and `bucket`. It checks the signature of each request for an object; that of a list it
 * gets wrong, since it leaves the last slash of the path out.
 */
export type BucketStage = AsyncDisposable & {
  readonly endpoint: string;
  /** How an export reaches it. */
  readonly reach: PlaceOptions;
  /** Requests that change something, as `PUT key`, oldest first; the list is emptied by reading it. */
  readonly changes: () => readonly string[];
  /** Called with each request that changes something; false cuts it off. */
  letThrough: (change: string) => boolean;
  /** The files that are stored, by their keys. */
  readonly objects: () => Promise<ReadonlyMap<string, Buffer>>;
  /** The parts of uploads that are neither complete nor aborted. */
  readonly leftParts: () => Promise<readonly string[]>;
};

/** The only key that the server knows. */
export const bucketKey = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" } as const;

/** Starts one. */
export async function openBucketStage(): Promise<BucketStage> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.adopt(await mkdtemp(path.join(tmpdir(), "storehouse-bucket-")), (folder) =>
    rm(folder, { recursive: true, force: true }),
  );
  const options = {
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: "lake" }, { name: "bucket" }],
  };
  const server = new S3rver(options) as { run: () => Promise<AddressInfo>; httpServer: Server };
  const { port } = await server.run();
  opened.defer(() => {
    server.httpServer.closeAllConnections();
    return new Promise<void>((resolve) => server.httpServer.close(() => resolve()));
  });
  const isList = new AsyncLocalStorage<boolean>();
  Object.defineProperty(server, "allowMismatchedSignatures", { get: () => isList.getStore() });
  const seen: string[] = [];
  const [serve] = server.httpServer.listeners("request") as [(...of: [IncomingMessage, ServerResponse]) => void];
  server.httpServer.removeAllListeners("request");
  const uploads = path.join(directory, "lake", "._S3rver_uploads");
  const endpoint = `http://127.0.0.1:${port}`;
  const stack = opened.move();
  const stage: BucketStage = {
    endpoint,
    reach: { network: {}, bucket: { endpoint, ...bucketKey } },
    changes: () => seen.splice(0),
    letThrough: () => true,
    objects: () => objectsIn(path.join(directory, "lake")),
    leftParts: async () => {
      const names = existsSync(uploads) ? await readdir(uploads, { recursive: true }) : [];
      return names.filter((name) => /^\d+$/.test(path.basename(name)));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  server.httpServer.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const change = `${request.method} ${decodeURIComponent((request.url ?? "").replace(/^\/lake\/|\?.*$/g, ""))}`;
    const isChange = /^(PUT|POST|DELETE) /.test(change);
    if (isChange && !stage.letThrough(change)) {
      request.socket.destroy();
      return;
    }
    if (isChange) seen.push(change);
    // the server cannot abort an upload
    const aborted = request.method === "DELETE" ? /[?&]uploadId=(\w+)/.exec(request.url ?? "")?.[1] : undefined;
    if (aborted !== undefined) {
      rmSync(path.join(uploads, aborted), { recursive: true });
      response.writeHead(204).end();
      return;
    }
    isList.run(/^\/[^/]*\/\?/.test(request.url ?? ""), () => serve(request, response));
  });
  return stage;
}

/** The server keeps an object as `KEY._S3rver_object`. */
async function objectsIn(bucket: string): Promise<ReadonlyMap<string, Buffer>> {
  const ending = "._S3rver_object";
  const names = (await readdir(bucket, { recursive: true })).filter((name) => name.endsWith(ending)).sort();
  const read = names.map(
    async (name) => [name.slice(0, -ending.length), await readFile(path.join(bucket, name))] as const,
  );
  return new Map(await Promise.all(read));
}
