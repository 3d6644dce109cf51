import type pg from "pg";
import { Settings } from "../src/config/settings.ts";
import { projectRoot, type Config } from "../src/config/config.ts";
import { everythingOn } from "../src/demo/shows.ts";
import { addDays } from "../src/core/day.ts";
import type { Bench, Size } from "./bench.ts";
import { startChild } from "./child.ts";
import { noPace, wide } from "./config.ts";
import { copyIn, copyOut } from "./copy.ts";
import { postgresCpu, type Cpu } from "./cpu.ts";
import { settle } from "./postgres.ts";
import { expect, order } from "./rounds.ts";
import { timed } from "./stopwatch.ts";
import type { SyncTime } from "./sync-measured.ts";
import { benchToken, today } from "./work.ts";

/** A night of all datasets, in one round; times in ms. */
export type MixedRound = {
  readonly copyMs: number;
  readonly syncMs: number;
  readonly cpu: Cpu;
  readonly requests: number;
  readonly rows: number;
};

/** The rows of a table as written by `COPY`. */
type Copied = { readonly table: string; readonly columns: string; readonly text: readonly Buffer[] };

/** Days before the night that are fetched with it, so that there are enough rows and the start is only a small part. */
const daysBefore = 14;

/**
 * Measures a night with every dataset on, in turn with `COPY` of the rows that it leaves in the facts. The first night, which records the
 * answers and makes the keys, does not count.
 */
export async function measureMixed(bench: Bench, { rounds }: Size): Promise<readonly MixedRound[]> {
  const { client, url: database } = bench.postgres;
  await using service = startChild("recorded-server.ts", bench.stop);
  const config = configOf(await service.ask<string>({ kind: "listen" }), database);
  bench.say("a night of all datasets, recorded");
  await forgetFacts(client);
  await night(bench, config);
  const copied = await readFacts(client);
  const wanted = await rowsIn(client);
  const found: MixedRound[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    bench.say(`a night of all datasets, round ${round} of ${rounds}`);
    await forgetFacts(client);
    await settle(client);
    const { ms: copyMs } = await timed(() => writeFacts(client, copied));
    expect(await rowsIn(client), wanted, "rows copied");
    await forgetFacts(client);
    await settle(client);
    const [postgresBefore, serverBefore] = [await postgresCpu(client), await service.ask<number>({ kind: "cpu" })];
    const sync = await night(bench, config);
    const cpu = {
      node: sync.cpuMs,
      postgres: (await postgresCpu(client)) - postgresBefore,
      server: (await service.ask<number>({ kind: "cpu" })) - serverBefore,
    };
    expect(await rowsIn(client), wanted, "rows of a night of all datasets");
    found.push({ copyMs, syncMs: sync.ms, cpu, requests: await requestsIn(client), rows: wanted });
  }
  return found;
}

function night(bench: Bench, config: Config): Promise<SyncTime> {
  return order<SyncTime>(bench, { kind: "sync", config, work: { start: addDays(today, -daysBefore) }, again: false });
}

function configOf(api: string, database: string): Config {
  const parsed = Settings.parse({ ...everythingOn, api: { requests_per_second: 1, concurrency: wide } });
  return {
    environment: { API_BASE_URL: api, API_TOKEN: benchToken, DATABASE_URL: database, LOG_LEVEL: "silent" },
    settings: { ...parsed, api: { ...parsed.api, requests_per_second: noPace } },
    home: projectRoot,
  };
}

/** Tables of `core` that answers fill, without the keys that they share. */
async function factTables(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.oid::regclass::text as name from pg_class as c
    where  c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p') and c.relname !~ '^dim_' order by 1`);
  return rows.map(({ name }) => name);
}

async function forgetFacts(client: pg.Client): Promise<void> {
  const tables = [
    ...(await factTables(client)),
    "raw.answer",
    "ops.request",
    "ops.slice",
    "ops.run",
    "ops.batch",
    "ops.worker",
  ];
  await client.query(
    `truncate ${tables.join(", ")}, ops.credit_account, ops.credit_hold, ops.reject, graphile_worker._private_jobs cascade`,
  );
}

async function readFacts(client: pg.Client): Promise<readonly Copied[]> {
  const copied: Copied[] = [];
  for (const table of await factTables(client)) {
    const columns = await columnsOf(client, table);
    const text = await copyOut(client, `copy (select ${columns} from ${table}) to stdout`);
    if (text.length > 0) copied.push({ table, columns, text });
  }
  return copied;
}

async function columnsOf(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [table],
  );
  return rows[0]?.columns ?? "";
}

async function writeFacts(client: pg.Client, copied: readonly Copied[]): Promise<void> {
  for (const { table, columns, text } of copied) await copyIn(client, `copy ${table} (${columns}) from stdin`, text);
}

async function rowsIn(client: pg.Client): Promise<number> {
  const tables = await factTables(client);
  const counts = tables.map((table) => `(select count(*) from ${table})`).join(" + ");
  const { rows } = await client.query<{ count: number }>(`select (${counts})::int as count`);
  return rows[0]?.count ?? 0;
}

async function requestsIn(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>("select count(*)::int as count from ops.request");
  return rows[0]?.count ?? 0;
}
