import type pg from "pg";
import type { Column, Relation } from "../src/postgres/relations.ts";
import type { ClickHouse } from "../src/publish/clickhouse.ts";
import { firstDifference, sumsInClickHouse, sumsInPostgres } from "../src/publish/sums.ts";

/** Syntax that only Postgres has, and its equivalent in ClickHouse. */
const dialect = [
  ["bool_and(", "min("],
  ["date_trunc('month', date_day::timestamp)", "toDateTime64(toStartOfMonth(date_day), 6, 'UTC')"],
] as const;

/** A question in the dialect of ClickHouse. */
export function inClickHouse(query: string): string {
  return dialect.reduce((text, [ours, theirs]) => text.replaceAll(ours, theirs), query);
}

/** A step in the output of `explain (analyze, format json)`. */
export type PlanNode = {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
};

/** Rows that the table scans in a plan read, including those that a filter then removed. */
export function rowsRead(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), 0);
  if (node["Relation Name"] === undefined) return below;
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return below + (node["Actual Rows"] + removed) * node["Actual Loops"];
}

/** Rows that Postgres reads for a question. */
export async function scannedRows(client: pg.Client, query: string): Promise<number> {
  const { rows } = await client.query<{ "QUERY PLAN": readonly { readonly Plan: PlanNode }[] }>(
    `explain (analyze, timing off, format json) ${query}`,
  );
  const [plan] = rows[0]?.["QUERY PLAN"] ?? [];
  return plan === undefined ? 0 : Math.round(rowsRead(plan.Plan));
}

/** Rows in the granules that ClickHouse selects for a question before it runs. */
export async function rowsToRead(clickHouse: ClickHouse, query: string): Promise<number> {
  const found = await clickHouse.ask<{ rows: string }>(`explain estimate ${query}`);
  return found.reduce((sum, { rows }) => sum + Number(rows), 0);
}

/** Averages have more digits in one database than in the other; sums that are otherwise equal differ by less than this share. */
const tolerance = 1e-9;

/** Properties of a relation that a question does not have. */
const unknown = { name: "question", isView: true, comment: "", key: [], foreignKeys: [], checks: [] } as const;

/** Lists have no sum that both databases know. */
const isCompared = ({ type }: Column) => !type.endsWith("[]") && !type.startsWith("json");

/**
 * Compares the answers to a question by their rows and the sum of every column, in their databases; null if they are equal. The limit is
 * left out, since it takes any of the rows that tie. The question becomes a view, which shows the types of its columns.
 */
export async function differenceOf(client: pg.Client, clickHouse: ClickHouse, query: string): Promise<string | null> {
  const whole = query.replace(/ limit \d+$/, "");
  await client.query(`create or replace temp view question as ${whole}`);
  const { rows: columns } = await client.query<Column>(
    `select attname as name, format_type(atttypid, atttypmod) as type, '' as comment, true as "isNullable"
     from   pg_attribute where attrelid = 'pg_temp.question'::regclass and attnum > 0 order by attnum`,
  );
  const relation = { schema: "pg_temp", table: "question", columns: columns.filter(isCompared), ...unknown };
  const ours = await sumsInPostgres(client, relation, { where: "true", month: null });
  await client.query("drop view pg_temp.question");
  const table = `(${inClickHouse(whole)})`;
  const theirs = await sumsInClickHouse(clickHouse, { relation, table, where: "1", month: null });
  const [here = [], there = []] = [ours, theirs].map((found) => [...found.values()].flatMap(({ sums }) => sums));
  return firstApart(relation, here, there);
}

/** Where two lists of sums differ by more than digits explain: `rows`, or the name of a column; null if nowhere. */
export function firstApart(
  relation: Pick<Relation, "columns">,
  ours: readonly string[],
  theirs: readonly string[],
): string | null {
  const near = theirs.map((sum, index) => (isAlike(ours[index] ?? "", sum) ? (ours[index] ?? "") : sum));
  return firstDifference(relation, ours, near);
}

function isAlike(one: string, other: string): boolean {
  const [a, b] = [Number(one), Number(other)];
  return one === other || Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));
}
