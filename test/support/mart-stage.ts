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
  /** Writes a slice of the ledger, in the one run of the stage. */
  readonly slice: (slice: MartSlice) => Promise<void>;
  /** Gives apps names: `{ "ios:1": "Ours" }`. */
  readonly name: (names: Readonly<Record<string, string>>) => Promise<void>;
  /** Rows of a query, each as its values with ` | ` between them: null as -, numbers to four places. As of `today` where it is named. */
  readonly ask: (query: string, today?: string) => Promise<readonly string[]>;
};

/** A slice: loaded, daily and planned on the day after its days unless said otherwise. `days` has the first one and the day after the last. */
type MartSlice = {
  readonly dataset: string;
  readonly scope: object;
  readonly days: readonly [string, string];
  readonly state?: string;
  readonly class?: string;
  readonly asOf?: string;
  /** Keywords or ids that it names; left out where the scope says it all. */
  readonly items?: readonly string[] | undefined;
  readonly error?: string | null;
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
    slice: (slice) => insertSlice(stage.db, slice),
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

async function insertSlice(
  db: Database,
  {
    dataset,
    scope,
    days: [from, to],
    state = "loaded",
    class: of = "daily",
    asOf = to,
    items,
    error = null,
  }: MartSlice,
): Promise<void> {
  await sql`
    insert into ops.run (kind, as_of, datasets, started_at)
    select 'sync', ${asOf}, '{}', ${asOf}::timestamp at time zone 'UTC' where not exists (select from ops.run)`.execute(
    db,
  );
  await sql`
    with list as (
      insert into ops.batch (items, digest)
      select ${[...(items ?? [])]}::text[], ${items?.join(" ") ?? ""} where ${items !== undefined}::boolean
      on conflict (digest) do update set digest = excluded.digest
      returning batch_id
    )
    insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, error_code,
                           planned_requests, planned_credits, run_id, created_at, ended_at)
    select ${dataset}, 'o', ${JSON.stringify(scope)}::jsonb, (select batch_id from list), ${from}::date, ${to}::date, ${asOf}::date, '', ${of},
           ${state}, ${error}, 1, 1, run_id, ${asOf}::timestamp at time zone 'UTC', ${asOf}::timestamp at time zone 'UTC'
    from   ops.run`.execute(db);
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
