/** A value of a row as the driver gives it. */
type Value = string | number | boolean | Date | null;

/** Rows as CSV (RFC 4180), with their columns as the first line. */
export function csv(rows: readonly Readonly<Record<string, unknown>>[], columns: readonly string[]): string {
  const lines = rows.map((row) => columns.map((column) => field(row[column] as Value)).join(","));
  return [columns.join(","), ...lines, ""].join("\r\n");
}

/** A spreadsheet runs a text that begins like this as a formula: an apostrophe makes it text. */
const formula = /^[=+\-@\t\r]/;

function field(value: Value): string {
  if (value === null) return "";
  if (typeof value !== "string") return value instanceof Date ? value.toISOString() : String(value);
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
