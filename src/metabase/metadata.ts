import { z } from "zod";
import type { Column, Relation } from "../postgres/relations.ts";
import { displayNameOf, isMadeName, presentationOf } from "./column-rules.ts";
import { differing } from "./differences.ts";
import type { Remote, Write } from "./remote.ts";

const Field = z.object({
  id: z.number(),
  name: z.string(),
  display_name: z.string(),
  description: z.string().nullish(),
  semantic_type: z.string().nullish(),
  visibility_type: z.string().nullish(),
  has_field_values: z.string().nullish(),
  fk_target_field_id: z.number().nullish(),
  settings: z.record(z.string(), z.unknown()).nullish(),
  active: z.boolean().optional(),
});
const Table = z.object({
  id: z.number(),
  schema: z.string().nullish(),
  name: z.string(),
  description: z.string().nullish(),
  active: z.boolean().optional(),
  fields: z.array(Field).nullish(),
});

type Field = z.output<typeof Field>;
/** The tables of one database as Metabase has them. */
export const Metadata = z.object({ tables: z.array(Table) });
/** The tables of one database as Metabase has them. */
export type Metadata = z.output<typeof Metadata>;

/** Finds tables and columns of Metabase by their names in the warehouse. */
export type FieldFinder = {
  readonly table: (name: string) => { readonly id: number; readonly description: string | null } | undefined;
  readonly field: (table: string, column: string) => Field | undefined;
};

/** A finder over Metabase's metadata of one database. Tables are named with their schema. */
export function finderOf({ tables }: Metadata): FieldFinder {
  const known = new Map(
    tables.filter(({ active }) => active !== false).map((table) => [`${table.schema}.${table.name}`, table]),
  );
  const fields = new Map(
    [...known].map(([name, table]) => {
      const present = (table.fields ?? []).filter(({ active }) => active !== false);
      return [name, new Map(present.map((field) => [field.name, field]))] as const;
    }),
  );
  return {
    table: (name) => {
      const table = known.get(name);
      return table === undefined ? undefined : { id: table.id, description: table.description ?? null };
    },
    field: (table, column) => fields.get(table)?.get(column),
  };
}

/** Reads Metabase's metadata of a database, including hidden columns. */
export function readMetadata(remote: Remote, databaseId: number): Promise<Metadata> {
  return remote.get(`/api/database/${databaseId}/metadata?include_hidden=true`, Metadata, "show its tables");
}

/** How many changes are under way at once: one after the other would take a minute, and Metabase has other work too. */
const atOnce = 4;

/** Updates descriptions, types, formats, keys and visibility to match comments and names. Other properties stay. */
export async function applyMetadata(
  remote: Remote,
  {
    finder,
    tables,
    say,
  }: { readonly finder: FieldFinder; readonly tables: readonly Relation[]; readonly say: (line: string) => void },
): Promise<void> {
  const writes = tables.flatMap((table) => writesOf(table, finder));
  if (writes.length > 0 && !remote.isDryRun) say(`Describing ${writes.length} tables and columns in Metabase.`);
  for (let from = 0; from < writes.length; from += atOnce)
    await Promise.all(writes.slice(from, from + atOnce).map((write) => remote.write(write)));
}

function writesOf(table: Relation, finder: FieldFinder): readonly Write[] {
  const { name } = table;
  const found = finder.table(name);
  if (found === undefined) return [];
  const described: readonly Write[] =
    table.comment === "" || found.description === table.comment
      ? []
      : [
          {
            what: "table",
            name,
            action: "update",
            properties: ["description"],
            method: "PUT",
            path: `/api/table/${found.id}`,
            body: { description: table.comment },
          },
        ];
  const columns = table.columns.flatMap((column) => {
    const field = finder.field(name, column.name);
    return field === undefined ? [] : writesOfColumn({ table, column, field, finder });
  });
  return [...described, ...columns];
}

type Place = {
  readonly table: Relation;
  readonly column: Column;
  readonly field: Field;
  readonly finder: FieldFinder;
};

function writesOfColumn(place: Place): readonly Write[] {
  const { table, column, field } = place;
  const wanted = wantedOf(place);
  const { settings: format, ...plain } = wanted;
  const properties = differing(plain, field);
  const isShown = format === undefined || differing(format, field.settings ?? {}).length === 0;
  const body = {
    ...Object.fromEntries(properties.map((property) => [property, plain[property]])),
    ...(isShown ? {} : { settings: { ...field.settings, ...format } }),
  };
  const changed = Object.keys(body);
  if (changed.length === 0) return [];
  const change = {
    what: "column",
    name: `${table.name}.${column.name}`,
    action: "update",
    properties: changed,
  } as const;
  return [{ ...change, method: "PUT", path: `/api/field/${field.id}`, body }];
}

type Wanted = { readonly [property: string]: unknown; readonly settings?: Readonly<Record<string, unknown>> };

function wantedOf({ table, column, field, finder }: Place): Wanted {
  const { semantic, format, visibility, values } = presentationOf(column.name, table.name, column.type);
  const shown = displayNameOf(column.name);
  return {
    ...(column.comment === "" ? {} : { description: column.comment }),
    ...(semantic === undefined ? {} : { semantic_type: semantic }),
    ...(visibility === undefined ? {} : { visibility_type: visibility }),
    ...(values === undefined ? {} : { has_field_values: values }),
    // a display name that a person chose stays
    ...(shown === null || !isMadeName(field.display_name, column.name) ? {} : { display_name: shown }),
    ...keyOf(column, table, finder),
    ...(format === undefined ? {} : { settings: format }),
  };
}

function keyOf({ name }: Column, { key, foreignKeys }: Relation, finder: FieldFinder): Wanted {
  const foreign = foreignKeys.find(({ column }) => column === name);
  if (foreign === undefined) return key.length === 1 && key[0] === name ? { semantic_type: "type/PK" } : {};
  const target = finder.field(foreign.to, foreign.toColumn);
  return target === undefined ? {} : { semantic_type: "type/FK", fk_target_field_id: target.id };
}
