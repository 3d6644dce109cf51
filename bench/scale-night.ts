import type pg from "pg";
import { Settings } from "../src/config/settings.ts";
import { systemClock, type Clock } from "../src/core/clock.ts";
import { addDays, addMonths, monthStart, type Day } from "../src/core/day.ts";
import { createLog } from "../src/core/log.ts";
import type { IngestParts } from "../src/ingest/ingest-parts.ts";
import { openWarehouse, type Database } from "../src/postgres/database.ts";
import { migrate } from "../src/postgres/migrate.ts";
import { planDue } from "../src/runs/scheduled-run.ts";
import { ownCpuSince, postgresCpu } from "./cpu.ts";
import { openBenchPostgres } from "./postgres.ts";
import { beginLedger, firstRun } from "./scale-ledger.ts";
import { countryCodes, firstDayOf, today, type Account } from "./scale-size.ts";
import { spreadOf, type Spread } from "./statistics.ts";
import { timed } from "./stopwatch.ts";
import type { Table } from "./table.ts";

/** Planning a night of an account with all of its history, as a worker does it: reading, planning, queueing. Times in seconds. */
export type NightFigures = {
  readonly account: Account;
  readonly slices: number;
  /** Rows of `ops.slice` before the night, months that are over folded. */
  readonly rows: number;
  readonly rounds: number;
  readonly wall: Spread;
  readonly node: Spread;
  readonly postgres: Spread;
  /** Resident set of the process before the night and at most during it, in MiB. */
  readonly beforeMiB: number;
  readonly peakMiB: number;
};

/** Months before the current one that are not folded, by default. */
const sliceMonths = 1;

/** Makes up the account with its folded ledger and plans the same night so many times. */
export async function measureNight(
  { account, rounds }: { readonly account: Account; readonly rounds: number },
  say: (text: string) => void,
): Promise<NightFigures & { readonly version: string }> {
  await using postgres = await openBenchPostgres();
  await migrate(postgres.url);
  const { client } = postgres;
  await client.query(`alter database bench set storehouse.today = '${today}'`);
  const made = await timed(() => fillFolded(client, account));
  say(`made up in ${(made.ms / 1000).toFixed(0)} s`);
  await using warehouse = await openWarehouse(postgres.url, 4);
  const { rows } = await client.query<{ rows: number }>("select count(*)::float8 as rows from ops.slice");
  const beforeMiB = residentMiB();
  const nights: OneNight[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) await forgetNight(client);
    nights.push(await planNight(client, warehouse.db, account));
    say(`round ${round + 1}: ${JSON.stringify(nights.at(-1))}`);
  }
  const spread = (of: (night: OneNight) => number) => spreadOf(nights.map(of));
  return {
    account,
    slices: nights[0]?.slices ?? 0,
    rows: rows[0]?.rows ?? 0,
    rounds,
    wall: spread(({ wall }) => wall),
    node: spread(({ node }) => node),
    postgres: spread(({ postgres: own }) => own),
    beforeMiB,
    peakMiB: Math.max(...nights.map(({ peakMiB }) => peakMiB)),
    version: postgres.version,
  };
}

type OneNight = Record<"slices" | "wall" | "node" | "postgres" | "peakMiB", number>;

async function planNight(client: pg.Client, db: Database, account: Account): Promise<OneNight> {
  const settings = Settings.parse({ datasets: { keyword_rank: { start: firstDayOf(account) } } });
  let peakMiB = residentMiB();
  const watch = setInterval(() => {
    peakMiB = Math.max(peakMiB, residentMiB());
  }, 20);
  const before = { node: process.cpuUsage(), postgres: await postgresCpu(client) };
  const { ms } = await timed(() => planDue(partsOf(db), settings, ["keyword_rank"]));
  const node = ownCpuSince(before.node) / 1000;
  clearInterval(watch);
  const postgres = ((await postgresCpu(client)) - before.postgres) / 1000;
  const { rows } = await client.query<{ slices: number }>(
    "select count(*)::int as slices from ops.slice where state = 'pending' and dataset = 'keyword_rank'",
  );
  return { slices: rows[0]?.slices ?? 0, wall: ms / 1000, node, postgres, peakMiB };
}

/** What planning needs of a worker: it sends nothing. */
function partsOf(db: Database): IngestParts {
  const clock: Clock = { ...systemClock(), today: () => today };
  return {
    db,
    clock,
    log: createLog({ level: "silent", secrets: [] }),
    halted: new AbortController().signal,
    accountId: "bench",
    reapDeadWorkers: () => Promise.resolve(),
  } as Partial<IngestParts> as IngestParts;
}

function residentMiB(): number {
  return process.memoryUsage.rss() / 2 ** 20;
}

async function forgetNight(client: pg.Client): Promise<void> {
  await client.query("delete from ops.slice where state = 'pending'");
  await client.query("vacuum analyze ops.slice");
}

/**
 * The ledger as two years of nights leave it: of each list a slice a month, then one a night, and what was read of the portfolio today.
 * Their requests are left out: planning reads none.
 */
async function fillFolded(client: pg.Client, account: Account): Promise<void> {
  // what refers to what is made right: to check it row by row would take most of the time
  await client.query("set session_replication_role = replica");
  await beginLedger(client, account, 0);
  const { rows: indexes } = await client.query<{ name: string; text: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text from pg_index
     where  indrelid = 'ops.slice'::regclass and not indisprimary`,
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  await client.query("set max_parallel_maintenance_workers = 0; set maintenance_work_mem = '256MB'");
  for (const window of windowsOf(account)) await fillWindow(client, account, window);
  await fillPortfolio(client, account);
  for (const { text } of indexes) await client.query(text);
  await client.query("reset session_replication_role");
  await client.query("vacuum analyze ops.slice, ops.batch, ops.run");
}

type Stretch = { readonly start: Day; readonly end: Day; readonly isFolded: boolean };

/** Months that are over, then nights up to the one that is to be planned. */
function windowsOf(account: Account): readonly Stretch[] {
  const [first, end] = [firstDayOf(account), addDays(today, -1)];
  const single = addMonths(monthStart(today), -sliceMonths);
  const found: Stretch[] = [];
  for (let start = first; start < end;) {
    const isFolded = start < single;
    const next = isFolded ? addMonths(monthStart(start), 1) : addDays(start, 1);
    found.push({ start, end: next, isFolded });
    start = next;
  }
  return found;
}

async function fillWindow(client: pg.Client, account: Account, { start, end, isFolded }: Stretch): Promise<void> {
  await client.query(
    `insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                            planned_credits, run_id, turn, attempt, rows_loaded, is_folded, answer_digest, created_at, started_at, ended_at)
     select 'keyword_rank', 'ios.keyword-ranking', s.scope, s.batch_id, $1::date, $2::date, $2::date, '', 'daily', 'loaded', 1, 3,
            $3::bigint + ($2::date - 1 - $4::date), 200000 + (date '2100-01-01' - $2::date), 1, $5::int, $6::boolean,
            case when not $6::boolean then sha256((s.scope::text || s.batch_id || $1::text)::bytea) end,
            $1::timestamp + interval '28 hours', $2::timestamp + interval '4 hours', $2::timestamp + interval '4 hours'
     from   (select jsonb_build_object('app', (1000000 + app)::text, 'store', 'ios', 'country', country) as scope, batch_id
             from   generate_series(0, $7::int - 1) as app cross join unnest($8::text[]) as country
             join   ops.batch as b on split_part(b.items[1], ' ', 2)::int = app
             order  by app, country, batch_id) as s`,
    [
      start,
      end,
      firstRun(0),
      firstDayOf(account),
      100,
      isFolded,
      account.apps,
      countryCodes.slice(0, account.countries),
    ],
  );
}

/** What today's reading of the portfolio left: nothing of it is due again. */
async function fillPortfolio(client: pg.Client, { apps, countries, keywords }: Account): Promise<void> {
  await client.query(
    `insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                            planned_credits, run_id, attempt, rows_loaded, created_at, started_at, ended_at)
     select p.dataset, p.operation, p.scope, $1::date, $1::date + 1, $1::date, p.fingerprint, 'snapshot', 'loaded', 1, 1, $2, 1, 1, $1::date, $1::date, $1::date
     from   (select 'tracked_app' as dataset, 'dashboard.apps' as operation, '{}'::jsonb as scope, '' as fingerprint
             union  all
             select 'tracked_country', 'dashboard.number-of-keywords', jsonb_build_object('store', 'ios', 'app', (1000000 + app)::text), ''
             from   generate_series(0, $3::int - 1) as app
             union  all
             select 'tracked_keyword', 'dashboard.daily-keyword-rankings',
                    jsonb_build_object('store', 'ios', 'app', (1000000 + app)::text, 'country', country), 'keywords ' || $4::int
             from   generate_series(0, $3::int - 1) as app cross join unnest($5::text[]) as country) as p`,
    [today, firstRun(0), apps, keywords, countryCodes.slice(0, countries)],
  );
}

/** The figures as a table. */
export function nightTable({ account, slices, rows, rounds, ...found }: NightFigures): Table {
  const line = (name: string, { median, least, greatest }: Spread) => [
    name,
    ...[median, least, greatest].map((seconds) => `${seconds.toFixed(1)} s`),
  ];
  const memory = (name: string, mib: number) => [name, `${mib.toFixed(0)} MiB`, "", ""];
  const count = (number: number) => number.toLocaleString("en-US");
  return {
    title: `Planning a night of ${count(slices)} requests and queueing them: ${count(account.apps)} apps x ${account.countries} countries x ${account.keywords} keywords, ${account.days} days of history in ${count(rows)} slices, months that are over folded; ${rounds} rounds`,
    head: ["", "median", "least", "greatest"],
    rows: [
      line("by the clock", found.wall),
      line("processor time of Node", found.node),
      line("processor time of Postgres", found.postgres),
      memory("memory of the process before it", found.beforeMiB),
      memory("and at most", found.peakMiB),
    ],
  };
}
