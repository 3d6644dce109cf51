import { z } from "zod";
import type { Operation } from "../api/define-operation.ts";
import type { Params } from "../api/address.ts";
import type { InvalidItem } from "../api/read-answer.ts";
import { fetchOptionOf } from "../api/fetch-option-of.ts";
import type { Day } from "../core/day.ts";
import type { Found, Portfolio } from "../core/portfolio.ts";
import type { Scope, Slice } from "../core/slice.ts";
import type { FetchOption } from "../core/fetch-option.ts";
import type { Timing } from "../core/timing.ts";
import type { PlanningSource } from "../load/planning-sources.ts";
import type { Row, Table } from "../load/table.ts";

/** Who a dataset is fetched for. Two partitions with the same scope are the same one. */
export type Partition = {
  readonly scope: Scope;
  /** What calls name by the batch (keywords, ids); null where the scope says it all. */
  readonly items: readonly string[] | null;
  /** Those items that the account tracks: what a call that names none can bring. */
  readonly tracked?: readonly string[];
  /** When it is worth asking for, where that is not as for the dataset's others. */
  readonly timing?: Timing;
  /** What the portfolio knows that would make the answer differ; a changed one makes the last answer stale. */
  readonly fingerprint?: string;
  /** True where something is known to be there: an empty answer is none. */
  readonly expected?: boolean;
};

/** What an answer becomes: rows by table name, and items that fit the contract but not the table. */
export type Normalised = {
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  readonly invalid: readonly InvalidItem[];
  /** Items of the slice of which the answer says nothing at all: they count as not asked for by this fetch option. */
  readonly unanswered?: readonly string[];
  /**
   * The newest day that the answer tells anything of, over all its rows; null when it tells nothing. The days after it count as asked
   * and empty. Left out where an untold day is an answer as well.
   */
  readonly reportedThrough?: Day | null;
};

/** Something worth a table: who it is fetched for, which operations feed it, how its rows look. Data and pure functions. */
export type Dataset = {
  readonly name: string;
  readonly summary: string;
  /**
   * `portfolio` datasets tell what the account follows, `listing` datasets tell what else others are planned from (see `finds`),
   * whatever is followed; each stage is brought up to date before the next is planned, the `market` last.
   */
  readonly stage: "portfolio" | "listing" | "market";
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
  /** The most pages of an answer that are asked for unless the configuration says otherwise: where a page costs much. */
  readonly mostPages?: number;
  /** Items that one call names where its operation takes a list and sets no limit. */
  readonly itemsPerCall?: number;
  /** The most days that one call asks for unless the configuration says otherwise, where the operation sets no limit that suits. */
  readonly longestWindow?: number;
  /** The one of them that names no items and brings all that the account tracks for a day, in so many calls (one a device). It has no pages. */
  readonly wholeList?: { readonly operation: Operation; readonly calls: (scope: Scope) => number };
  /**
   * True where the same answer to the same question makes the same rows whenever it came, if it makes any, and where these are rows of
   * the slice's own scope, days and items, written by no other dataset.
   */
  readonly answersRepeat?: true;
  /** What others are planned from, as it now stands in a table of this dataset. */
  readonly finds?: PlanningSource | readonly PlanningSource[];
  /** The findings of other datasets that its partitions are made from (`portfolio.found`). */
  readonly plannedFrom?: readonly string[];
  /**
   * Options and findings under which it makes the partition of a scope, for an answer that is brought as a file; left out where the
   * names of options and of parts of the scope tell (`charts` and `chart`), and where any finding does.
   */
  readonly madeFrom?: (
    scope: Scope,
    items: readonly string[] | null,
  ) => { readonly options: unknown; readonly found: Found };
  /** What is special to it, as the configuration may set it; each with its default and a sentence. Null where there is nothing. */
  readonly options: z.ZodObject | null;
  /**
   * Who it is fetched for, with options as the configuration gives them. What an option changes about a call or a row stands in the
   * scope, so that an answer keeps its meaning when the configuration changes.
   */
  readonly partitions: (portfolio: Portfolio, options?: unknown) => readonly Partition[];
  /** The values of the call that answers a slice, pages left out; of a slice that takes several calls those of the one with this number, from 0. */
  readonly request: (slice: Slice, call?: number) => Params;
  /**
   * Turns the checked answer, one value a page, into rows. What the answer does not echo is stamped from the slice.
   * `invalid` holds the items that were left out because they do not fit the contract: of those nothing may be claimed.
   */
  readonly normalise: (slice: Slice, pages: readonly unknown[], invalid: readonly InvalidItem[]) => Normalised;
};

/** A dataset as its file writes it: its partitions take the options with every default filled in. */
type Definition<O extends z.ZodObject> = Omit<Dataset, "options" | "partitions"> & {
  readonly options?: O;
  readonly partitions: (portfolio: Portfolio, options: z.output<O>) => readonly Partition[];
};

/** What others are planned from in the tables of a dataset. */
export function planningSourcesOf({ finds }: Pick<Dataset, "finds">): readonly PlanningSource[] {
  return finds === undefined ? [] : [finds].flat();
}

/** Freezes a dataset. */
export function defineDataset<const O extends z.ZodObject = typeof noOptions>(definition: Definition<O>): Dataset {
  const { options = null, partitions } = definition;
  const read = (options ?? noOptions) as O;
  return Object.freeze({
    ...definition,
    options,
    partitions: (portfolio: Portfolio, given: unknown = {}) => partitions(portfolio, read.parse(given)),
  });
}

const noOptions = z.object({});

/** What a call of one of the dataset's operations can carry for a partition, at the documented cost or the one that was learned. */
export function fetchOptionFor(
  dataset: Dataset,
  operation: Operation,
  partition: Pick<Partition, "scope" | "tracked">,
  learned: ReadonlyMap<string, number>,
): FetchOption {
  const { wholeList, itemsPerCall } = dataset;
  const option = fetchOptionOf(operation, learned);
  if (wholeList?.operation === operation)
    return {
      ...option,
      maxItems: Number.POSITIVE_INFINITY,
      tracked: new Set(partition.tracked),
      calls: wholeList.calls(partition.scope),
    };
  return option.maxItems > 1 || itemsPerCall === undefined ? option : { ...option, maxItems: itemsPerCall };
}

/** How many calls answer a slice; each is landed as a page of it. */
export function callsOf(dataset: Dataset, slice: Pick<Slice, "operation" | "scope">): number {
  return dataset.wholeList !== undefined && isWholeList(dataset, slice) ? dataset.wholeList.calls(slice.scope) : 1;
}

/**
 * A scope of which so many pages are asked for at most. The limit stands in the scope, since an answer that was cut is another one than
 * the whole: with a higher limit it is asked for anew, and replayed it ends where it ended.
 */
export function withMostPages(scope: Scope, mostPages: number | undefined): Scope {
  return mostPages === undefined ? scope : { ...scope, most_pages: String(mostPages) };
}

/** The most pages of a slice's answer that are asked for; without end where there is no limit. */
export function mostPagesOf({ scope }: Pick<Slice, "scope">): number {
  return scope["most_pages"] === undefined ? Number.POSITIVE_INFINITY : Number(scope["most_pages"]);
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
