import pg, { type PoolClient } from "pg";
import { from } from "./parts-of-table.ts";
import type { Column, Relation } from "../postgres/relations.ts";

/** Digits after the decimal point, of the 38 that readers of Parquet agree on: the rest is for the largest amounts. */
const scale = 18;
const mostWhole = "1e20";
/** Below the largest bigint. */
const mostCount = "9e18";

/**
 * The relation with a type for its `numeric` columns without digits that holds each value exactly: `bigint` for a count (`*_count`) of
 * whole numbers, else `numeric(38,18)`. A column with a value that neither holds stays `numeric`.
 */
export async function withExactTypes(client: PoolClient, relation: Relation): Promise<Relation> {
  const free = relation.columns.filter(({ type }) => type === "numeric");
  if (free.length === 0) return relation;
  const tests = free.flatMap((column, index) => [
    `bool_and(${fits(column, mostWhole, scale)}) is not false as d${index}`,
    `bool_and(${fits(column, mostCount, 0)}) is not false as w${index}`,
  ]);
  const { rows } = await client.query<Record<string, boolean>>(`select ${tests.join(", ")} from ${from(relation)}`);
  const [found = {}] = rows;
  const typed = (column: Column): Column => {
    const index = free.indexOf(column);
    if (index < 0) return column;
    if (column.name.endsWith("_count") && found[`w${index}`] === true) return { ...column, type: "bigint" };
    return found[`d${index}`] === true ? { ...column, type: `numeric(38,${scale})` } : column;
  };
  return { ...relation, columns: relation.columns.map(typed) };
}

/** Null for null; NaN and infinity are above every number. */
function fits({ name }: Column, below: string, digits: number): string {
  const column = pg.escapeIdentifier(name);
  return `abs(${column}) < ${below} and min_scale(${column}) <= ${digits}`;
}
