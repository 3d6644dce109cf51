import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { fail } from "../core/errors.ts";
import { withExactTypes } from "../export/exact-types.ts";
import { monthsAway, partsOf, type TablePart } from "../export/parts-of-table.ts";
import { writePart, type PartWriter } from "../export/write-part.ts";
import type { Relation } from "../postgres/relations.ts";
import type { ClickHouse } from "./clickhouse.ts";
import { readPublished, recordPublished } from "./published-months.ts";
import { alterTable, createTable, nameOf, noDay, partitionOf } from "./statements.ts";
import { firstDifference, sumsInClickHouse, sumsInPostgres } from "./sums.ts";

/** What became of a table: months swapped, left as they were and removed, and the rows of all that are there now. */
export type Published = {
  readonly table: string;
  readonly swapped: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly rows: number;
};

/** What tables are published with. */
export type Publisher = {
  readonly clickHouse: ClickHouse;
  readonly writer: PartWriter;
  readonly now: () => number;
  /** Ends it between two months. */
  readonly signal?: AbortSignal | undefined;
};

const staging = "storehouse.staging";

/**
 * Brings the months of a table up to date: those whose rows changed are loaded apart, compared with Postgres by their sums, and swapped whole.
 * A kill on the way leaves each month as it was or as it is. Months that retention removed stay.
 */
export async function publishTable(publisher: Publisher, relation: Relation): Promise<Published> {
  const { clickHouse, writer, signal } = publisher;
  await clickHouse.run(createTable(relation));
  const before = await readPublished(clickHouse, relation.name);
  if (before.length > 0) for (const statement of await missingOf(clickHouse, relation)) await clickHouse.run(statement);
  const parts = await partsOf(writer.client, relation, {});
  const changed = parts.filter(
    (part) => part.rows > 0 && !before.some(({ month, digest }) => month === monthOf(part) && digest === part.digest),
  );
  // once a table: it reads all of it, and a mart is computed for that
  const exact = changed.length === 0 ? relation : await withExactTypes(writer.client, relation);
  for (const part of changed) {
    signal?.throwIfAborted();
    await swap(publisher, { relation, exact }, part);
  }
  const away = await monthsAway(writer.client, relation);
  const gone = before.filter(
    ({ month }) => !away.has(`${month}-01`) && !parts.some((part) => part.rows > 0 && monthOf(part) === month),
  );
  for (const { month } of gone) await remove(publisher, relation, month);
  const after = await readPublished(clickHouse, relation.name);
  return {
    table: relation.name,
    swapped: changed.length,
    unchanged: after.length - changed.length,
    removed: gone.length,
    rows: after.reduce((sum, { rows }) => sum + Number(rows), 0),
  };
}

/** The month of a part as ClickHouse has it recorded. */
function monthOf({ window, where }: TablePart): string {
  return window === null ? (where === "true" ? "" : noDay) : window.from.slice(0, 7);
}

/** Statements that bring columns and comments up to date; none where both are. */
async function missingOf(clickHouse: ClickHouse, relation: Relation): Promise<readonly string[]> {
  const { schema, table } = relation;
  const found = await clickHouse.ask<{ name: string; comment: string }>(
    `select name, comment from system.columns where database = '${schema}' and table = '${table}'`,
  );
  const isSame = relation.columns.every(({ name, comment }) =>
    found.some((column) => column.name === name && column.comment === comment),
  );
  return isSame ? [] : alterTable(relation);
}

/** A relation, and with the types that hold each of its values exactly. */
type Typed = { readonly relation: Relation; readonly exact: Relation };

async function swap(
  { clickHouse, writer, now }: Publisher,
  { relation, exact }: Typed,
  part: TablePart,
): Promise<void> {
  const file = path.join(writer.work, "published.parquet");
  await writePart(writer, exact, { part, to: file });
  await clickHouse.run(`create or replace table ${staging} as ${nameOf(relation)}`);
  await clickHouse.load(staging, createReadStream(file));
  await rm(file);
  const month = monthOf(part);
  await compare({ clickHouse, writer }, relation, part);
  await clickHouse.run(`alter table ${nameOf(relation)} replace partition ${partitionOf(month)} from ${staging}`);
  await clickHouse.run(`drop table ${staging} sync`);
  await recordPublished(clickHouse, relation.name, { month, digest: part.digest, rows: String(part.rows), at: now() });
}

/** Quotients in marts may have more digits than a decimal of ClickHouse: of views only rows are compared. */
async function compare(
  { clickHouse, writer }: Pick<Publisher, "clickHouse" | "writer">,
  declared: Relation,
  { where, window }: TablePart,
): Promise<void> {
  const relation = declared.isView ? { ...declared, columns: [] } : declared;
  const ours = await sumsInPostgres(writer.client, relation, where);
  const differs = firstDifference(relation, ours, await sumsInClickHouse(clickHouse, { relation, table: staging }));
  if (differs !== null)
    throw fail("publish_mismatch", { table: relation.name, column: differs, month: window?.from.slice(0, 7) });
}

async function remove({ clickHouse, now }: Publisher, relation: Relation, month: string): Promise<void> {
  await clickHouse.run(`alter table ${nameOf(relation)} drop partition ${partitionOf(month)}`);
  await recordPublished(clickHouse, relation.name, { month, digest: "", rows: "0", at: now() });
}
