import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from "@aws-sdk/client-s3";
import { open, rm, type FileHandle } from "node:fs/promises";
import path from "node:path";
import type { BucketAddress } from "../core/place-address.ts";
import { fail, StorehouseError } from "../core/errors.ts";
import { tableManifestName } from "./manifest.ts";
import { isOwnName } from "./own-names.ts";
import type { ExportPlace, PlaceOptions, StoredFile, TablePlace } from "./place.ts";
import { openWorkFolder } from "./work-folder.ts";
import { bucketProblem, createS3Client, isAbsent } from "./s3-client.ts";

/** Larger files are sent in parts of this size. A part is kept in memory, so that it can be sent again. A file has at most 10,000 parts. */
const usualPartBytes = 64 * 2 ** 20;

/** Opens a bucket. Files are made in a temporary folder of this machine and sent from there. */
export async function openBucket(
  { bucket, prefix }: BucketAddress,
  { network, bucket: access }: PlaceOptions,
  partBytes: number = usualPartBytes,
): Promise<ExportPlace> {
  await using opened = new AsyncDisposableStack();
  const { client } = opened.use(createS3Client(access, network));
  const { work } = opened.use(await openWorkFolder("storehouse-export-"));
  const stack = opened.move();
  return {
    work,
    lockName: `${bucket}/${prefix}`,
    table: (schema, table) => openTable({ client, bucket, work, partBytes, prefix: `${prefix}${schema}/${table}/` }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

type Objects = {
  readonly client: S3Client;
  readonly bucket: string;
  /** The prefix of a table's keys. */
  readonly prefix: string;
  readonly work: string;
  readonly partBytes: number;
};

async function openTable(objects: Objects): Promise<TablePlace> {
  const folder = `s3://${objects.bucket}/${objects.prefix}`;
  const inWords = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw error instanceof StorehouseError ? error : bucketProblem(error, folder);
    });
  const stored = await inWords(list(objects));
  const draft = path.join(objects.work, "rows.part");
  return {
    folder,
    readManifest: () => inWords(readText(objects, tableManifestName)),
    writeManifest: (text) =>
      inWords(put(objects, { name: tableManifestName, body: Buffer.from(text), type: "application/json" })),
    bytesOf: (name) => Promise.resolve(stored.get(name) ?? null),
    leftOver: (name, digest) => (stored.has(name) ? inWords(whatIs(objects, name, digest)) : Promise.resolve(null)),
    draft: () => Promise.resolve(draft),
    store: async (name, file) => {
      await inWords(send(objects, { name, draft, ...file }));
      stored.set(name, file.bytes);
      await rm(draft);
    },
    reveal: () => Promise.resolve(),
    // the next export uses what an interrupted one has stored
    sweep: async (when, named) => {
      if (when === "begins") return;
      const gone = [...stored.keys()].filter((name) => isOwnName(name) && !named.includes(name));
      for (const name of gone)
        await inWords(
          objects.client.send(new DeleteObjectCommand({ Bucket: objects.bucket, Key: keyOf(objects, name) })),
        );
    },
  };
}

function keyOf({ prefix }: Objects, name: string): string {
  return `${prefix}${name}`;
}

async function list({ client, bucket, prefix }: Objects): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  let token: string | undefined;
  do {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      }),
    );
    for (const { Key = "", Size = -1 } of page.Contents ?? []) found.set(Key.slice(prefix.length), Size);
    token = page.NextContinuationToken;
  } while (token !== undefined);
  return found;
}

async function readText(objects: Objects, name: string): Promise<string | null> {
  try {
    const { Body } = await objects.client.send(
      new GetObjectCommand({ Bucket: objects.bucket, Key: keyOf(objects, name) }),
    );
    return (await Body?.transformToString()) ?? "";
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** An object is whole or absent, so its metadata can be trusted. */
async function whatIs(objects: Objects, name: string, digest: string): Promise<StoredFile | null> {
  const { Metadata = {}, ContentLength: bytes = -1 } = await objects.client.send(
    new HeadObjectCommand({ Bucket: objects.bucket, Key: keyOf(objects, name) }),
  );
  const { digest: found, sha256 = "" } = Metadata;
  return found === digest && sha256 !== "" && String(bytes) === Metadata["bytes"] ? { bytes, sha256 } : null;
}

type Sent = StoredFile & { readonly name: string; readonly digest: string; readonly draft: string };

async function send(objects: Objects, { name, draft, bytes, sha256, digest }: Sent): Promise<void> {
  const metadata = { digest, sha256, bytes: String(bytes) };
  const file = await open(draft);
  try {
    const { size } = await file.stat();
    if (size !== bytes) throw changed(objects, `has ${size} bytes instead of ${bytes}`);
    if (bytes > objects.partBytes) await sendInParts(objects, { name, metadata, bytes, file });
    else await put(objects, { name, body: await readPart(objects, file, { from: 0, bytes }), metadata });
  } finally {
    await file.close();
  }
}

type Put = {
  readonly name: string;
  readonly body: Buffer;
  readonly metadata?: Record<string, string>;
  readonly type?: string;
};

async function put(
  objects: Objects,
  { name, body, metadata = {}, type = "application/octet-stream" }: Put,
): Promise<void> {
  await objects.client.send(
    new PutObjectCommand({
      Bucket: objects.bucket,
      Key: keyOf(objects, name),
      Body: body,
      ContentType: type,
      Metadata: metadata,
    }),
  );
}

type Large = {
  readonly name: string;
  readonly metadata: Record<string, string>;
  readonly bytes: number;
  readonly file: FileHandle;
};

/** The object appears once all parts are there. */
async function sendInParts(objects: Objects, { name, metadata, bytes, file }: Large): Promise<void> {
  const at = { Bucket: objects.bucket, Key: keyOf(objects, name) };
  const { UploadId } = await objects.client.send(new CreateMultipartUploadCommand({ ...at, Metadata: metadata }));
  const upload = { ...at, UploadId };
  try {
    const parts: CompletedPart[] = [];
    for (let from = 0; from < bytes; from += objects.partBytes) {
      const body = await readPart(objects, file, { from, bytes: Math.min(objects.partBytes, bytes - from) });
      const PartNumber = parts.length + 1;
      const { ETag } = await objects.client.send(new UploadPartCommand({ ...upload, PartNumber, Body: body }));
      parts.push({ PartNumber, ...(ETag === undefined ? {} : { ETag }) });
    }
    await objects.client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }));
  } catch (error) {
    await objects.client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}

/** A part of a file. One read may return fewer bytes than requested. */
async function readPart(
  objects: Objects,
  file: FileHandle,
  { from, bytes }: { readonly from: number; readonly bytes: number },
): Promise<Buffer> {
  const body = Buffer.alloc(bytes);
  for (let at = 0; at < bytes;) {
    const { bytesRead } = await file.read(body, at, bytes - at, from + at);
    if (bytesRead === 0) throw changed(objects, `ends after ${from + at} bytes`);
    at += bytesRead;
  }
  return body;
}

/** The error for a draft that changed after it was written. */
function changed({ bucket, prefix }: Objects, problem: string): StorehouseError {
  return fail("export_failed", {
    table: `s3://${bucket}/${prefix}`,
    problem: `its file on this machine ${problem}`,
  });
}
