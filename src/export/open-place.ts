import { fail } from "../core/errors.ts";
import { placeAt } from "../core/place-address.ts";
import type { ExportPlace, PlaceOptions } from "./place.ts";

// the library that signs requests takes longer to load than a small export takes

/** Opens the place of an address: a folder, or `s3://bucket/prefix`. Throws `unknown_place` for any other. */
export async function openPlace(address: string, options: PlaceOptions): Promise<ExportPlace> {
  const place = placeAt(address);
  if (place === null) throw fail("unknown_place");
  if (place === "folder") return (await import("./folder-place.ts")).openFolder(address);
  const { openBucket } = await import("./bucket-place.ts");
  return openBucket(place, options);
}
