import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import { table, type Cell } from "../cli/table.ts";
import { count } from "../core/words.ts";

/** Rows by table. */
export async function rowCounts(db: Database): Promise<string> {
  const { rows } = await sql<{ name: string; rows: number }>`
    select 'core.tracked_app' as name, count(*)::int as rows from core.tracked_app
    union all select 'core.tracked_country', count(*)::int from core.tracked_country
    union all select 'core.tracked_keyword', count(*)::int from core.tracked_keyword
    union all select 'core.dim_keyword', count(*)::int from core.dim_keyword
    union all select 'core.fact_keyword_rank', count(*)::int from core.fact_keyword_rank
    union all select 'raw.answer', count(*)::int from raw.answer`.execute(db);
  return `\nRows by table\n${table(
    ["table", "rows"],
    rows.map((one) => [one.name, one.rows]),
  )}`;
}

/** How many rows each mart shows, of all those that the database has. */
export async function martCounts(db: Database): Promise<string> {
  const { rows: marts } = await sql<{ name: string }>`
    select c.relname as name
    from   pg_catalog.pg_class as c
    where  c.relnamespace = 'mart'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
    order  by c.relname`.execute(db);
  const counts: Cell[][] = [];
  for (const { name } of marts) {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.id("mart", name)}`.execute(
      db,
    );
    counts.push([`mart.${name}`, rows[0]?.count]);
  }
  return `\nRows by mart; docs/marts.md has a query for each, with its result\n${table(["mart", "rows"], counts)}`;
}

/** What was spent so far, and what one request for each keyword would have cost. */
export async function spending(db: Database): Promise<string> {
  const { rows } = await sql<{ spent: number; naive: number; requests: number }>`
    select (select coalesce(sum(booked_credits), 0)::float8 from ops.credit_spend_daily) as spent,
           (select coalesce(sum(request_count), 0)::int from ops.credit_spend_daily)     as requests,
           (select coalesce(sum(naive_credits), 0)::int from ops.run) as naive`.execute(db);
  const { spent = 0, naive = 0, requests = 0 } = rows[0] ?? {};
  const share =
    naive === 0
      ? ""
      : `\nOne request per keyword would have cost ${count(naive)}; ${Math.round((100 * spent) / naive)} % of that was spent.`;
  return `\nCredits so far: ${count(spent)} in ${count(requests)} requests.${share}`;
}

type Question = { readonly title: string; readonly query: string };

const questions: readonly Question[] = [
  {
    title: "Which keywords gained most in a week?",
    query: `select   app_name as app, country_code as country, keyword,
         device_code as device, previous_rank as before, keyword_rank as now,
         places_gained as gained
from     mart.keyword_rank_movers
where    days_back = 7 and places_gained is not null
order by gained desc, app, country, keyword, device
limit    5`,
  },
  {
    title: "Which apps have the most keywords for which they are never ranked?",
    query: `select   app_name, store, country_code, count(*)::int as keywords_never_ranked
from    (select   app_name, store, country_code, keyword
         from     mart.keyword_rank_daily
         group by app_name, store, country_code, keyword
         having   not bool_or(is_ranked)) as never_ranked
group by app_name, store, country_code
order by keywords_never_ranked desc, app_name, store, country_code
limit    5`,
  },
  {
    title: "Is anything missing?",
    query: `select   dataset, min(date_day) as first_day, max(date_day) as last_day,
         sum(cell_count)::int as cells, sum(loaded_count)::int as loaded,
         sum(cell_count - loaded_count - empty_count)::int as missing
from     ops.coverage_daily
group by dataset
order by dataset`,
  },
];

/** A few questions, each with its SQL and its answer. */
export async function answeredQuestions(db: Database): Promise<string> {
  const sections: string[] = [];
  for (const { title, query } of questions) {
    const { rows } = await sql<Record<string, Cell>>`${sql.raw(query)}`.execute(db);
    const columns = Object.keys(rows[0] ?? {});
    sections.push(
      `\n${title}\n\n${indent(query)}\n\n${table(
        columns,
        rows.map((row) => columns.map((column) => row[column])),
      )}`,
    );
  }
  return sections.join("\n");
}

/**
 * How to open the console, and the data with other tools; `console` is null if nothing keeps running. `url` contains the password of the
 * demo's own database, which listens only on loopback.
 */
export function connectWords(url: string, console: string | null): string {
  const { hostname, port, username, password, pathname } = new URL(url);
  if (console === null)
    return "\n`npm run demo -- --stay` keeps the database and the console running, for psql or a BI tool.";
  return `
The database and the console run until Ctrl-C.
  console   ${console}
  psql      psql '${url}'
  BI tool   Postgres at ${hostname}, port ${port}, database ${pathname.slice(1)}
            user ${username}, password ${password}
Start with the schema mart; the schema ops has coverage and costs.`;
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
