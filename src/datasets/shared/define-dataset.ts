import { z } from "zod";
import type { Operation } from "../../api/define-operation.ts";
import type { Params } from "../../api/address.ts";
import type { InvalidItem } from "../../api/read-answer.ts";
import type { Day } from "../../core/day.ts";
import type { Portfolio } from "../../core/portfolio.ts";
import type { Scope, Slice } from "../../core/slice.ts";
import type { Store } from "../../core/store.ts";
import type { Timing } from "../../core/timing.ts";
import type { PlanningSource } from "../../load/planning-sources.ts";
import { accountColumn, type Row, type Table } from "../../load/table.ts";
import { withAccount } from "./scope-limits.ts";

/** The stages of a plan, in their order. */
export const stages = ["portfolio", "listing", "market"] as const;

/** Groups of figures that people judge as a whole: can the ranks be trusted today, the reviews, and so on. */
export const families = ["rank", "reviews", "category", "visibility", "search_ads", "estimates"] as const;

/** Who a dataset is fetched for, identified by its scope. */
export type Partition = {
  readonly scope: Scope;
  /** Keywords or ids that calls name in batches; null if the scope says it all. */
  readonly items: readonly string[] | null;
  /** The items that the account tracks: a call without names (`wholeList`) answers only for these. */
  readonly tracked?: readonly string[];
  /** Its own timing, if it differs from the dataset's. */
  readonly timing?: Timing;
  /** A digest of what the answer depends on in the portfolio: if it has changed, the last answer is stale. */
  readonly fingerprint?: string;
  /** True if the service is known to have data, so that an empty answer is an error. */
  readonly expected?: boolean;
  /** Further partitions that are requested if its answers turn out a certain way (`where`, in words); left out once that is known. */
  readonly otherwise?: { readonly where: string; readonly partitions: readonly Partition[] };
  /** In words, how it is requested if the usual way does not work. */
  readonly how?: string;
};

/** The result of an answer: rows by table name, and items that fit the contract but not the table. */
export type Normalised = {
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  readonly invalid: readonly InvalidItem[];
  /** Items of the slice that the answer leaves out: they count as not requested with this fetch option. */
  readonly unanswered?: readonly string[];
};

/** How an answer about several days shows up to which day it reports. */
type ReportedBy = {
  /**
   * The column of the first table that holds a row's day or time as the answer reports it; null in rows that only follow from the request.
   */
  readonly column: string;
  /**
   * Up to this many days without rows at the end of an answer are normal and count as answered. Left out if the service reports each day.
   */
  readonly quietDays?: number;
};

/** Figures of another dataset that answers also report; its partitions have the same scope. */
type AlsoAnswers = {
  readonly dataset: string;
  readonly option: string;
  /** The figures of that dataset in an answer, by day and item: only those that are certain. */
  readonly figures: (slice: Slice, pages: readonly unknown[]) => ReadonlyMap<Day, ReadonlyMap<string, number>>;
  /** The cell and figure of a row of that dataset, for comparison with the reported one. */
  readonly figureOf: (row: Row) => { readonly day: Day; readonly item: string; readonly figure: number | null };
};

/** Something worth a table: what it is fetched for, which operations feed it, how answers become its rows. Data and pure functions. */
export type Dataset = {
  readonly name: string;
  readonly summary: string;
  /**
   * `portfolio`: lists of the apps, countries and keywords of the account. `listing`: what others are planned from in addition to the
   * portfolio (see `planningSources`). `market`: everything else. Each stage is loaded before the next is planned.
   */
  readonly stage: (typeof stages)[number];
  /** The family that its figures belong to; left out for those in no family, such as lists. */
  readonly family?: (typeof families)[number];
  /** True for a dataset that a sync fetches without naming it. */
  readonly on: boolean;
  /** Why it is on or off by default. */
  readonly why: string;
  readonly timing: Timing;
  readonly tables: readonly Table[];
  /** Its tables that only answers of `otherwise` partitions fill; none if left out. */
  readonly tablesOtherwise?: readonly Table[];
  /**
   * True if answers differ by account: scopes, and rows of tables with the column `account`, name the account (except that of API_TOKEN),
   * and each account is planned separately. All other answers are the same for every account and fetched once.
   */
  readonly ofAccount?: true;
  /** Every operation that may feed it. */
  readonly operations: readonly Operation[];
  /** The operations that can answer for a scope; the plan takes the cheapest. */
  readonly operationsFor: (scope: Scope) => readonly Operation[];
  /** Default of `most_pages`: for operations that bill by the page. */
  readonly mostPages?: number;
  /** Why an answer may have many pages, as a sentence next to its price. */
  readonly manyPages?: string;
  /** Items per call, if the operation takes a list and sets no limit. */
  readonly itemsPerCall?: number;
  /** True if the items of its partitions are apps: a track id, or a country and a track id (`US:123`). */
  readonly itemsAreApps?: true;
  /** Default of `longest_window`, if the operation sets no suitable limit. */
  readonly longestWindow?: number;
  /** For datasets that request several days in one call and get rows with their own days: see `tailOf`. */
  readonly reportedBy?: ReportedBy;
  /**
   * The fields that hold the figure of an entry, one in each operation with a list of entries, if an entry may lack it: not ranked, no
   * score. See `normaliseAnswer`.
   */
  readonly figures?: readonly string[];
  /**
   * The operation that returns a day of all items that the account tracks, without naming them, and its number of calls (one per device).
   * It has no pages.
   */
  readonly wholeList?: { readonly operation: Operation; readonly calls: (scope: Scope) => number };
  /**
   * True if an answer yields the same rows at any time, all about the slice's own cells, and no other dataset writes these rows. An
   * unchanged answer is then not loaded again.
   */
  readonly answersRepeat?: true;
  /** What its answers report for another dataset; loaded if the option of this name is true. */
  readonly alsoAnswers?: AlsoAnswers;
  /** Lists for the planning of other datasets, read from the current rows of one of its tables. */
  readonly planningSources?: PlanningSource | readonly PlanningSource[];
  /** Names of the planning sources (`portfolio.sources`) that its partitions need: it is planned after the datasets that provide them. */
  readonly plannedFrom?: readonly string[];
  /** Datasets of the same stage whose answers decide whether it is due: it is planned after they are loaded. */
  readonly awaits?: readonly string[];
  /** True if each partition depends on one app: several workers then plan parts of the apps. Others are planned from all apps at once. */
  readonly byApp?: true;
  /** True if its partitions depend on keywords. Others are planned from a portfolio with at most one keyword per country. */
  readonly fromKeywords?: true;
  /** Its own options in the configuration, each with its default and a sentence; null if it has none. */
  readonly options: z.ZodObject | null;
  /**
   * What it is fetched for, with options as the configuration gives them. Every effect of an option on a call or row is part of the scope,
   * so that stored answers keep their meaning when the configuration changes.
   */
  readonly partitions: (portfolio: Portfolio, options?: unknown) => readonly Partition[];
  /**
   * The parameters of the call that answers a slice, without paging; if a slice takes several calls, those of call number `call`, from 0.
   */
  readonly request: (slice: Slice, call?: number) => Params;
  /**
   * Turns the checked answer, one value per page, into rows; what the answer does not echo comes from the slice. `invalid`: items that do
   * not fit the contract and were left out; no row may say anything about them.
   */
  readonly normalise: (slice: Slice, pages: readonly unknown[], invalid: readonly InvalidItem[]) => Normalised;
};

/**
 * A dataset as its file defines it: its partitions take the options with every default filled in. Its operations are given by store, each
 * for the scopes of that store, or as a list, each for every scope unless `operationsFor` says otherwise.
 */
type Definition<O extends z.ZodObject> = Omit<Dataset, "options" | "partitions" | "operations" | "operationsFor"> &
  Partial<Pick<Dataset, "operationsFor">> & {
    readonly operations: readonly Operation[] | Readonly<Record<Store, Operation>>;
    readonly options?: O;
    readonly partitions: (portfolio: Portfolio, options: z.output<O>) => readonly Partition[];
  };

/** The planning sources that a dataset provides. */
export function planningSourcesOf({ planningSources }: Pick<Dataset, "planningSources">): readonly PlanningSource[] {
  return planningSources === undefined ? [] : [planningSources].flat();
}

const defined = new WeakSet<object>();

/** True for a value that `defineDataset` returned. */
export function isDataset(value: unknown): value is Dataset {
  return typeof value === "object" && value !== null && defined.has(value);
}

/** Freezes a dataset. If a file in `src/datasets` exports it, it is one of the program's datasets. */
export function defineDataset<const O extends z.ZodObject = typeof noOptions>(definition: Definition<O>): Dataset {
  const { options = null, partitions, operations } = definition;
  const read = (options ?? noOptions) as O;
  const isOfAccount = definition.ofAccount === true;
  const dataset = Object.freeze({
    ...definition,
    operations: Object.values(operations),
    operationsFor: definition.operationsFor ?? answering(operations),
    options,
    partitions: (portfolio: Portfolio, given: unknown = {}) => {
      const all = partitions(portfolio, read.parse(given));
      return isOfAccount ? all.map((one) => ({ ...one, scope: withAccount(one.scope, portfolio) })) : all;
    },
    normalise: isOfAccount ? withAccounts(definition) : definition.normalise,
  });
  defined.add(dataset);
  return dataset;
}

const noOptions = z.object({});

function answering(operations: Definition<z.ZodObject>["operations"]): Dataset["operationsFor"] {
  return (scope) => ("ios" in operations ? [operations[part(scope, "store") as Store]] : operations);
}

/** Stamps the account of a slice on rows that have a column for it. */
function withAccounts({ tables, normalise }: Pick<Dataset, "tables" | "normalise">): Dataset["normalise"] {
  const stamped = new Set(tables.filter(({ columns }) => columns[accountColumn] !== undefined).map(({ name }) => name));
  return (slice, pages, invalid) => {
    const found = normalise(slice, pages, invalid);
    const account = slice.scope[accountColumn] ?? "";
    const rows = Object.entries(found.rows).map(([name, own]) => [
      name,
      stamped.has(name as Table["name"]) ? own.map((row) => ({ ...row, [accountColumn]: account })) : own,
    ]);
    return { ...found, rows: Object.fromEntries(rows) };
  };
}

/** True if answers of the dataset may have several pages; the first page shows how many. */
export function isPaged({ operations }: Pick<Dataset, "operations">): boolean {
  return operations.some(({ paging }) => paging !== null);
}

/** How many calls answer a slice; each is stored as a page. */
export function callsOf(dataset: Dataset, slice: Pick<Slice, "operation" | "scope">): number {
  return dataset.wholeList !== undefined && isWholeList(dataset, slice) ? dataset.wholeList.calls(slice.scope) : 1;
}

/** True for a slice whose call names none of its items: no single item can be the cause if the call fails. */
export function isWholeList({ wholeList }: Dataset, { operation }: Pick<Slice, "operation">): boolean {
  return wholeList?.operation.id === operation;
}

/** A part of a scope that the dataset's own partitions always set. */
export function part(scope: Scope, name: string): string {
  const value = scope[name];
  if (value === undefined) throw new Error(`the scope has no ${name}`);
  return value;
}

/** True if a table of a dataset keeps a history: an answer about a day says something about later ones. */
export function hasHistory({ tables }: Pick<Dataset, "tables">): boolean {
  return tables.some(({ load }) => load.kind === "history");
}
