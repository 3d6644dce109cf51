import type pg from "pg";
import { addDays, type Day } from "../src/core/day.ts";
import { countryCodes, firstDayOf, keywordsACall, today, type Account } from "./scale-size.ts";

/** Days that are written in one statement. */
const daysAtOnce = 30;

/**
 * Generates the requests of an account: every night one call for each app, country and hundred keywords, each with its request, all loaded
 * except the newest night, which is still to be planned. Existing apps stay. `retain` does a night's retention as of a day: if it is given,
 * it runs once a month, and the server reuses the space that it frees.
 */
export async function fillLedger(
  client: pg.Client,
  { account, fromApp, retain }: { account: Account; fromApp: number; retain?: (today: Day) => Promise<unknown> },
): Promise<void> {
  await beginLedger(client, account, fromApp);
  const end = addDays(today, -1);
  for (let from = firstDayOf(account); from < end; from = addDays(from, daysAtOnce)) {
    const until = addDays(from, daysAtOnce);
    await night(client, account, { fromApp, from, end: until < end ? until : end, firstDay: firstDayOf(account) });
    if (retain === undefined) continue;
    await client.query("vacuum analyze ops.slice, ops.request");
    await retain(until < end ? until : today);
    await client.query("vacuum analyze ops.slice, ops.past_spend");
  }
  await client.query("vacuum analyze ops.slice, ops.request, ops.batch, ops.run");
}

/** What the slices of a synthetic account refer to: its portfolio, its lists of keywords, and one run per night. */
export async function beginLedger(client: pg.Client, account: Account, fromApp: number): Promise<void> {
  await follow(client, account, fromApp);
  // with the digests that a plan computes, so that it finds the lists
  await client.query(
    `insert into ops.batch (items, digest)
     select items, encode(sha256(convert_to('["' || array_to_string(items, '","') || '"]', 'UTF8')), 'hex')
     from   (select array_agg(format('app %s keyword %s', app, lpad(word::text, 4, '0')) order by word) as items
             from   generate_series($1::int, $2::int - 1) as app cross join generate_series(0, $3::int - 1) as word
             group  by app, word / $4) as l`,
    [fromApp, account.apps, account.keywords, keywordsACall],
  );
  // the run of a day is the one with the day's number
  await client.query(
    `insert into ops.run (run_id, kind, as_of, datasets, started_at, ended_at, outcome) overriding system value
     select $3::bigint + (d::date - $1::date), 'schedule', d::date + 1, '{keyword_rank}', d, d, 'loaded'
     from   generate_series($1::timestamp, $2::timestamp - interval '1 day', interval '1 day') as d`,
    [firstDayOf(account), addDays(today, -1), firstRun(fromApp)],
  );
}

async function follow(client: pg.Client, account: Account, fromApp: number): Promise<void> {
  const own = [fromApp, account.apps, firstDayOf(account)];
  await client.query(
    `insert into core.dim_app (store, track_id, app_name, fetched_at)
     select 'ios', (1000000 + app)::text, 'App ' || app, now() from generate_series($1::int, $2::int - 1) as app`,
    own.slice(0, 2),
  );
  await client.query(
    `insert into core.dim_keyword (keyword)
     select format('app %s keyword %s', app, lpad(word::text, 4, '0'))
     from   generate_series($1::int, $2::int - 1) as app cross join generate_series(0, $3::int - 1) as word`,
    [fromApp, account.apps, account.keywords],
  );
  const apps = "core.dim_app as a where a.track_id::int - 1000000 between $1::int and $2::int - 1";
  await client.query(
    `insert into core.tracked_app (app_key, valid_from, is_current, is_store_account_connected, slice_id, fetched_at)
     select app_key, $3::date, true, true, 0, now() from ${apps}`,
    own,
  );
  const countries = countryCodes.slice(0, account.countries);
  await client.query(
    `insert into core.tracked_country (app_key, country_key, valid_from, is_current, keyword_count, slice_id, fetched_at)
     select app_key, country_key, $3::date, true, $4::int, 0, now()
     from   (select app_key from ${apps}) as a join core.dim_country as c on c.country_code = any ($5::text[])`,
    [...own, account.keywords, countries],
  );
  await client.query(
    `insert into core.tracked_keyword (app_key, country_key, keyword_key, valid_from, is_current, slice_id, fetched_at)
     select app_key, country_key, keyword_key, $3::date, true, 0, now()
     from   (select app_key, track_id::int - 1000000 as app from ${apps}) as a
     join   core.dim_keyword as k on k.keyword like 'app %' and split_part(k.keyword, ' ', 2)::int = a.app
     join   core.dim_country as c on c.country_code = any ($4::text[])`,
    [...own, countries],
  );
  await client.query(
    "analyze core.dim_app, core.dim_keyword, core.tracked_app, core.tracked_country, core.tracked_keyword",
  );
}

type Night = { readonly fromApp: number; readonly from: string; readonly end: string; readonly firstDay: string };

/** The number of the run of an account's first night: the numbers of different accounts' runs do not overlap. */
export function firstRun(fromApp: number): number {
  return 1_000_000 * (fromApp + 1);
}

async function night(client: pg.Client, account: Account, { fromApp, from, end, firstDay }: Night): Promise<void> {
  await client.query(
    `with planned as (
       insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                              planned_credits, run_id, turn, attempt, rows_loaded, answer_digest, created_at, started_at, ended_at)
       select 'keyword_rank', 'ios.keyword-ranking', s.scope, s.batch_id, d::date, d::date + 1, d::date + 1, '', 'daily', 'loaded', 1,
              3, $5::bigint + (d::date - $8::date), 200000 + (date '2100-01-01' - d::date), 1, $6, sha256((s.scope::text || s.batch_id || d::date)::bytea),
              d + interval '28 hours', d + interval '28 hours', d + interval '28 hours'
       from   generate_series($1::timestamp, $2::timestamp - interval '1 day', interval '1 day') as d
       cross  join (select jsonb_build_object('app', (1000000 + app)::text, 'store', 'ios', 'country', country) as scope, batch_id
                    from   generate_series($3::int, $4::int - 1) as app cross join unnest($7::text[]) as country
                    join   ops.batch as b on split_part(b.items[1], ' ', 2)::int = app) as s
       returning slice_id, run_id, scope, window_start, ended_at
     )
     insert into ops.request (account_id, slice_id, run_id, attempt, page, dataset, class, operation, store, track_id, country_code, params, status, cost, remaining, duration_ms, byte_count,
                              received_at)
     select 'bench', slice_id, run_id, 1, 0, 'keyword_rank', 'daily', 'ios.keyword-ranking', scope ->> 'store',
            scope ->> 'app', scope ->> 'country', jsonb_build_object('trackId', scope ->> 'app', 'countryCode', scope ->> 'country', 'date', window_start), 200, 3, 500000, 300, 12000, ended_at
     from   planned`,
    [
      from,
      end,
      fromApp,
      account.apps,
      firstRun(fromApp),
      Math.min(keywordsACall, account.keywords),
      countryCodes.slice(0, account.countries),
      firstDay,
    ],
  );
}

/** Days of one slice of a backfill. */
const backfillDays = 30;

/**
 * Adds a backfill of as many days again before an account's history, with nothing fetched yet: its slices wait. Returns the number of their
 * cells.
 */
export async function openBackfill(client: pg.Client, account: Account): Promise<number> {
  const { rows } = await client.query<{ cells: number }>(
    `with open as (
       insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                              planned_credits, run_id, turn, created_at)
       select s.dataset, s.operation, s.scope, s.batch_id, d::date, d::date + $2::int, $3::date, '', 'history', 'pending', $2::int, 3 * $2::int, s.run_id, 300000, now()
       from   (select distinct on (scope, batch_id) dataset, operation, scope, batch_id, run_id from ops.slice order by scope, batch_id) as s
       cross  join generate_series($1::timestamp, $4::timestamp - interval '1 day', make_interval(days => $2::int)) as d
       returning batch_id
     )
     select sum(cardinality(b.items) * $2::int)::float8 as cells from open join ops.batch as b using (batch_id)`,
    [addDays(firstDayOf(account), -account.days), backfillDays, today, firstDayOf(account)],
  );
  return rows[0]?.cells ?? 0;
}
