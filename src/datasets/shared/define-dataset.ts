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

/** What people ask of the figures as a whole: whether the ranks can be trusted today, the reviews, and so on. */
export const families = ["rank", "reviews", "category", "visibility", "search_ads", "estimates"] as const;

/** Who a dataset is fetched for. Two partitions with the same scope are the same one. */
export type Partition = {
  readonly scope: Scope;
  /** What calls name by the batch (keywords, ids); null where the scope says it all. */
  readonly items: readonly string[] | null;
  /** Those items that the account tracks: a call that names no items answers for these alone. */
  readonly tracked?: readonly string[];
  /** Its own timing, where it differs from the dataset's. */
  readonly timing?: Timing;
  /** What the portfolio knows that changes the answer; when it differs from the last one, that answer is stale. */
  readonly fingerprint?: string;
  /** True where the service is known to have data: an empty answer is not accepted as one. */
  readonly expected?: boolean;
  /** What is requested as well where its answers turn out otherwise than hoped (`where`, in words); left out where it is known how they are. */
  readonly otherwise?: { readonly where: string; readonly partitions: readonly Partition[] };
  /** How it is requested, in words, where earlier answers showed that the usual way does not work. */
  readonly how?: string;
};

/** What an answer becomes: rows by table name, and items that fit the contract but not the table. */
export type Normalised = {
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  readonly invalid: readonly InvalidItem[];
  /** Items of the slice that the answer does not mention at all: they count as not requested by this fetch option. */
  readonly unanswered?: readonly string[];
};

/** How an answer about several days shows through which day it reports. */
type ReportedBy = {
  /** The column of the first table that holds the day, or the time, that the answer itself gives a row; null in rows that only the request stands behind. */
  readonly column: string;
  /**
   * So many days without a row are ordinary at the end of an answer and count as answered: of events, and of ranks that an app may not
   * have. Left out where the service reports each day.
   */
  readonly quietDays?: number;
};

/** What answers report of another dataset, whose partitions have the same scope. */
type AlsoAnswers = {
  readonly dataset: string;
  readonly option: string;
  /** The figures of that dataset that an answer reports, by day and item: only those that are certain. */
  readonly figures: (slice: Slice, pages: readonly unknown[]) => ReadonlyMap<Day, ReadonlyMap<string, number>>;
  /** The cell of a row of that dataset, and its figure, which is compared with the reported one. */
  readonly figureOf: (row: Row) => { readonly day: Day; readonly item: string; readonly figure: number | null };
};

/** Something worth a table: who it is fetched for, which operations feed it, how answers become its rows. Data and pure functions. */
export type Dataset = {
  readonly name: string;
  readonly summary: string;
  /**
   * `portfolio` datasets list the apps, countries and keywords of the account, `listing` datasets what others are planned from beside
   * the portfolio (see `planningSources`), `market` datasets all else. Each stage is up to date before the next one is planned.
   */
  readonly stage: (typeof stages)[number];
  /** The family that its figures belong to; left out for what is none of them, such as lists. */
  readonly family?: (typeof families)[number];
  /** True for a dataset that a sync fetches without naming it. */
  readonly on: boolean;
  /** Why it is on or off by default. */
  readonly why: string;
  readonly timing: Timing;
  readonly tables: readonly Table[];
  /** Those of its tables that only answers of `otherwise` partitions fill; none when left out. */
  readonly tablesOtherwise?: readonly Table[];
  /**
   * True where an answer holds for the account that requested it: its scopes name the account (not that of API_TOKEN), so that each
   * account is planned for itself, and rows of a table with the column `account` are of it. Other answers are facts, and fetched once.
   */
  readonly ofAccount?: true;
  /** Every operation that may feed it. */
  readonly operations: readonly Operation[];
  /** The operations that can answer for one scope; the plan takes the cheapest. */
  readonly operationsFor: (scope: Scope) => readonly Operation[];
  /** The most pages of an answer that are requested unless the configuration says otherwise: for operations that bill by the page. */
  readonly mostPages?: number;
  /** Items that one call names where its operation takes a list and sets no limit. */
  readonly itemsPerCall?: number;
  /** True where the items of its partitions are apps: a track id, or a country and a track id (`US:123`). */
  readonly itemsAreApps?: true;
  /** The most days that one call requests unless the configuration says otherwise, where the operation sets no suitable limit. */
  readonly longestWindow?: number;
  /** Of each dataset that requests several days in one call and gets rows with days of their own: see `tailOf`. */
  readonly reportedBy?: ReportedBy;
  /** The operation that names no items and answers for all that the account tracks on a day, and how many calls that takes (one a device). It has no pages. */
  readonly wholeList?: { readonly operation: Operation; readonly calls: (scope: Scope) => number };
  /**
   * True where equal answers to equal requests become equal rows at any time, of the slice's own scope, days and items, and where no
   * other dataset writes those rows: an unchanged answer is not loaded again.
   */
  readonly answersRepeat?: true;
  /** What its answers report of another dataset beside their own; loaded where its option of this name is true. */
  readonly alsoAnswers?: AlsoAnswers;
  /** What other datasets are planned from, read from the current rows of a table of this one. */
  readonly planningSources?: PlanningSource | readonly PlanningSource[];
  /** Names of the planning sources that its partitions are made from (`portfolio.sources`); it is planned after the datasets that provide them. */
  readonly plannedFrom?: readonly string[];
  /**
   * Datasets of its stage, planned before it, whose answers say whether it is due: it is planned once they are in, so that it is not
   * requested once more for what they bring.
   */
  readonly awaits?: readonly string[];
  /**
   * True where the partitions of several apps are those of each of them: some apps are planned at a time, beside others and by several
   * workers. Others are planned from all apps at once.
   */
  readonly byApp?: true;
  /** True where its partitions are made from the keywords of the portfolio. Others are planned from one that has at most one keyword a country. */
  readonly fromKeywords?: true;
  /** Its own options in the configuration, each with its default and a sentence; null where it has none. */
  readonly options: z.ZodObject | null;
  /**
   * Who it is fetched for, with options as the configuration gives them. All that an option changes in a call or a row is part of the
   * scope, so that an answer keeps its meaning when the configuration changes.
   */
  readonly partitions: (portfolio: Portfolio, options?: unknown) => readonly Partition[];
  /** The parameters of the call that answers a slice, without paging; where a slice takes several calls, those of call number `call`, from 0. */
  readonly request: (slice: Slice, call?: number) => Params;
  /**
   * Turns the checked answer, one value a page, into rows. What the answer does not echo is stamped from the slice.
   * `invalid` holds the items that were left out because they do not fit the contract: no row may claim anything about those.
   */
  readonly normalise: (slice: Slice, pages: readonly unknown[], invalid: readonly InvalidItem[]) => Normalised;
};

/**
 * A dataset as its file defines it: its partitions take the options with every default filled in. Its operations by store, each of which
 * answers for the scopes of its store, or a list; each of a list can answer for every scope unless `operationsFor` says otherwise.
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

/** True for what `defineDataset` made. */
export function isDataset(value: unknown): value is Dataset {
  return typeof value === "object" && value !== null && defined.has(value);
}

/** Freezes a dataset; exported from a file of `src/datasets` it is one of the program's datasets. */
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

/** True where answers of the dataset may have several pages; how many is known only when the first is read. */
export function isPaged({ operations }: Pick<Dataset, "operations">): boolean {
  return operations.some(({ paging }) => paging !== null);
}

/** How many calls answer a slice; each is stored as a page of it. */
export function callsOf(dataset: Dataset, slice: Pick<Slice, "operation" | "scope">): number {
  return dataset.wholeList !== undefined && isWholeList(dataset, slice) ? dataset.wholeList.calls(slice.scope) : 1;
}

/** True for a slice whose call names none of its items: a problem of the call is a problem of no single item. */
export function isWholeList({ wholeList }: Dataset, { operation }: Pick<Slice, "operation">): boolean {
  return wholeList?.operation.id === operation;
}

/** A part of a scope that the dataset's own partitions always set. */
export function part(scope: Scope, name: string): string {
  const value = scope[name];
  if (value === undefined) throw new Error(`the scope has no ${name}`);
  return value;
}
