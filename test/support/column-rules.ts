/** A column as rules on names see it. */
type NamedColumn = { readonly name: string; readonly type: string };

/** A rule that names of columns keep: what to call them, and whether a column does. */
export type ColumnRule = { readonly says: string; readonly holds: (column: NamedColumn) => boolean };

const spans = ["period_start", "period_end", "valid_from", "valid_to", "month_start", "week_start"];
const numbers = ["smallint", "integer", "bigint", "numeric"];

/** What names of columns promise of their values, in core and mart; docs/contributing-a-dataset.md lists the same. */
export const columnRules: readonly ColumnRule[] = [
  {
    says: "a name is lower case with underscores",
    holds: ({ name }) => /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name),
  },
  {
    says: `a date is called ..._day (or ${spans.join(", ")}), and nothing else is`,
    holds: ({ name, type }) => (type === "date") === (name.endsWith("_day") || spans.includes(name)),
  },
  {
    says: "a timestamp is called ..._at, and nothing else is",
    holds: ({ name, type }) => type.startsWith("timestamp") === name.endsWith("_at"),
  },
  {
    says: "a boolean is called is_... or has_..., and nothing else is",
    holds: ({ name, type }) => (type === "boolean") === /^(is|has)_/.test(name),
  },
  {
    says: "..._code, ..._name, ..._url, ..._id and keyword are text",
    holds: ({ name, type }) =>
      !/(_code|_name|_url|_id|^keyword)$/.test(name) ||
      type === "text" ||
      ["category_id", "platform_id", "slice_id"].includes(name),
  },
  {
    says: "..._count and ..._share are numbers",
    holds: ({ name, type }) => !/(_count|_share)$/.test(name) || numbers.includes(type),
  },
  {
    says: "app_key, country_key, keyword_key and device_key are numbers of a dimension, and no column is a ..._hash",
    holds: ({ name, type }) =>
      !name.endsWith("_hash") &&
      (!/^(app|country|keyword|device)_key$/.test(name) || ["integer", "smallint"].includes(type)),
  },
];

/** The columns of a table that break a rule, each with what to call it: `core.review.started date: a date is called ..._day`. */
export function misnamed(
  table: string,
  columns: readonly NamedColumn[],
  rules: readonly ColumnRule[] = columnRules,
): readonly string[] {
  return columns.flatMap((column) =>
    rules.filter(({ holds }) => !holds(column)).map(({ says }) => `${table}.${column.name} ${column.type}: ${says}`),
  );
}
