import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { fail } from "../core/errors.ts";
import type { WholeReply } from "../core/http-agent.ts";

type Unpacking = (body: Buffer, limit: { maxOutputLength: number }) => Buffer;

/** Some servers leave out the header of zlib, as the name says: its low four bits are 8, and its two bytes a multiple of 31. */
const inflate: Unpacking = (body, limit) => {
  const hasHeader = body.length > 1 && body.readUInt8() % 16 === 8 && body.readUInt16BE() % 31 === 0;
  return hasHeader ? inflateSync(body, limit) : inflateRawSync(body, limit);
};

/** Only gzip is requested; a proxy may still pack an answer in another way. */
const packings: ReadonlyMap<string, Unpacking> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflate],
  ["br", brotliDecompressSync],
  ["zstd", zstdDecompressSync],
]);

/** The body of a reply as it was before it was packed. Throws `answer_too_large` above the limit (bytes), and `cut_connection` for half of one. */
export function unpackedReply({ headers, body }: WholeReply, limit: number): Buffer {
  if (body.length === 0) return body;
  try {
    // what is packed may be packed once more on the way
    return packingsOf(headers["content-encoding"]).reduceRight(
      (packed, unpack) => unpack(packed, { maxOutputLength: limit }),
      body,
    );
  } catch (cause) {
    const large = cause instanceof RangeError;
    throw fail(large ? "answer_too_large" : "cut_connection", large ? { limit } : {}, cause);
  }
}

/** How a body is packed, the last packing last. */
function packingsOf(encodings: string | string[] = []): readonly Unpacking[] {
  const names = [encodings].flat().flatMap((encoding) => encoding.toLowerCase().split(","));
  return names.flatMap((name) => packings.get(name.trim()) ?? []);
}
