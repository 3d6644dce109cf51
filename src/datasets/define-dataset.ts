import type { Operation } from "../api/define-operation.ts";
import type { Params } from "../api/address.ts";
import type { Unfit } from "../api/read-answer.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Scope, Slice } from "../core/slice.ts";
import type { Timing } from "../core/way.ts";
import type { Row, Table } from "../warehouse/table.ts";

/** Who a dataset is fetched for. Two partitions with the same scope are the same one. */
export type Partition = {
  readonly scope: Scope;
  /** What calls name by the batch (keywords, ids); null where the scope says it all. */
  readonly items: readonly string[] | null;
  /** Those items that the account tracks: what a call that names none can bring. */
  readonly tracked?: readonly string[];
  /** What the portfolio knows that would make the answer differ; a changed one makes the last answer stale. */
  readonly fingerprint?: string;
  /** True where something is known to be there: an empty answer is none. */
  readonly expected?: boolean;
};

/** What an answer becomes: rows by table name, and items that fit the contract but not the table. */
export type Normalised = {
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  readonly unfit: readonly Unfit[];
  /** Items of the slice of which the answer says nothing at all: they count as not asked for by this way. */
  readonly silent?: readonly string[];
};

/** Something worth a table: who it is fetched for, which operations feed it, how its rows look. Data and pure functions. */
export type Dataset = {
  readonly name: string;
  readonly summary: string;
  /** `portfolio` datasets tell what is followed and are brought up to date before the `market` is planned. */
  readonly stage: "portfolio" | "market";
  /** Takes part in a sync that names no dataset. */
  readonly on: boolean;
  /** Why it is on or off by default. */
  readonly why: string;
  readonly timing: Timing;
  readonly tables: readonly Table[];
  /** Every operation that may feed it. */
  readonly operations: readonly Operation[];
  /** The operations that can answer for one scope; the plan takes the cheapest. */
  readonly operationsFor: (scope: Scope) => readonly Operation[];
  /** The one of them that names no items and brings all that the account tracks for a day, in so many calls (one a device). It has no pages. */
  readonly wholeList?: { readonly operation: Operation; readonly calls: (scope: Scope) => number };
  /**
   * True where the same answer to the same question makes the same rows whenever it came, if it makes any, and where these are rows of
   * the slice's own scope, days and items, written by no other dataset.
   */
  readonly answersRepeat?: true;
  readonly partitions: (portfolio: Portfolio) => readonly Partition[];
  /** The values of the call that answers a slice, pages left out; of a slice that takes several calls those of the one with this number, from 0. */
  readonly request: (slice: Slice, call?: number) => Params;
  /**
   * Turns the checked answer, one value a page, into rows. What the answer does not echo is stamped from the slice.
   * `unfit` holds the items that were left out because they do not fit the contract: of those nothing may be claimed.
   */
  readonly normalise: (slice: Slice, pages: readonly unknown[], unfit: readonly Unfit[]) => Normalised;
};

/** Freezes a dataset. */
export function defineDataset(dataset: Dataset): Dataset {
  return Object.freeze(dataset);
}

/** How many calls answer a slice; each is landed as a page of it. */
export function callsOf(dataset: Dataset, slice: Pick<Slice, "operation" | "scope">): number {
  return dataset.wholeList !== undefined && isWholeList(dataset, slice) ? dataset.wholeList.calls(slice.scope) : 1;
}

/** True for a slice whose call names none of its items: what is said of the call is said of no item. */
export function isWholeList({ wholeList }: Dataset, { operation }: Pick<Slice, "operation">): boolean {
  return wholeList?.operation.id === operation;
}

/** A part of a scope that the dataset's own partitions always set. */
export function part(scope: Scope, name: string): string {
  const value = scope[name];
  if (value === undefined) throw new Error(`the scope has no ${name}`);
  return value;
}
