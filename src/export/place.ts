import type { Network } from "../core/http-agent.ts";
import type { BucketAccess } from "./s3-client.ts";

/** A complete file, as stored in its place. */
export type StoredFile = { readonly bytes: number; readonly sha256: string };

/** The files of one table, with names relative to the table's folder, with slashes. */
export type TablePlace = {
  /** The name that people see. */
  readonly folder: string;
  /** The text of the manifest; null if there is none. */
  readonly readManifest: () => Promise<string | null>;
  /** Replaces the manifest in one step. */
  readonly writeManifest: (text: string) => Promise<void>;
  /** Bytes of a file; null if there is none with that name. */
  readonly bytesOf: (name: string) => Promise<number | null>;
  /** A file with this digest that an interrupted export has stored; null if there is none. */
  readonly leftOver: (name: string, digest: string) => Promise<StoredFile | null>;
  /** The path on this machine where a file is made before it is stored. */
  readonly draft: (name: string) => Promise<string>;
  /** Stores a finished file. */
  readonly store: (name: string, file: StoredFile & { readonly digest: string }) => Promise<void>;
  /** Gives stored files their names, right before the manifest does. */
  readonly reveal: (names: readonly string[]) => Promise<void>;
  /** Removes our files that are not named, before an export (`begins`) and after it. */
  readonly sweep: (when: "begins" | "ended", named: readonly string[]) => Promise<void>;
};

/** Where an export keeps its files: a folder or a bucket. */
export type ExportPlace = AsyncDisposable & {
  /** A folder of this export on this machine. */
  readonly work: string;
  /** What the lock `export` in Postgres is for, which keeps out another export; null if the place has its own lock. */
  readonly lockName: string | null;
  readonly table: (schema: string, table: string) => Promise<TablePlace>;
};

/** What is needed to open a place, in addition to its address. */
export type PlaceOptions = { readonly network: Network; readonly bucket: BucketAccess };
