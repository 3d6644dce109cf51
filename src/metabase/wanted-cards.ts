import type { Pool, QueryConfig } from "pg";
import { fail } from "../core/errors.ts";
import { withoutOptions, type WantedCard } from "./cards.ts";
import { filtersIn, type CardFile, type DashboardFile, type FilterFile, type MetricFile } from "./collection-file.ts";
import { displayNameOf, presentationOf } from "./column-rules.ts";
import type { FieldFinder } from "./metadata.ts";
import type { Properties } from "./differences.ts";
import { uuidOf } from "./stable-ids.ts";

/** Finds fields, and the columns of a query. */
export type Lookup = {
  readonly databaseId: number;
  readonly finder: FieldFinder;
  readonly columns: (sql: string) => Promise<readonly string[]>;
  readonly first: (sql: string) => Promise<string | null>;
};

/** Finds columns of queries in the warehouse and fields in Metabase. */
export function lookUpIn(pool: Pool, databaseId: number, finder: FieldFinder): Lookup {
  return { databaseId, finder, columns: (sql) => columnsOf(pool, sql), first: (sql) => firstOf(pool, sql) };
}

/** The question of a dashboard's file. Throws `dashboard_misfit` when a filter's column or the query does not fit the warehouse. */
export async function readQuestion(
  dashboard: DashboardFile,
  key: string,
  card: CardFile,
  lookup: Lookup,
): Promise<WantedCard> {
  const named = filtersIn(card.sql).flatMap((name) => {
    const filter = dashboard.filters[name];
    return filter === undefined ? [] : [{ name, filter }];
  });
  const filters = Object.fromEntries(
    named.map(({ name, filter }) => [
      name,
      { field: fieldOf({ dashboard, key, card, name, filter }, lookup), widget: widgetOf(filter), name: filter.name },
    ]),
  );
  const full = `${dashboard.key}/${key}`;
  const names = await lookup.columns(withoutFilters(card.sql)).catch((cause: unknown) => {
    const problem = cause instanceof Error ? cause.message : "cannot be run";
    throw misfit(dashboard, `cards.${key}.sql`, `does not match the warehouse: ${problem}`);
  });
  return {
    key: full,
    what: "question",
    name: card.name,
    properties: {
      description: card.description,
      display: card.display,
      sql: card.sql,
      filters,
      ...settingsOf(card, names),
    },
    query: {
      type: "native",
      database: lookup.databaseId,
      native: { query: card.sql, "template-tags": tagsOf(full, filters) },
    },
  };
}

/**
 * Initial values of filters, by their keys, for those with a query in the file that has an answer. Throws `dashboard_misfit` if one cannot
 * run.
 */
export async function firstValuesOf(dashboard: DashboardFile, lookup: Lookup): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  for (const [key, { first }] of Object.entries(dashboard.filters)) {
    if (first === undefined) continue;
    const value = await lookup.first(first).catch((cause: unknown) => {
      const problem = cause instanceof Error ? cause.message : "cannot be run";
      throw misfit(dashboard, `filters.${key}.first`, `does not match the warehouse: ${problem}`);
    });
    if (value !== null) values.set(key, value);
  }
  return values;
}

/** The metric of metrics.yaml. Throws `dashboard_misfit` when Metabase does not show its table or column. */
export function metricOf(key: string, metric: MetricFile, { databaseId, finder }: Lookup): WantedCard {
  const table = finder.table(metric.table);
  const field = (column: string | undefined, unit: string | null = null) => {
    const found = column === undefined ? undefined : finder.field(metric.table, column);
    if (found === undefined)
      throw missing("config/metabase/metrics.yaml", `metrics.${key}`, `${metric.table}.${column ?? ""}`);
    return ["field", found.id, unit === null ? null : { "temporal-unit": unit }];
  };
  if (table === undefined) throw missing("config/metabase/metrics.yaml", `metrics.${key}.table`, metric.table);
  const { aggregate, column, over, only, day } = metric;
  const inner = aggregate === "count" && column === undefined ? ["count"] : [aggregate, field(column)];
  const query = {
    "source-table": table.id,
    aggregation: [over === undefined ? inner : ["/", inner, ["sum", field(over)]]],
    ...(only === undefined ? {} : { filter: ["=", field(only), true] }),
    ...(day === undefined ? {} : { breakout: [field(day, "day")] }),
  };
  const display = day === undefined ? "scalar" : "line";
  return {
    key: `metrics/${key}`,
    what: "metric",
    name: metric.name,
    properties: { description: metric.description, display, query: withoutOptions(query) },
    query: { type: "query", database: databaseId, query },
  };
}

/** A query without its filters and their parts in `[[ ]]`. */
export function withoutFilters(sql: string): string {
  return sql.replaceAll(/\[\[[\s\S]*?\]\]/g, "").replaceAll(/\{\{\s*\w+\s*\}\}/g, "true");
}

/** Metabase's name for the widget of a filter. */
export function widgetOf({ kind }: FilterFile): string {
  return kind === "days" ? "date/all-options" : "string/=";
}

type Filters = Readonly<Record<string, { readonly field: number; readonly widget: string; readonly name: string }>>;

function tagsOf(card: string, filters: Filters): Properties {
  return Object.fromEntries(
    Object.entries(filters).map(([name, { field, widget, name: shown }]) => [
      name,
      {
        id: uuidOf(`${card}/${name}`),
        name,
        "display-name": shown,
        type: "dimension",
        dimension: ["field", field, null],
        "widget-type": widget,
      },
    ]),
  );
}

function settingsOf({ settings }: CardFile, columns: readonly string[]): Properties {
  const formats = Object.fromEntries(
    columns.flatMap((column) => {
      const title = displayNameOf(column);
      const presented = { ...presentationOf(column).format, ...(title === null ? {} : { column_title: title }) };
      return Object.keys(presented).length === 0 ? [] : [[JSON.stringify(["name", column]), presented]];
    }),
  );
  const own = settings["column_settings"] as Properties | undefined;
  const all: Properties = { ...settings, column_settings: { ...formats, ...own } };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [`settings.${name}`, value]));
}

type FilterPlace = {
  readonly dashboard: DashboardFile;
  readonly key: string;
  readonly card: CardFile;
  readonly name: string;
  readonly filter: FilterFile;
};

function fieldOf({ dashboard, key, card, name, filter }: FilterPlace, { finder }: Lookup): number {
  const column = card.columns[name] ?? filter.column;
  const table = filter.table ?? card.table;
  const found = finder.field(table, column);
  if (found === undefined)
    throw misfit(dashboard, `cards.${key}.table`, `has no column ${table}.${column} for the filter ${name}`);
  return found.id;
}

function misfit({ key: file }: DashboardFile, key: string, problem: string): Error {
  const name = `config/metabase/${file.replaceAll("_", "-")}.yaml`;
  return fail("dashboard_misfit", { file: name, key, problem });
}

function missing(file: string, key: string, what: string): Error {
  return fail("dashboard_misfit", { file, key, problem: `names ${what}, which Metabase does not show` });
}

/** The names of the columns that a query returns; it is planned, and no row is read. */
async function columnsOf(pool: Pool, query: string): Promise<readonly string[]> {
  const { fields } = await pool.query(oneStatement(`select * from (${query}\n) as q limit 0`));
  return fields.map(({ name }) => name);
}

/** The first value that a query returns. */
async function firstOf(pool: Pool, query: string): Promise<string | null> {
  const { rows } = await pool.query<unknown[]>({
    ...oneStatement(`select * from (${query}\n) as q limit 1`),
    rowMode: "array",
  });
  const value = rows[0]?.[0];
  return typeof value === "string" ? value : null;
}

/** The extended protocol accepts only one statement. */
function oneStatement(text: string): QueryConfig & { queryMode: string } {
  return { text, queryMode: "extended" };
}
