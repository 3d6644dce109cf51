import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { fail } from "../core/errors.ts";
import type { ReceivedReply } from "../core/http-agent.ts";

type Unpacking = (body: Buffer, limit: { maxOutputLength: number }) => Buffer;

/** Some servers send `deflate` without the zlib header. With it, the low four bits are 8, and the first two bytes are a multiple of 31. */
const inflate: Unpacking = (body, limit) => {
  const hasHeader = body.length > 1 && body.readUInt8() % 16 === 8 && body.readUInt16BE() % 31 === 0;
  return hasHeader ? inflateSync(body, limit) : inflateRawSync(body, limit);
};

/** Only gzip is requested; a proxy may still compress an answer in another way. */
const packings: ReadonlyMap<string, Unpacking> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflate],
  ["br", brotliDecompressSync],
  ["zstd", zstdDecompressSync],
]);

/** The decompressed body of a reply. Throws `answer_too_large` above the limit (bytes), and `cut_connection` for an incomplete one. */
export function unpackedReply({ headers, body }: Pick<ReceivedReply, "headers" | "body">, limit: number): Buffer {
  if (body.length === 0) return body;
  try {
    // a compressed body may be compressed again on the way
    return packingsOf(headers["content-encoding"]).reduceRight(
      (packed, unpack) => unpack(packed, { maxOutputLength: limit }),
      body,
    );
  } catch (cause) {
    const large = cause instanceof RangeError;
    throw fail(large ? "answer_too_large" : "cut_connection", large ? { limit } : {}, cause);
  }
}

/** The compressions of a body, the last one last. */
function packingsOf(encodings: string | string[] = []): readonly Unpacking[] {
  const names = [encodings].flat().flatMap((encoding) => encoding.toLowerCase().split(","));
  return names.flatMap((name) => packings.get(name.trim()) ?? []);
}
