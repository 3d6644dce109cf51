import { Client } from "pg";
import type { Details, Parameter, Place, Query } from "./metabase-shapes.ts";

type Settings = Record<string, unknown>;

type FieldRow = {
  id: number;
  name: string;
  display_name: string;
  description: string | null;
  semantic_type: string | null;
  visibility_type: string;
  has_field_values: string;
  fk_target_field_id: number | null;
  settings: Settings | null;
  active: boolean;
};
type TableRow = {
  id: number;
  db_id: number;
  schema: string;
  name: string;
  description: string | null;
  active: boolean;
  fields: FieldRow[];
};
export type CardRow = {
  id: number;
  name: string;
  description: string | null;
  type: string;
  display: string;
  archived: boolean;
  collection_id: number | null;
  dataset_query: Query;
  visualization_settings: Settings;
};
export type DashboardRow = {
  id: number;
  name: string;
  description: string | null;
  archived: boolean;
  collection_id: number | null;
  parameters: Parameter[];
  dashcards: (Place & { id: number })[];
  tabs: { id: number; name: string }[];
};

/** The state of a Metabase. Tests read it, and change it as a person in the browser would. */
export type MetabaseState = {
  version: string;
  admin: { email: string; password: string } | null;
  setupToken: string | null;
  readonly apiKeys: Map<string, { isAdmin: boolean }>;
  readonly sessions: Set<string>;
  readonly databases: Map<number, { id: number; name: string; engine: string; details: Details }>;
  tables: TableRow[];
  readonly collections: Map<
    number,
    { id: number; name: string; description: string | null; archived: boolean; location: string }
  >;
  readonly cards: Map<number, CardRow>;
  readonly dashboards: Map<number, DashboardRow>;
  /** Reads of the metadata that still show nothing new after a schema was to be read. */
  slowSync: number;
  /** Whether comments are read together with the schema. */
  readsComments: boolean;
  lastId: number;
};

/** A Metabase on its first day. */
export function newState(): MetabaseState {
  return {
    version: "v0.64.2.2",
    admin: null,
    setupToken: "first-day-token",
    apiKeys: new Map(),
    sessions: new Set(),
    databases: new Map(),
    tables: [],
    collections: new Map(),
    cards: new Map(),
    dashboards: new Map(),
    slowSync: 0,
    readsComments: true,
    lastId: 0,
  };
}

/** The next id; one row of numbers for everything, so that no id fits a thing of another kind. */
export function nextId(state: MetabaseState): number {
  state.lastId += 1;
  return state.lastId;
}

/** Reads the schema of the warehouse as the reader sees it: the tables of the patterns with their columns, of ops the views. Keys are not read. */
export async function readSchema(state: MetabaseState, databaseId: number, url: string): Promise<void> {
  const patterns = state.databases.get(databaseId)?.details["schema-filters-patterns"]?.split(/,\s*/) ?? [];
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<SchemaRow>(
    `select n.nspname as schema, c.relname as name, obj_description(c.oid, 'pg_class') as comment,
            array_agg(a.attname::text order by a.attnum) as columns,
            array_agg(col_description(c.oid, a.attnum) order by a.attnum) as comments
     from   pg_class as c
     join   pg_namespace as n on n.oid = c.relnamespace
     join   pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where  n.nspname = any ($1) and c.relkind = any (case n.nspname when 'ops' then array['v'] else array['r', 'p', 'v'] end)
     group  by c.oid, n.nspname, c.relname order by 1, 2`,
    [patterns],
  );
  await client.end();
  for (const row of rows) learn(state, databaseId, row);
}

type SchemaRow = {
  readonly schema: string;
  readonly name: string;
  readonly comment: string | null;
  readonly columns: readonly string[];
  readonly comments: readonly (string | null)[];
};

/** Comments come with what is new; they are not read again. */
function learn(
  state: MetabaseState,
  databaseId: number,
  { schema, name, comment, columns, comments }: SchemaRow,
): void {
  let table = state.tables.find((one) => one.schema === schema && one.name === name);
  if (table === undefined) {
    const description = state.readsComments ? comment : null;
    table = { id: nextId(state), db_id: databaseId, schema, name, description, active: true, fields: [] };
    state.tables.push(table);
  }
  for (const [index, column] of columns.entries()) {
    if (table.fields.some((field) => field.name === column)) continue;
    table.fields.push({
      ...newField(state, column),
      description: state.readsComments ? (comments[index] ?? null) : null,
    });
  }
}

function newField(state: MetabaseState, name: string): FieldRow {
  const words = name.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return {
    id: nextId(state),
    name,
    display_name: words.join(" "),
    description: null,
    semantic_type: null,
    visibility_type: "normal",
    has_field_values: "auto-list",
    fk_target_field_id: null,
    settings: null,
    active: true,
  };
}
