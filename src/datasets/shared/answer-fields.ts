import { extraOf, jsonOf, type ColumnKind } from "../../load/table.ts";
import { readInstant } from "./instants.ts";
import { amountOf, idOf } from "./values.ts";

/** The kind of a field's column, and how a value of the answer is read for it. An absent value is null. */
const kinds = {
  text: { column: "text", read: (value) => (value ?? null) as string | null },
  id: { column: "text", read: (value) => idOf(value as string | number | null) },
  number: { column: "number", read: (value) => amountOf(value as string | number | null) },
  boolean: { column: "boolean", read: (value) => (value ?? null) as boolean | null },
  json: { column: "json", read: jsonOf },
  // an instant in UTC, which the service writes without a zone
  utc: { column: "timestamptz", read: (value) => (value == null ? null : `${readInstant(value as string).at}Z`) },
} as const satisfies Record<string, { column: ColumnKind; read: (value: unknown) => string | number | boolean | null }>;

type Kind = keyof typeof kinds;
type Value = string | number | boolean | null;

/** The fields that the contract names; an item may have others. */
type Named<I> = keyof { [K in keyof I as string extends K ? never : K]: I[K] } & string;
type Fields<I> = Readonly<Record<string, readonly [field: Named<I>, kind: Kind]>>;

/**
 * Columns that hold fields of an answer's item: one list defines the table's columns, the values of a row, and what is left over.
 * `answerFields<Item>()({ app_name: ["fullName", "text"] })`; the first call names the item, the second one infers the columns.
 */
export function answerFields<I extends object>() {
  return <const F extends Fields<I>>(fields: F) => {
    const entries = Object.entries(fields);
    return {
      columns: Object.fromEntries(entries.map(([column, [, kind]]) => [column, kinds[kind].column])) as {
        readonly [C in keyof F]: (typeof kinds)[F[C][1]]["column"];
      },
      /** The values of an item by column. */
      read: (item: I) =>
        Object.fromEntries(
          entries.map(([column, [field, kind]]) => [
            column,
            kinds[kind].read((item as Record<string, unknown>)[field]),
          ]),
        ) as { readonly [C in keyof F]: Value },
      /** The fields of an item that are in none of these columns and not read elsewhere; null if nothing is left. */
      extra: (item: I, elsewhere: readonly string[] = []) =>
        extraOf(item as Readonly<Record<string, unknown>>, [...entries.map(([, [field]]) => field), ...elsewhere]),
      names: entries.map(([, [field]]): string => field),
    };
  };
}
