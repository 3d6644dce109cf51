import type { Socket } from "node:net";
import pg, { type Pool, type PoolClient, type QueryArrayResult, type QueryConfig } from "pg";
import { steadyMs } from "../core/clock.ts";
import { fail } from "../core/errors.ts";
import { cellReader, type CellValue } from "./cell-value.ts";

/** The limits of one answer: rows, milliseconds, and bytes on the wire. */
export type AnswerLimits = { readonly rows: number; readonly ms: number; readonly bytes: number };

/** What a statement returned. `isCut`: there are more rows. */
export type Answer = {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly CellValue[])[];
  readonly isCut: boolean;
};

const cursor = "declare answer no scroll cursor for ";

/** How many rows are fetched at once: wide rows reach the limit of bytes before the next batch is sent. */
const batchRows = 100;

/**
 * Runs one reading statement on a connection of the reader. A cursor accepts only one `select`, `values`, `table` or `with`; its
 * transaction is read only and never committed. Throws `statement_refused` for a statement that Postgres
 * does not accept or that takes too long. Aborting `signal` ends the statement, also in the database.
 */
export async function runStatement(
  pool: Pool,
  statement: string,
  limits: AnswerLimits,
  signal: AbortSignal,
): Promise<Answer> {
  const client = await pool.connect();
  const wire = watchBytes(client, limits.bytes);
  signal.addEventListener("abort", wire.cut, { once: true });
  try {
    if (signal.aborted) wire.cut();
    // not every system can check this: there a statement without a client runs until its limit
    await client.query("set client_connection_check_interval = '500ms'").catch(() => undefined);
    return await withinTransaction(client, statement, limits, wire);
  } catch (error) {
    throw refusedStatement(error, limits, wire);
  } finally {
    signal.removeEventListener("abort", wire.cut);
    wire.stop();
    // a function may have made locks and settings for the session: it ends, since `discard all` would lose the settings of the pool as well
    client.release(true);
  }
}

async function withinTransaction(
  client: PoolClient,
  statement: string,
  limits: AnswerLimits,
  wire: Wire,
): Promise<Answer> {
  await client.query(`begin transaction isolation level repeatable read read only`);
  await limitTime(client, limits.ms);
  await client.query(oneStatement(`${cursor}${withoutEnd(statement)}`));
  return fetched(client, limits, wire);
}

async function limitTime(client: PoolClient, ms: number): Promise<void> {
  await client.query(`set local statement_timeout = ${Math.max(1, Math.ceil(ms))}`);
}

/** The extended protocol takes one statement: a second one is refused before the first runs. The types leave the option out. */
function oneStatement(text: string): QueryConfig {
  return { text, queryMode: "extended" } as QueryConfig;
}

async function fetched(client: PoolClient, limits: AnswerLimits, wire: Wire): Promise<Answer> {
  const until = steadyMs() + limits.ms;
  const rows: (readonly CellValue[])[] = [];
  for (;;) {
    const wanted = Math.min(batchRows, limits.rows + 1 - rows.length);
    // again for each batch: the statement itself may have set another limit
    await limitTime(client, until - steadyMs());
    const batch: QueryArrayResult<string[]> = await client.query({
      text: `fetch forward ${wanted} from answer`,
      rowMode: "array",
      types: { getTypeParser: () => (value: string) => value },
    });
    const read = batch.fields.map(({ dataTypeID }) => cellReader(dataTypeID));
    rows.push(...batch.rows.map((row) => row.map((value, index) => read[index]?.(value) ?? null)));
    const isCut = rows.length > limits.rows;
    const isFull = wire.bytes() > limits.bytes / 2 || steadyMs() > until;
    if (isCut || batch.rows.length < wanted || isFull)
      return {
        columns: batch.fields.map(({ name, dataTypeID }) => ({ name, type: typeName(dataTypeID) })),
        rows: rows.slice(0, limits.rows),
        isCut: isCut || batch.rows.length === wanted,
      };
  }
}

const names = new Map(Object.entries(pg.types.builtins).map(([name, oid]) => [oid, name.toLowerCase()]));

function typeName(oid: number): string {
  return names.get(oid) ?? "text";
}

function withoutEnd(statement: string): string {
  return statement.trim().replace(/;\s*$/, "");
}

/** `cut` breaks the connection. */
type Wire = { readonly bytes: () => number; readonly stop: () => void; readonly cut: () => void };

/** Counts the bytes that the server sends, and breaks the connection before one huge row fills the memory. */
function watchBytes(client: PoolClient, most: number): Wire {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  let bytes = 0;
  const count = (part: Buffer) => {
    bytes += part.length;
    if (bytes > most) stream.destroy(new Error("Connection terminated: the answer is larger than the limit"));
  };
  stream.on("data", count);
  const cut = () => void stream.destroy(new Error("Connection terminated: nobody waits for the answer"));
  return { bytes: () => bytes, stop: () => stream.off("data", count), cut };
}

function refusedStatement(error: unknown, { ms, bytes }: AnswerLimits, wire: Wire): unknown {
  if (wire.bytes() > bytes)
    return fail("statement_refused", {
      problem: `the answer is larger than ${Math.round(bytes / 1024)} KiB: select fewer columns or fewer rows`,
    });
  if (!(error instanceof pg.DatabaseError)) return error;
  if (error.code === "57014")
    return fail("statement_refused", {
      problem: `it took longer than ${ms / 1000} seconds: filter by day, app and country, or aggregate less`,
    });
  if (error.code === "42601" && Number(error.position) === cursor.length + 1)
    return fail("statement_refused", {
      problem: "only one `select`, `with`, `values` or `table` statement is allowed",
    });
  const hint = error.hint === undefined ? "" : ` (${error.hint})`;
  return fail("statement_refused", { problem: `${error.message}${hint}`, sqlstate: error.code }, error);
}
