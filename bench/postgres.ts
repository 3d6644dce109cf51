import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { openEmbedded } from "../src/postgres/embedded/embedded-server.ts";

/** A Postgres for the bench in a temporary folder. Disposing stops it and removes the folder. */
export interface BenchPostgres extends AsyncDisposable {
  readonly url: string;
  readonly folder: string;
  /** A connection for the bench, separate from those that are measured. */
  readonly client: pg.Client;
  readonly version: string;
}

/** Starts a Postgres that is as durable as the one that Storehouse runs for its users. */
export async function openBenchPostgres(database = "bench"): Promise<BenchPostgres> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(await mkdtemp(path.join(tmpdir(), "storehouse-bench-")), (made) =>
    rm(made, { recursive: true, force: true }),
  );
  // Postgres refuses to run as root, and the account that runs it instead must be able to enter
  await chmod(folder, 0o755);
  const own = { directory: path.join(folder, "postgres"), database };
  {
    // the module that counts statements is loaded at the start of the server
    await using first = await openEmbedded(own);
    await using setting = await connectTo(first.url);
    await setting.query("alter system set shared_preload_libraries = 'pg_stat_statements'");
    await setting.query("alter system set pg_stat_statements.track = 'none'");
  }
  const { url } = opened.use(await openEmbedded(own));
  const client = opened.use(await connectTo(url));
  const { rows } = await client.query<{ version: string }>("select current_setting('server_version') as version");
  const stack = opened.move();
  return {
    url,
    folder,
    client,
    version: rows[0]?.version ?? "",
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A connection that ends when it is disposed. */
export async function connectTo(connectionString: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

/** Empties the table of ranks and the table of their sums. */
export async function emptyRanks(client: pg.Client): Promise<void> {
  await client.query("truncate core.fact_keyword_rank, core.fact_keyword_rank_summary");
}

/** Empties ranks, answers, ledger and queue: nothing was ever requested. The dimensions stay. */
export async function forgetAll(client: pg.Client): Promise<void> {
  await client.query(`
    truncate core.fact_keyword_rank, core.fact_keyword_rank_summary, raw.answer, ops.request, ops.slice, ops.run, ops.batch, ops.worker, ops.credit_account,
             ops.credit_hold, graphile_worker._private_jobs cascade`);
}

/** Flushes pending writes of earlier steps, so that they do not count for the next one. */
export async function settle(client: pg.Client): Promise<void> {
  await client.query("checkpoint");
}

/** What a step left in the database: bytes of write-ahead log, and rows of ranks that it wrote. */
export type Written = { readonly walBytes: number; readonly rows: number };

/** Runs `work` and returns what it wrote. */
export async function witnessed<T>(
  client: pg.Client,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly written: Written }> {
  const { rows: before } = await client.query<{ lsn: string; xid: string }>(
    "select pg_current_wal_insert_lsn()::text as lsn, pg_current_xact_id()::text as xid",
  );
  const result = await work();
  const { rows: after } = await client.query<{ bytes: string; rows: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::text as bytes,
            (select count(*) from core.fact_keyword_rank where xmin::text::bigint > $2::bigint)::text as rows`,
    [before[0]?.lsn, before[0]?.xid],
  );
  return { result, written: { walBytes: Number(after[0]?.bytes), rows: Number(after[0]?.rows) } };
}
