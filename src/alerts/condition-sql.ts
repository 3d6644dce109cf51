import type { AlertConditions } from "../config/alert-condition.ts";
import type { AlertColumn } from "../config/alert-marts.ts";
import { sql, type SqlFragment } from "../postgres/sql.ts";

/**
 * Conditions on a column of the row `row` (c by default); the value of the compared day is in the column of the same name after `before_`.
 */
type ColumnConditions = {
  readonly column: string;
  readonly kind: AlertColumn;
  readonly condition: AlertConditions[string];
  readonly row?: string;
};

/** SQL: whether all conditions on a column hold. An unknown value meets none. */
export function conditionSql({ column, kind, condition, row = "c" }: ColumnConditions): SqlFragment<boolean> {
  const cell = sql`${sql.id(row, column)}`;
  const earlier = sql`${sql.id(row, `before_${column}`)}`;
  // requested and not ranked comes after every place
  const place = (value: SqlFragment) => (kind === "rank" ? sql`coalesce(${value}, 'infinity')` : value);
  const now = place(sql`${cell}::numeric`);
  const before = place(sql`${earlier}::numeric`);
  const number = (value: number) => sql`${String(value)}::numeric`;
  const changed = (holds: SqlFragment) => sql`(c.earlier_day is not null and ${now} <> ${before} and ${holds})`;
  const texts = (values: typeof condition.is) => [values ?? []].flat().map(String);
  const listed = (values: typeof condition.is) =>
    kind === "number" ? sql`(${texts(values)}::numeric[])` : sql`(${texts(values)}::text[])`;
  const plain = kind === "number" ? now : sql`${cell}::text`;
  const holding = {
    is: () => sql`${plain} = any ${listed(condition.is)}`,
    is_not: () => sql`${plain} <> all ${listed(condition.is_not)}`,
    at_least: (limit: number) => sql`${now} >= ${number(limit)}`,
    at_most: (limit: number) => sql`${now} <= ${number(limit)}`,
    rises_by: (by: number) => changed(sql`${now} - ${before} >= ${number(by)}`),
    falls_by: (by: number) => changed(sql`${before} - ${now} >= ${number(by)}`),
    rises_by_percent: (by: number) => changed(sql`${before} > 0 and ${now} >= ${before} * (1 + ${number(by)} / 100)`),
    falls_by_percent: (by: number) => changed(sql`${before} > 0 and ${now} <= ${before} * (1 - ${number(by)} / 100)`),
    rises_past: (limit: number) => changed(sql`${now} > ${number(limit)} and ${before} <= ${number(limit)}`),
    falls_past: (limit: number) => changed(sql`${now} < ${number(limit)} and ${before} >= ${number(limit)}`),
    changes: () => (kind === "rank" ? changed(sql`true`) : sql`(c.earlier_day is not null and ${cell} <> ${earlier})`),
  } as const;
  const named = Object.entries(condition).filter(([, value]) => value !== undefined);
  const all = named.map(([name, value]) => holding[name as keyof typeof holding](value as never));
  return sql<boolean>`(${sql.join(all, sql` and `)})`;
}
