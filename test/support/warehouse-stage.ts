import { sql } from "../../src/postgres/sql.ts";
import type pg from "pg";
import { day } from "../../src/core/day.ts";
import { pgTypes } from "../../src/load/columns.ts";
import { openWarehouse, type Database } from "../../src/postgres/database.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { prepareLoad, runLoads } from "../../src/load/load.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { Load } from "../../src/load/ready-load.ts";
import type { Table } from "../../src/load/table.ts";
import { freshDatabase } from "./database.ts";

/** A warehouse in a database of the test's own. */
export interface WarehouseStage extends AsyncDisposable {
  readonly url: string;
  readonly db: Database;
  readonly pool: pg.Pool;
  /** Makes a table as a migration would, from its definition. */
  readonly create: (table: Table) => Promise<void>;
  readonly empty: (...tables: readonly Table[]) => Promise<void>;
  /** Loads as a slice does: keys and partitions first, then one transaction. Slice 1, received at `at`, on 1 August, whole, unless said otherwise. */
  readonly load: (load: Pick<Load, "table" | "rows"> & Partial<Load> & { readonly at?: number }) => Promise<void>;
  /** Every row in the order of the selected columns, `select` being a select list. */
  readonly rows: (table: Table, select: string) => Promise<readonly Record<string, unknown>[]>;
  /** Which version of each row is on disk: the same before and after means that nothing was written. */
  readonly versions: (table: Table) => Promise<readonly unknown[]>;
}

/** Opens a warehouse of `size` connections. */
export async function openWarehouseStage(size = 5): Promise<WarehouseStage> {
  await using opened = new AsyncDisposableStack();
  const { url } = opened.use(await freshDatabase());
  const { db, pool } = opened.use(await openWarehouse(url, size));
  const dimensions = createDimensions(db);
  const partitions = createPartitions(db);
  const stack = opened.move();
  return {
    url,
    db,
    pool,
    create: (table) => createTable(db, table),
    empty: async (...tables) =>
      void (await sql`truncate ${sql.join(tables.map(({ name }) => sql.ref(name)))}`.execute(db)),
    load: async ({ at = 1_000, ...given }) => {
      const load = { sliceId: "1", fetchedAt: at, day: day("2026-08-01"), scope: {}, complete: true, ...given };
      const ready = await prepareLoad(load, dimensions, partitions);
      await db.transaction().execute((transaction) => runLoads(transaction, [ready], dimensions));
    },
    rows: async (table, select) => {
      const result = await sql`select ${sql.raw(select)} from ${sql.ref(table.name)} order by 1, 2`.execute(db);
      return result.rows as Record<string, unknown>[];
    },
    versions: async (table) => {
      const result =
        await sql`select tableoid, ctid::text, xmin::text from ${sql.ref(table.name)} order by 1, 2`.execute(db);
      return result.rows;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function createTable(db: Database, table: Table): Promise<void> {
  const columns = Object.entries(table.columns).map(([name, kind]) => sql`${sql.id(name)} ${sql.raw(pgTypes[kind])}`);
  const history = table.load.kind === "history";
  const stretch = history ? [sql`valid_from date not null, valid_to date, is_current boolean`] : [];
  const key = [...table.key, ...(history ? ["valid_from"] : [])];
  await sql`
    create table ${sql.ref(table.name)} (${sql.join([...columns, ...stretch])}, slice_id bigint, fetched_at timestamptz,
      primary key (${sql.join(key.map((column) => sql.id(column)))}))
    ${sql.raw(table.partitioned ? "partition by range (date_day)" : "")}`.execute(db);
}
