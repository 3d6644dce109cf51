import type { Database } from "../../src/postgres/database.ts";
import { sql } from "../../src/postgres/sql.ts";

type Node = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly Plans?: readonly Node[];
};

async function planOf(db: Database, query: string): Promise<readonly Node[]> {
  const { rows } = await sql<{ "QUERY PLAN": readonly { readonly Plan: Node }[] }>`
    explain (analyze, format json, timing off) ${sql.raw(query)}`.execute(db);
  return (rows[0]?.["QUERY PLAN"] ?? []).map(({ Plan }) => Plan);
}

/** How often a query begins to read a table. */
export async function scans(db: Database, query: string, table: string): Promise<number> {
  const count = (node: Node): number =>
    (node["Relation Name"] === table ? node["Actual Loops"] : 0) +
    (node.Plans ?? []).reduce((sum, one) => sum + count(one), 0);
  return (await planOf(db, query)).reduce((sum, plan) => sum + count(plan), 0);
}

/** The reviews of a warehouse, and the most rows that a step of a query makes or leaves out. */
export async function handled(
  db: Database,
  query: string,
): Promise<{ readonly reviews: number; readonly most: number }> {
  const most = (node: Node): number =>
    Math.max(
      (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Join Filter"] ?? 0)) *
        node["Actual Loops"],
      ...(node.Plans ?? []).map(most),
    );
  const { rows } = await sql<{ reviews: number }>`select count(*)::int as reviews from core.review`.execute(db);
  return { reviews: rows[0]?.reviews ?? 0, most: Math.max(...(await planOf(db, query)).map(most)) };
}

/** Rows of facts, reviews and releases that a query reads, by table, whether it uses them or not. */
export function read(db: Database, query: string): Promise<Readonly<Record<string, number>>> {
  return rowsOf(db, query, (node) => node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0));
}

/** Those of them that a query goes on with. */
export function used(db: Database, query: string): Promise<Readonly<Record<string, number>>> {
  return rowsOf(db, query, (node) => node["Actual Rows"]);
}

async function rowsOf(
  db: Database,
  query: string,
  rows: (node: Node) => number,
): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  const walk = (node: Node): void => {
    // which apps are in the portfolio: one step through an index for each app and month
    if (node["Node Type"] === "Recursive Union") return;
    const table = (node["Relation Name"] ?? "").replace(/_\d{4}_\d{2}$/, "");
    const count = rows(node) * node["Actual Loops"];
    if (/^(fact_|review$|app_version$)/.test(table)) found[table] = (found[table] ?? 0) + Math.round(count);
    node.Plans?.forEach(walk);
  };
  (await planOf(db, query)).forEach(walk);
  return found;
}
