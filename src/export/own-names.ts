import type { FileFormat } from "./manifest.ts";

const own = /(^|\/)_?rows-[\da-f]{16}\.(parquet|csv)(\.part)?$/;

/** The name of a file, derived from its rows. */
export function nameOf(digest: string, format: FileFormat): string {
  return `rows-${digest.slice(0, 16)}.${format}`;
}

/** True for the name of a file that an export made, complete or not. */
export function isOwnName(name: string): boolean {
  return own.test(name);
}
