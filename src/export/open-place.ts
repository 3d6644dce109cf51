import { fail } from "../core/errors.ts";
import type { ExportPlace, PlaceOptions } from "./place.ts";

const scheme = /^([a-z][a-z\d+.-]*):\/\//i;

/** True where an address names a bucket and not a folder. Throws `unknown_scheme` for an address of another kind. */
function isBucket(address: string): boolean {
  const named = scheme.exec(address)?.[1]?.toLowerCase();
  if (named !== undefined && named !== "s3") throw fail("unknown_scheme", { scheme: named });
  return named === "s3";
}

// the library that signs takes longer to load than a small export takes

/** Opens the place of an address: a folder, or `s3://bucket/prefix`. */
export async function openPlace(address: string, options: PlaceOptions): Promise<ExportPlace> {
  if (!isBucket(address)) return (await import("./folder-place.ts")).openFolder(address);
  const { openBucket } = await import("./bucket-place.ts");
  return openBucket(address, options);
}
