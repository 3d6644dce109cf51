import { doCompare } from "../config/alert-condition.ts";
import type { AlertMart } from "../config/alert-marts.ts";
import { earliest, latest, addDays, type Day } from "../core/day.ts";
import { sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";
import { toleranceDays, type Alert } from "./alert.ts";
import { conditionSql } from "./condition-sql.ts";
import type { Fire } from "./fire.ts";
import { unansweredCells } from "./unanswered-cells.ts";

/** The most rows that are read for one alert at once: more than a person would read. */
export const mostFires = 10_000;

/** Reads the rows of some days, in order, that meet the conditions of an alert. `days` has one day or more. */
export async function findFires(
  db: Queryable,
  { conditions, days: back, mart, ...alert }: Alert,
  days: readonly Day[],
): Promise<readonly Fire[]> {
  const first = earliest(days);
  const last = latest(days);
  const from = back === null ? first : addDays(first, -back - toleranceDays);
  const shown = [...new Set([...Object.keys(conditions), ...(mart.shows ?? [])])].filter(
    (column) => mart.columns[column] !== undefined,
  );
  const before = back === null ? [] : shown;
  const { rows } = await sql<Fire>`
    with unanswered as (${unansweredCells(mart, alert.datasets, { from, to: last })}),
    line as (${linesSql({ ...alert, conditions, mart, days: back }, { from, to: last, shown })}),
    compared as (
      select l.*${back === null ? sql`` : sql`, last_value(l.date_day) over earlier as earlier_day`}
             ${sql.join(
               before.map(
                 (column) => sql`, last_value(l.${sql.id(column)}) over earlier as ${sql.id(`before_${column}`)}`,
               ),
               sql``,
             )}
      from   line as l
      ${knownSql({ conditions, mart })}
      ${back === null ? sql`` : earlierWindow(mart.subject, back)}
    )
    select ${objectOf(mart.subject)} as subject, c.label, c.date_day as day,
           ${back === null ? sql`c.own_compared_day` : sql`c.earlier_day`} as "comparedDay",
           ${objectOf(shown)} as values, ${back === null ? sql`null::jsonb` : objectOf(shown, "before_")} as before
    from   compared as c
    where  c.date_day = any (${[...days]}::date[])
    ${sql.join(
      Object.entries(conditions).map(
        ([column, condition]) => sql`and ${conditionSql({ column, kind: mart.columns[column] ?? "text", condition })}`,
      ),
      sql` `,
    )}
    order  by c.date_day, ${sql.join(mart.subject.map((column) => sql`c.${sql.id(column)}`))}
    limit  ${mostFires}`.execute(db);
  return rows;
}

/** A row that lacks a compared value is skipped for an earlier one that has it. A null rank is a value: the keyword is not ranked. */
function knownSql({ conditions, mart }: Pick<Alert, "conditions" | "mart">): SqlFragment {
  const compared = Object.keys(conditions).filter(
    (column) => doCompare({ [column]: conditions[column] ?? {} }) && mart.columns[column] !== "rank",
  );
  const known = compared.map((column) => sql`l.${sql.id(column)} is not null`);
  return known.length === 0 ? sql`` : sql`where ${sql.join(known, sql` and `)}`;
}

type Lines = { readonly from: Day; readonly to: Day; readonly shown: readonly string[] };

/** The rows of the mart that the alert is about, without those that still wait for answers. */
function linesSql(
  { mart, martName, whom, conditions }: Pick<Alert, "mart" | "martName" | "whom" | "conditions" | "days">,
  { from, to, shown }: Lines,
): SqlFragment {
  const subject = sql.join(mart.subject.map((column) => sql`m.${sql.id(column)}`));
  const label = sql`m.${sql.id(mart.label ?? "app_name")}`;
  const value = (column: string) => (mart.addsUp === true ? sql`sum(m.${sql.id(column)})` : sql`m.${sql.id(column)}`);
  // conditions on subject columns apply where rows are read
  const fixed = Object.entries(conditions).filter(([column]) => mart.subject.includes(column));
  return sql`
    select ${subject}, ${mart.addsUp === true ? sql`max(${label})` : label} as label, m.date_day,
           ${mart.comparedDay === undefined ? sql`null::date` : sql`m.${sql.id(mart.comparedDay)}`} as own_compared_day
           ${sql.join(
             shown.map((column) => sql`, ${value(column)} as ${sql.id(column)}`),
             sql``,
           )}
    from   ${sql.id("mart", martName)} as m
    where  m.date_day between ${from}::date and ${to}::date
    ${comparedNear(mart)}
    ${mart.complete === undefined ? sql`` : sql`and m.${sql.id(mart.complete)} is not false`}
    ${sql.join(
      Object.entries(whom).map(([column, values]) => sql`and ${isOneOf(column, values)}`),
      sql` `,
    )}
    ${sql.join(
      fixed.map(([column, condition]) => sql`and ${conditionSql({ column, kind: "text", condition, row: "m" })}`),
      sql` `,
    )}
    ${
      mart.isWhole === true
        ? sql`and not exists (select from unanswered as u where u.date_day = m.date_day and (u.store is null or u.store = m.store)
                              and (u.track_id is null or u.track_id = m.track_id) and (u.country_code is null or u.country_code = m.country_code))`
        : sql``
    }
    ${mart.addsUp === true ? sql`group by ${subject}, m.date_day` : sql``}`;
}

/** Keywords match regardless of case, as in groups. */
function isOneOf(column: string, values: readonly string[]): SqlFragment {
  const cell = sql`m.${sql.id(column)}::text`;
  return column === "keyword"
    ? sql`lower(${cell}) in (select lower(v.value) from unnest(${[...values]}::text[]) as v (value))`
    : sql`${cell} = any (${[...values]}::text[])`;
}

/** If the mart itself compares: not over a longer gap than other comparisons. */
function comparedNear({ comparedDay }: AlertMart): SqlFragment {
  if (comparedDay === undefined) return sql``;
  const compared = sql`m.${sql.id(comparedDay)}`;
  return sql`and (${compared} is null or ${compared} >= m.date_day - ${1 + toleranceDays}::int)`;
}

/** The newest row of a subject from `back` days before or, over a gap, a few days earlier. */
function earlierWindow(subject: readonly string[], back: number): SqlFragment {
  const interval = (days: number) => sql.raw(`interval '${days} days'`);
  return sql`
    window earlier as (partition by ${sql.join(subject.map((column) => sql`l.${sql.id(column)}`))} order by l.date_day
                       range between ${interval(back + toleranceDays)} preceding and ${interval(back)} preceding)`;
}

function objectOf(columns: readonly string[], prefix = ""): SqlFragment {
  return sql`jsonb_build_object(${sql.join(columns.map((column) => sql`${sql.lit(column)}, c.${sql.id(prefix + column)}`))})`;
}
