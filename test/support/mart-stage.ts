import { sql } from "../../src/postgres/sql.ts";
import { day } from "../../src/core/day.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import type { Database } from "../../src/postgres/database.ts";
import { defineTable, type Row, type Table } from "../../src/load/table.ts";
import { openWarehouseStage, type WarehouseStage } from "./warehouse-stage.ts";

/** A small warehouse that is filled by hand, row by row and through the loader, and queried in SQL. */
export type MartStage = AsyncDisposable & {
  readonly db: Database;
  /**
   * Writes rows of a table of core as the loader would: `app_key: "ios:1"`, `country_key: "US"`, `keyword_key: "plan"`. A column of the
   * key, or a country or device beside it, that is left out is '', ALL or false, any other one null. `at` is when the answer was received, in epoch-ms.
   */
  readonly fill: (table: `core.${string}`, rows: readonly Row[], at?: number) => Promise<void>;
  /** Loads as a slice does, in the table's own way. */
  readonly load: WarehouseStage["load"];
  /** Gives apps names: `{ "ios:1": "Ours" }`. */
  readonly name: (names: Readonly<Record<string, string>>) => Promise<void>;
  /** Rows of a query, each as its values with ` | ` between them: null as -, numbers to four places. As of `today` where it is named. */
  readonly ask: (query: string, today?: string) => Promise<readonly string[]>;
};

/** Opens an empty one. */
export async function openMartStage(): Promise<MartStage> {
  await using opened = new AsyncDisposableStack();
  const stage = opened.use(await openWarehouseStage(2));
  const stack = opened.move();
  return {
    db: stage.db,
    fill: (name, rows, at = 1_000) => {
      const table = asFilled(name);
      return stage.load({ table, rows: rows.map((row) => whole(table, row)), day: day("2026-08-01"), at });
    },
    load: stage.load,
    name: async (names) => {
      for (const [app, name] of Object.entries(names))
        await sql`
          insert into core.dim_app (store, track_id, app_name) values (${app.split(":")[0]}, ${app.split(":")[1]}, ${name})
          on conflict (store, track_id) do update set app_name = excluded.app_name`.execute(stage.db);
    },
    ask: async (query, today = "") => {
      const rows = await stage.db.transaction().execute(async (transaction) => {
        await sql`select set_config('storehouse.today', ${today}, true)`.execute(transaction);
        return (await sql<Record<string, unknown>>`${sql.raw(query)}`.execute(transaction)).rows;
      });
      return rows.map((row) => Object.values(row).map(reported).join(" | "));
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function reported(value: unknown): string {
  if (value === null) return "-";
  if (typeof value !== "string") return value instanceof Date ? value.toISOString() : JSON.stringify(value);
  return /^-?\d+\.\d+$/.test(value) ? String(Number(Number(value).toFixed(4))) : value;
}

/** A table of a dataset, filled row by row for any load strategy; a history with the columns of its stretch. */
function asFilled(name: string): Table {
  const table = datasets.flatMap(({ tables }) => tables).find((one) => one.name === name);
  if (table === undefined) throw new Error(`no dataset loads ${name}`);
  const stretch = { valid_from: "date", valid_to: "date", is_current: "boolean" } as const;
  const isHistory = table.load.kind === "history";
  return defineTable({
    ...table,
    columns: isHistory ? { ...table.columns, ...stretch } : table.columns,
    key: isHistory ? [...table.key, "valid_from"] : table.key,
    load: { kind: "upsert" },
  });
}

const nothing = { country: "ALL", device: "ALL", boolean: false, text: "" } as const;

function whole({ columns, key }: Table, row: Row): Row {
  const unknown = Object.keys(row).find((column) => !(column in columns));
  if (unknown !== undefined) throw new Error(`there is no column ${unknown}`);
  return Object.fromEntries(
    Object.entries(columns).map(([column, kind]) => {
      const isNamed = key.includes(column) || kind === "country" || kind === "device";
      const none = isNamed && kind in nothing ? nothing[kind as keyof typeof nothing] : null;
      return [column, row[column] ?? none];
    }),
  );
}
