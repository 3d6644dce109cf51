import type { Day } from "../core/day.ts";
import type { EncodedColumn } from "./column-array.ts";
import type { CountedSums } from "./counted-sums.ts";
import type { RowColumns } from "./row-columns.ts";
import type { Row, Table } from "./table.ts";

/** Rows of one slice for one table. `day` is the day of observation; history rows start or end on it. */
export type Load = {
  readonly table: Table;
  readonly rows: readonly Row[];
  /** The columns of the rows, if they were already extracted. */
  readonly columns?: RowColumns | undefined;
  readonly sliceId: string;
  /** Epoch-ms at which the answer was received: an older answer never wins over a newer one. */
  readonly fetchedAt: number;
  readonly day: Day;
  /** The day after the last one that the answer is about, if it is about several. */
  readonly until?: Day;
  /**
   * The values of the table's `scope` columns, for `replace` and `history`: stored rows of this scope that are not in the load are gone.
   */
  readonly scope: Row;
  /** False if items of the answer are invalid: a member that it does not name may be one of them. */
  readonly complete: boolean;
  /** True if pages of the answer were not read: members that it does not name may be on these pages, and stay. */
  readonly isCut?: boolean;
  /**
   * True if a later answer was about the same days: in a table that is loaded row by row, these rows only fill in what is missing. A stored
   * row may be equal to that of the later answer, and then nothing shows that the later answer had it. In a history they change nothing.
   */
  readonly isOutdated?: boolean;
};

/**
 * A load whose keys and partitions exist. Rows that are loaded row by row are encoded already: as objects they would stay in memory for
 * long.
 */
export type ReadyLoad = Omit<Load, "rows" | "columns"> & {
  readonly count: number;
  /** Null if rows are replaced as a whole, or if there are none. */
  readonly encoded: ReadonlyMap<string, EncodedColumn> | null;
  /** Sums over the rows; null if the table has none. */
  readonly sums: CountedSums | null;
  /** Empty if rows are encoded. */
  readonly rows: readonly Row[];
  /** True if none of its rows is stored yet: they are inserted without looking up each of them. */
  readonly isNew?: boolean;
  /** Days that determine the partitions of rows; none if the table has no partitions. */
  readonly days: ReadonlySet<Day>;
};
