import pg from "pg";
import type { Column } from "../postgres/relations.ts";

/** How a column is exported: the expression that Postgres evaluates, and the type that DuckDB makes of its text. */
export type ColumnType = {
  /** Expression over the column, for a `select` in Postgres. */
  readonly select: string;
  /** The DuckDB type, which decides the type in the Parquet file. */
  readonly type: string;
  /** Expression over the received text, for a `select` in DuckDB. */
  readonly read: (text: string) => string;
};

const plain: Readonly<Record<string, string>> = {
  smallint: "SMALLINT",
  integer: "INTEGER",
  bigint: "BIGINT",
  boolean: "BOOLEAN",
  date: "DATE",
  "timestamp without time zone": "TIMESTAMP",
  "timestamp with time zone": "TIMESTAMPTZ",
  // without a fixed number of digits, no decimal holds every value
  numeric: "DOUBLE",
  "double precision": "DOUBLE",
  real: "FLOAT",
};

/** The widest decimal that Parquet's readers agree on. */
const mostDigits = 38;

/** How a column of a type is exported. A type without an equivalent in Parquet is exported as Postgres writes it: JSON as its text. */
export function columnType({ name, type }: Pick<Column, "name" | "type">): ColumnType {
  const column = pg.escapeIdentifier(name);
  if (type.endsWith("[]")) {
    const list = `${scalarType(type.slice(0, -2))}[]`;
    // as JSON: both sides quote it alike
    return { select: `to_json(${column})`, type: list, read: (text) => `cast(${text}::JSON as ${list})` };
  }
  const scalar = scalarType(type);
  // Postgres writes t and f, which few programs read as true and false
  const select = scalar === "BOOLEAN" ? `${column}::text` : column;
  return { select, type: scalar, read: (text) => (scalar === "VARCHAR" ? text : `cast(${text} as ${scalar})`) };
}

function scalarType(type: string): string {
  const [, digits = "", scale = "0"] = /^numeric\((\d+)(?:,(\d+))?\)$/.exec(type) ?? [];
  if (digits !== "") return Number(digits) <= mostDigits ? `DECIMAL(${digits},${scale})` : "DOUBLE";
  return plain[type] ?? "VARCHAR";
}
