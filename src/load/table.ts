/**
 * How a column is stored and, for keys of dimensions, how rows name it:
 * `app` as `store:trackId`, `keyword`, `country` and `device` by their code. The loader finds the keys.
 * `day` is a day that the row is about (its own, or an end of its period), `date` any other date. `timestamp` is a clock reading without
 * zone, `timestamptz` an instant as `YYYY-MM-DDTHH:MM:SSZ`. `json` is JSON as text (see `jsonOf`).
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
 * `upsert`: row by row by key. If several sources report the same row, `ranked` names the column with the source and its values, the worst
 * first: a better source wins over a worse one, even over a later answer, and within a source the later answer wins. `replace`: as a whole
 * for the values that the slice, not each row, has in the columns of `scope`, in which `date_day`, or `period_start` without `period_end`,
 * means all days of the answer; members that left are deleted. With `onlyReported`, a day without a row in the answer keeps its rows, and
 * an answer without any row changes nothing. If a rule names a `source` column, a day has rows with only one value of it, even if an
 * answer has invalid items. `ranked` as above, for scopes that share a row.
 * `history`: one row per range of days (`valid_from`, `valid_to`, `is_current`); within `scope` a member that left, or whose `versioned`
 * columns changed, is closed.
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

/** The column with the source of a row, and its stored values, the worst first; any other value is worse than these. */
export type Ranked = { readonly column: string; readonly sources: readonly string[] };

/**
 * A table of sums over the rows of another, updated in each transaction that changes these rows: queries over many rows read the sums. Only
 * tables that are loaded row by row may have one.
 */
export type Sums = {
  /** Schema and name. */
  readonly name: `core.${string}`;
  /** Columns of the other table's key that the sums are grouped by, including the day that it is partitioned by. */
  readonly key: readonly string[];
  /** Columns of that key (keys of dimensions) that writers lock by: loads without a common value never wait for each other. */
  readonly lockedBy: readonly string[];
  /** Columns of the other table that sums are made of, apart from those of the key. */
  readonly madeOf: readonly string[];
  /** Columns with their sums: whole numbers that can be added up, 0 if there is nothing. */
  readonly columns: Readonly<Record<string, Sum>>;
};

/** A sum in both forms: as SQL over the rows `t`, and as what one row adds to it, computed only from its `madeOf` columns. */
type Sum = { readonly sql: string; readonly of: (row: Row) => number };

/** A table of the warehouse as the loader sees it. `slice_id` and `fetched_at` (and the history columns) are added by the loader. */
export type Table<C extends Readonly<Record<string, ColumnKind>> = Readonly<Record<string, ColumnKind>>> = {
  /** Schema and name. */
  readonly name: `${"core" | "ops"}.${string}`;
  readonly columns: C;
  /** Columns that identify a row; never null. */
  readonly key: readonly string[];
  readonly load: LoadRule;
  /** For a table that several datasets write: the values that mark rows of this one. */
  readonly owned?: Readonly<Record<string, readonly string[]>>;
  /**
   * True if the source restates figures: the values of a row before it changed or was deleted are kept in `ops.restated_value`. An answer
   * without any row of its scope deletes nothing.
   */
  readonly restated?: true;
  /**
   * Columns whose values the source restates, set if the lookback is to be learned (`ops.compared_day`); `amounts` are those whose sum
   * shows how much a movement matters.
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
 * The columns with the first and the last day that a row of the table is about (the same column for a row of one day); null if rows have no
 * days.
 */
export function dayColumns({
  columns,
}: Pick<Table, "columns">): { readonly first: string; readonly last: string } | null {
  if (columns["period_start"] === "day") return { first: "period_start", last: "period_end" };
  return columns["date_day"] === "day" ? { first: "date_day", last: "date_day" } : null;
}

/** A row whose table the compiler does not know. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** How sources of one row are ranked in a table, if there are several. */
export function rankedBy({ load }: Pick<Table, "load">): Ranked | undefined {
  return "ranked" in load ? load.ranked : undefined;
}

/** A value in the form for a `json` column; null for nothing. Names stay in the given order. */
export function jsonOf(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

/** The column of tables whose rows belong to one account; empty for the account of API_TOKEN. */
export const accountColumn = "account";

/** The fields of an item without their own column, in the form for a `json` column: all except the known ones. Null if none is left. */
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
