import type { Column } from "../postgres/relations.ts";

/** Digits after the decimal point, if Postgres has no fixed number of them. */
export const decimalScale = 18;

const plain: Readonly<Record<string, string>> = {
  smallint: "Int16",
  integer: "Int32",
  bigint: "Int64",
  boolean: "Bool",
  date: "Date32",
  // times without a time zone are clock readings: UTC keeps them unchanged
  "timestamp without time zone": "DateTime64(6, 'UTC')",
  "timestamp with time zone": "DateTime64(6, 'UTC')",
  numeric: `Decimal(38, ${decimalScale})`,
  "double precision": "Float64",
  real: "Float32",
};

/** The type of a column in ClickHouse. A type that it lacks becomes text as Postgres writes it: JSON as its text. */
export function clickHouseType({ type, isNullable }: Pick<Column, "type" | "isNullable">): string {
  const [, digits = "", scale = "0"] = /^numeric\((\d+)(?:,(\d+))?\)$/.exec(type) ?? [];
  const scalar = digits === "" ? (plain[type] ?? "String") : `Decimal(${digits}, ${scale})`;
  return isNullable ? `Nullable(${scalar})` : scalar;
}
