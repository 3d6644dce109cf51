/**
 * How a column is stored and, for keys of dimensions, in which words rows name it:
 * `app` as `store:trackId`, `keyword`, `country` and `device` by their code. The loader looks the keys up.
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
  | "timestamp";

/**
 * How rows replace older ones.
 * `upsert`: row by row by key. `replace`: as a whole for the values of `scope`; members that left are gone.
 * `history`: one row a stretch of days (`valid_from`, `valid_to`, `is_current`); within `scope` a member that left, or whose
 * `versioned` columns changed, is closed.
 */
type LoadRule =
  | { readonly kind: "upsert" }
  | { readonly kind: "replace"; readonly scope: readonly string[] }
  | { readonly kind: "history"; readonly scope: readonly string[]; readonly versioned: readonly string[] };

/** A table of the warehouse as the loader sees it. `slice_id` and `fetched_at` (and the history columns) are added by the loader. */
export type Table<C extends Readonly<Record<string, ColumnKind>> = Readonly<Record<string, ColumnKind>>> = {
  /** Schema and name. */
  readonly name: `core.${string}`;
  readonly columns: C;
  /** Columns that tell rows apart; never null. */
  readonly key: readonly string[];
  readonly load: LoadRule;
  /** True for facts in monthly partitions by `date_day`. */
  readonly partitioned: boolean;
};

type ValueOf<K extends ColumnKind> = K extends "int" | "bigint" | "number"
  ? number | null
  : K extends "boolean"
    ? boolean | null
    : string | null;

/** A row of a table before its keys are looked up. */
export type RowOf<T extends Table> = { readonly [C in keyof T["columns"]]: ValueOf<T["columns"][C]> };

/** A row whose table is not known to the compiler. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** Freezes a table. */
export function defineTable<const C extends Readonly<Record<string, ColumnKind>>>(table: Table<C>): Table<C> {
  return Object.freeze(table);
}

/** The name by which rows speak of an app. */
export function appRef(store: string, trackId: string | number): string {
  return `${store}:${trackId}`;
}
