import { pgTypes } from "../../src/load/columns.ts";
import type { Table } from "../../src/load/table.ts";

/** A column as the database or a definition has it. */
export type Column = { readonly name: string; readonly type: string };

const longTypes: Readonly<Record<string, string>> = {
  timestamp: "timestamp without time zone",
  timestamptz: "timestamp with time zone",
};

/** The columns that a table must have, in order: keys, stretch of a history, the rest, who wrote it and when. */
export function columnsOfDefinition({ columns, key, load }: Table): Column[] {
  const own = Object.entries(columns).map(([name, kind]) => ({
    name,
    type: longTypes[pgTypes[kind]] ?? pgTypes[kind],
  }));
  const stretch = [
    { name: "valid_from", type: "date" },
    { name: "valid_to", type: "date" },
    { name: "is_current", type: "boolean" },
  ];
  return [
    ...own.filter(({ name }) => key.includes(name)),
    ...(load.kind === "history" ? stretch : []),
    ...own.filter(({ name }) => !key.includes(name)),
    { name: "slice_id", type: "bigint" },
    { name: "fetched_at", type: "timestamp with time zone" },
  ];
}
