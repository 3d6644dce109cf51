import type pg from "pg";
import { addDays, addMonths, monthStart, type Day } from "../src/core/day.ts";
import { everyNights, sumUpPast } from "../src/ledger/past-slices.ts";
import { startsByShard } from "../src/planner/plan-stream.ts";
import { pastOf } from "../src/planner/plan-coverage.ts";
import { openWarehouse, type Database } from "../src/postgres/database.ts";
import { migrate } from "../src/postgres/migrate.ts";
import { startChild } from "./child.ts";
import { nightSettings } from "./config.ts";
import { postgresCpu } from "./cpu.ts";
import type { NightOrder, PlannedNight } from "./night-worker.ts";
import { openBenchPostgres, type BenchPostgres } from "./postgres.ts";
import { expect } from "./rounds.ts";
import { beginLedger, firstRun } from "./scale-ledger.ts";
import { countryCodes, firstDayOf, today, type Account } from "./scale-size.ts";
import { timed } from "./stopwatch.ts";

/** One planning of a night for an account with its whole history: reading, planning, queueing. Times in seconds. */
export type OneNight = {
  readonly workers: readonly PlannedNight[];
  readonly slices: number;
  /** Until the last worker was done. */
  readonly wall: number;
  readonly postgres: number;
};

/** What was measured: rounds with one worker, with two, and with one that finds no sums of past days. */
export type NightFigures = {
  readonly account: Account;
  /** Rows of `ops.slice` before the night, with past months folded. */
  readonly rows: number;
  readonly byOne: readonly OneNight[];
  readonly byTwo: readonly OneNight[];
  readonly first: OneNight;
};

/** Months before the current one that are not folded, by default. */
const sliceMonths = 1;

/**
 * Generates the account with its folded ledger, and plans the same night repeatedly, in turn with one worker and with two, each a separate
 * process.
 */
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
  const night = async (workers: number) => {
    const found = await planNight(postgres, account, workers);
    say(`${workers} at work: ${JSON.stringify(found)}`);
    await forgetNight(client);
    return found;
  };
  const first = await night(1);
  await sumUpNights(warehouse.db, account, everyNights);
  const [byOne, byTwo]: [OneNight[], OneNight[]] = [[], []];
  for (let round = 0; round < rounds; round += 1)
    for (const [workers, nights] of [
      [1, byOne],
      [2, byTwo],
    ] as const) {
      await asBeforeTonight(client, warehouse.db, account);
      nights.push(await night(workers));
    }
  const shards = ({ workers }: OneNight) => workers.reduce((sum, one) => sum + one.shards, 0);
  for (const one of [...byOne, ...byTwo]) {
    expect(one.slices, first.slices, "slices of a night");
    expect(shards(one), shards(first), "shards of a night");
  }
  return { account, rows: rows[0]?.rows ?? 0, byOne, byTwo, first, version: postgres.version };
}

async function planNight({ client, url }: BenchPostgres, account: Account, workers: number): Promise<OneNight> {
  await using started = new AsyncDisposableStack();
  const never = new AbortController().signal;
  const own = Array.from({ length: workers }, () => started.use(startChild("night-worker.ts", never)));
  const before = await postgresCpu(client);
  const found = await Promise.all(
    own.map((worker, place) => worker.ask<PlannedNight>({ url, account, begins: place === 0 } satisfies NightOrder)),
  );
  const postgres = ((await postgresCpu(client)) - before) / 1000;
  const { rows } = await client.query<{ slices: number }>(
    "select count(*)::int as slices from ops.slice where state = 'pending' and dataset = 'keyword_rank'",
  );
  return { workers: found, slices: rows[0]?.slices ?? 0, wall: Math.max(...found.map(({ wall }) => wall)), postgres };
}

async function forgetNight(client: pg.Client): Promise<void> {
  await client.query("delete from ops.slice where state = 'pending'");
  await client.query("vacuum analyze ops.slice, ops.slice_past");
}

/** Sums up past days as `nights` earlier nights did, by default up to yesterday. */
async function sumUpNights(db: Database, account: Account, nights: number, last = 1): Promise<void> {
  const request = { datasets: ["keyword_rank"], bounds: {}, today };
  for await (const starts of startsByShard(db, request, nightSettings(account)))
    for (const past of starts.flatMap((start) => pastOf(start) ?? []))
      for (let ago = last + nights - 1; ago >= last; ago -= 1)
        await sumUpPast(db, { ...past, today: addDays(today, -ago) });
}

/** Restores the sums as before tonight: the partitions due tonight were last summed up `everyNights` nights ago. */
async function asBeforeTonight(client: pg.Client, db: Database, account: Account): Promise<void> {
  // what an earlier round summed up: an answer about a day is final the next day
  await client.query("delete from ops.slice_past where until_day > $1::date - 2", [today]);
  await sumUpNights(db, account, 1, everyNights);
  await client.query("vacuum analyze ops.slice_past");
}

/**
 * The ledger as two years of nights leave it: for each list one slice per month, then one per night, and today's readings of the portfolio.
 * Requests are left out: planning reads none.
 */
async function fillFolded(client: pg.Client, account: Account): Promise<void> {
  // the generated references are right: checking them row by row would take most of the time
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

/** Past months, then nights up to the one to plan. */
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

/** Adds the result of today's reading of the portfolio: none of it is due again. */
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
