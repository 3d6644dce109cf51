import type { Network } from "../core/http-agent.ts";
import type { BucketAccess } from "./s3-client.ts";

/** A file that is whole, as the place that stores it has it. */
export type StoredFile = { readonly bytes: number; readonly sha256: string };

/** The files of one table. Their names are relative to the folder of the table, with slashes. */
export type TablePlace = {
  /** As a person names it. */
  readonly folder: string;
  /** The text of the manifest; null where there is none. */
  readonly readManifest: () => Promise<string | null>;
  /** Puts a manifest into its place, at once and whole. */
  readonly writeManifest: (text: string) => Promise<void>;
  /** Bytes of a file; null where there is none of that name. */
  readonly bytesOf: (name: string) => Promise<number | null>;
  /** A file with rows of this digest that an interrupted export has stored; null where there is none. */
  readonly leftOver: (name: string, digest: string) => Promise<StoredFile | null>;
  /** Where on this machine a file is made, before it is stored. */
  readonly draft: (name: string) => Promise<string>;
  /** Stores a file that was made. */
  readonly store: (name: string, file: StoredFile & { readonly digest: string }) => Promise<void>;
  /** Gives stored files their names, right before the manifest does. */
  readonly reveal: (names: readonly string[]) => Promise<void>;
  /** Removes files of ours that are not named, before an export (`begins`) and after it. */
  readonly sweep: (when: "begins" | "ended", named: readonly string[]) => Promise<void>;
};

/** Where the files of an export are kept: a folder, or a bucket. */
export type ExportPlace = AsyncDisposable & {
  /** A folder of this export on this machine. */
  readonly work: string;
  /** Under which name a lock in Postgres keeps out another export; null where the place has its own lock. */
  readonly lockName: string | null;
  readonly table: (schema: string, table: string) => Promise<TablePlace>;
};

/** What a place is opened with beside its address. */
export type PlaceOptions = { readonly network: Network; readonly bucket: BucketAccess };
