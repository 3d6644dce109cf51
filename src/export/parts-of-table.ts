import { createHash } from "node:crypto";
import pg, { type PoolClient } from "pg";
import { addDays, addMonths, day, monthStart } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import { columnType } from "./column-type.ts";
import type { Relation } from "../postgres/relations.ts";

/** The rows of a table that become one file: a month, or all. */
export type TablePart = {
  /** The folder of the file inside that of its table. */
  readonly folder: string;
  /** Whole days; null if rows have no day. */
  readonly window: { readonly from: string; readonly to: string } | null;
  /** The condition that only these rows meet; true for all. */
  readonly where: string;
  readonly rows: number;
  readonly digest: string;
};

/** Widens bounds to the whole months that they touch: a file never has only a part of a month. */
export function wholeMonths({ start, end }: Partial<Window>): Partial<Window> {
  return {
    ...(start === undefined ? {} : { start: monthStart(start) }),
    ...(end === undefined ? {} : { end: addMonths(monthStart(addDays(end, -1)), 1) }),
  };
}

type Found = { readonly month: string | null; readonly rows: string; readonly sum: string };

/**
 * The parts that a table has now, oldest first, each with a digest of its rows that does not depend on their order. One pass inside
 * Postgres: no row leaves it, and no change by any program is missed.
 */
export async function readParts(
  client: PoolClient,
  relation: Relation,
  within: Partial<Window>,
): Promise<readonly TablePart[]> {
  const dayColumn = monthColumn(relation);
  const months = dayColumn === null ? "null::text" : `to_char(${pg.escapeIdentifier(dayColumn)}, 'YYYY-MM')`;
  const { rows } = await client.query<Found>(`
    select ${months} as month, count(*) as rows, coalesce(sum(hashtextextended(t::text, 0)), 0) as sum
    from   ${from(relation)} as t
    where  ${orWithoutDay(dayColumn, bounds(dayColumn, wholeMonths(within)))}
    ${dayColumn === null ? "" : "group by 1 order by 1"}`);
  return rows.map((found) => ({
    ...place(dayColumn, found.month),
    rows: Number(found.rows),
    digest: digest(relation, found),
  }));
}

/** The condition that only the rows of these parts meet; the parts are consecutive in the table. */
export function conditionOf(relation: Relation, parts: readonly TablePart[]): string {
  const [first, last] = [parts[0], parts.at(-1)];
  if (first?.window == null || last?.window == null) return first?.where ?? "false";
  return bounds(monthColumn(relation), { start: day(first.window.from), end: addDays(day(last.window.to), 1) });
}

/** The quoted name of a relation for a statement. */
export function from({ schema, table }: Relation): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`;
}

function bounds(dayColumn: string | null, { start, end }: Partial<Window>): string {
  if (dayColumn === null) return "true";
  const column = pg.escapeIdentifier(dayColumn);
  // days are already parsed: they contain only digits and dashes
  const sides = [start && `${column} >= date '${start}'`, end && `${column} < date '${end}'`].filter(Boolean);
  return sides.length === 0 ? "true" : sides.join(" and ");
}

/** Rows without a day belong to no month, and are always compared. */
function orWithoutDay(dayColumn: string | null, condition: string): string {
  return dayColumn === null ? condition : `(${condition} or ${pg.escapeIdentifier(dayColumn)} is null)`;
}

function place(dayColumn: string | null, month: string | null): Pick<TablePart, "folder" | "window" | "where"> {
  if (dayColumn === null) return { folder: "", window: null, where: "true" };
  if (month === null)
    return {
      folder: "date_month=__HIVE_DEFAULT_PARTITION__",
      window: null,
      where: `${pg.escapeIdentifier(dayColumn)} is null`,
    };
  const start = day(`${month}-01`);
  const end = addMonths(start, 1);
  return {
    folder: `date_month=${month}`,
    window: { from: start, to: addDays(end, -1) },
    where: bounds(dayColumn, { start, end }),
  };
}

/** The digest changes with columns and types, since the same rows then make another file. */
function digest(relation: Relation, { rows, sum }: Found): string {
  const columns = relation.columns.map(({ name, type }) => [name, columnType({ name, type }).type]);
  return createHash("sha256")
    .update(JSON.stringify([columns, relation.key, rows, sum]))
    .digest("hex")
    .slice(0, 32);
}

/**
 * The column whose months separate the rows: the day of a row, or the first day of its period. Of several, the one in the key, which every
 * row has and by which retention removes months. Null if rows have no day, and for the calendar, whose rows are the days themselves.
 */
export function monthColumn({ columns, key }: Pick<Relation, "columns" | "key">): string | null {
  const isDay = (column: string) => columns.some(({ name, type }) => name === column && type === "date");
  const keyed = [...daysOfRows, ...daysInKeys].find((column) => key.includes(column) && isDay(column));
  const found = keyed ?? daysOfRows.find(isDay);
  return found === undefined || (key.length === 1 && key[0] === found) ? null : found;
}

const daysOfRows = ["date_day", "period_start"];
/** Only in a key: elsewhere they are properties of a row, such as the month of a day in the calendar. */
const daysInKeys = ["month_start", "release_day"];
