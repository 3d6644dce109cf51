/**
 * How a column is stored and, for keys of dimensions, how rows name it:
 * `app` as `store:trackId`, `keyword`, `country` and `device` by their code. The loader finds the keys.
 * `day` is a day that the row stands for (its own, or an end of its period), `date` any other one. `timestamp` is a clock reading
 * without zone, `timestamptz` an instant as `YYYY-MM-DDTHH:MM:SSZ`. `json` is JSON as text (see `jsonOf`).
 */
export type ColumnKind =
  | "app"
  | "keyword"
  | "country"
  | "device"
  | "day"
  | "text"
  | "int"
  | "bigint"
  | "number"
  | "boolean"
  | "timestamp"
  | "timestamptz"
  | "date"
  | "json";

/**
 * How rows replace older ones.
 * `upsert`: row by row by key. Where several sources report one row, `ranked` names the column with the source and its values, the worst
 * first: a better source wins over a worse one, even over a later one, and within a source the later answer wins. `replace`: as a whole for
 * the values of `scope`, in which `date_day`, or `period_start` without `period_end`, stands for all days of the answer; members that left
 * are gone. With `onlyReported` a day that the answer has no row of stays as it was, and so does all where it has none. A day holds rows
 * of one value of `source` only, if the table names such a column, even where an answer has invalid items. `ranked` as above, for scopes
 * that have a row in common.
 * `history`: one row a stretch of days (`valid_from`, `valid_to`, `is_current`); within `scope` a member that left, or whose
 * `versioned` columns changed, is closed.
 */
type LoadRule =
  | { readonly kind: "upsert"; readonly ranked?: Ranked }
  | {
      readonly kind: "replace";
      readonly scope: readonly string[];
      readonly onlyReported?: true;
      readonly source?: string;
      readonly ranked?: Ranked;
    }
  | { readonly kind: "history"; readonly scope: readonly string[]; readonly versioned: readonly string[] };

/** The column with the source of a row, and its values as they are stored, the worst first; any other value is worse than these. */
export type Ranked = { readonly column: string; readonly sources: readonly string[] };

/**
 * A table of sums over the rows of another, updated in each transaction that changes those: queries over many rows read the sums. Only
 * tables that are loaded row by row may have one.
 */
export type Sums = {
  /** Schema and name. */
  readonly name: `core.${string}`;
  /** Columns of the other table's key by which it is summed, the day that it is cut by among them. */
  readonly key: readonly string[];
  /** Columns of that key, keys of dimensions, by which writers lock: loads that share no value of them never wait for each other. */
  readonly lockedBy: readonly string[];
  /** Columns of the other table that sums are made of, beside those of the key. */
  readonly madeOf: readonly string[];
  /** Columns with their sums: whole numbers that add up, 0 where there is nothing. */
  readonly columns: Readonly<Record<string, Sum>>;
};

/** A sum in both places in which it is counted: as SQL over the rows `t`, and as what one row adds to it by its columns of `madeOf` alone. */
type Sum = { readonly sql: string; readonly of: (row: Row) => number };

/** A table of the warehouse as the loader sees it. `slice_id` and `fetched_at` (and the history columns) are added by the loader. */
export type Table<C extends Readonly<Record<string, ColumnKind>> = Readonly<Record<string, ColumnKind>>> = {
  /** Schema and name. */
  readonly name: `${"core" | "ops"}.${string}`;
  readonly columns: C;
  /** Columns that identify a row; never null. */
  readonly key: readonly string[];
  readonly load: LoadRule;
  /** Of a table that several datasets write: the values that mark rows of this one. */
  readonly owned?: Readonly<Record<string, readonly string[]>>;
  /**
   * True where the source restates figures: the values of a row before it changed or went are kept in `ops.restated_value`. An answer
   * without any row of its scope clears nothing.
   */
  readonly restated?: true;
  /**
   * Columns whose values the source restates, where it is to be learned for how long (`ops.compared_day`); `amounts` are those of them
   * whose sum says how much a movement matters.
   */
  readonly figures?: { readonly values: readonly string[]; readonly amounts: readonly string[] };
  /** Sums over its rows that its loads update. */
  readonly sums?: Sums;
  /** True for facts in monthly partitions by `partitionColumn`. */
  readonly partitioned: boolean;
};

/** The column by whose months a table is partitioned: the day of its rows, or the first day of their period. */
export function partitionColumn({ columns }: Pick<Table, "columns">): string {
  return dayColumns({ columns })?.first ?? "date_day";
}

/**
 * The columns that hold the first and the last day that a row of the table stands for, the same one for a row of one day; null where
 * rows stand for no days of their own.
 */
export function dayColumns({
  columns,
}: Pick<Table, "columns">): { readonly first: string; readonly last: string } | null {
  if (columns["period_start"] === "day") return { first: "period_start", last: "period_end" };
  return columns["date_day"] === "day" ? { first: "date_day", last: "date_day" } : null;
}

/** A row whose table is not known to the compiler. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** How sources of one row are ranked in a table, if there are several. */
export function rankedBy({ load }: Pick<Table, "load">): Ranked | undefined {
  return "ranked" in load ? load.ranked : undefined;
}

/** A value as a `json` column takes it; null for nothing. Names are kept in the order given. */
export function jsonOf(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

/** The column of tables whose rows hold for one account alone; empty for the account of API_TOKEN. */
export const accountColumn = "account";

/** What of an item has no column of its own, as a `json` column takes it: every field but those named. Null where nothing is left. */
export function extraOf(item: Readonly<Record<string, unknown>>, known: readonly string[]): string | null {
  const left = Object.entries(item).filter(
    ([name, value]) => !known.includes(name) && value !== null && value !== undefined,
  );
  return left.length === 0 ? null : jsonOf(Object.fromEntries(left));
}

/** Freezes a table. */
export function defineTable<const C extends Readonly<Record<string, ColumnKind>>>(table: Table<C>): Table<C> {
  return Object.freeze(table);
}

/** The name by which rows refer to an app. */
export function appRef(store: string, trackId: string | number): string {
  return `${store}:${trackId}`;
}
