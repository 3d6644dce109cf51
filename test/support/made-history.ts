import fc from "fast-check";
import { addDays, day } from "../../src/core/day.ts";
import type { LedgerStage } from "./ledger-stage.ts";

/*
 * A made-up history of slices: nights of two lists of keywords of an app, and between them what else happens to slices.
 */

/** The first day that it is about. */
export const firstMadeDay = day("2026-03-01");
/** Days of four months. */
const madeDays = 122;

/** Two apps in a country with the keywords of the lists, and how their datasets are timed. */
export async function trackMadeApps(stage: LedgerStage): Promise<void> {
  await stage.pool.query(`
    insert into core.dim_app (store, track_id, app_name, fetched_at) values ('ios', '1', 'One', now()), ('ios', '2', 'Two', now());
    insert into core.dim_keyword (keyword) values ('alpha'), ('beta'), ('gamma');
    insert into core.tracked_app (app_key, valid_from, is_current, is_store_account_connected, slice_id, fetched_at)
    select app_key, '2026-01-01', true, true, 0, now() from core.dim_app;
    insert into core.tracked_country (app_key, country_key, valid_from, is_current, keyword_count, slice_id, fetched_at)
    select a.app_key, c.country_key, '2026-01-01', true, 3, 0, now() from core.dim_app as a join core.dim_country as c on c.country_code = 'US';
    insert into core.tracked_keyword (app_key, country_key, keyword_key, valid_from, is_current, slice_id, fetched_at)
    select a.app_key, c.country_key, k.keyword_key, '2026-01-01', true, 0, now()
    from   core.dim_app as a join core.dim_country as c on c.country_code = 'US' cross join core.dim_keyword as k;
    insert into ops.dataset_timing (dataset, scope, is_default, kind, settle_days, lookback_days, history_days, empty_early_days)
    values ('keyword_rank', 'null', true, 'series', 1, 2, 200, 1), ('app_rating', 'null', true, 'series', 1, 2, 200, 1)`);
}

/** An empty ledger with three lists, two of which share a keyword, and three runs. */
export async function emptyForHistory(stage: LedgerStage): Promise<void> {
  await stage.reset();
  await stage.pool.query(`
    truncate ops.folded_month, ops.plan restart identity cascade;
    insert into ops.batch (items, digest) values ('{alpha,beta}', 'a'), ('{gamma}', 'b'), ('{beta,gamma}', 'c');
    insert into ops.plan (made_at, as_of, request, basis, newest_first, digest, slices, requests, credits, left_out_slices, left_out_credits)
    select now(), '2026-01-01', '{}', '{}', true, '', 1, 1, 1000, 0, 0 from generate_series(1, 3);
    insert into ops.run (kind, as_of, datasets, started_at, ended_at, outcome)
    select 'sync', '2026-01-01', '{}', now(), now(), 'loaded' from generate_series(1, 3)`);
}

/** A slice of a made-up history. */
export type Made = {
  readonly app: number;
  readonly list: number | null;
  readonly from: number;
  readonly length: number;
  readonly state: string;
  readonly after: number;
  readonly run: number;
  readonly rejected: boolean;
  readonly isStored: boolean;
  readonly fingerprint: string;
};

const odd = (weight: number, value: string) => ({ weight, arbitrary: fc.constant(value) });
/** Any slice of one. */
export const anyMade: fc.Arbitrary<Made> = fc.record({
  app: fc.integer({ min: 1, max: 2 }),
  list: fc.constantFrom(0, 1, 2, null),
  from: fc.integer({ min: 0, max: madeDays - 6 }),
  length: fc.integer({ min: 1, max: 5 }),
  state: fc.oneof(odd(40, "loaded"), odd(8, "empty"), odd(1, "failed"), odd(1, "skipped"), odd(1, "deferred")),
  after: fc.integer({ min: 0, max: 9 }),
  run: fc.integer({ min: 1, max: 3 }),
  rejected: fc.oneof(odd(6, ""), odd(1, "yes")).map((text) => text !== ""),
  isStored: fc.oneof(odd(6, ""), odd(1, "yes")).map((text) => text !== ""),
  fingerprint: fc.oneof(odd(20, ""), odd(1, "other")),
});

/** Nights of each list of an app, and between them what else happened. */
export function historyOf(extra: readonly Made[]): readonly Made[] {
  const usual = { length: 1, state: "loaded", after: 9, run: 1, rejected: false, isStored: false, fingerprint: "" };
  const nights = Array.from({ length: madeDays }, (_, from) =>
    [0, 1].map((list) => ({ ...usual, app: 1, list, from, run: 1 + (from % 3) })),
  ).flatMap((night, from) => (from % 17 === 5 ? [] : night));
  const all: Made[] = [...nights];
  for (const [index, one] of extra.entries()) all.splice((index * 37) % all.length, 0, one);
  return all;
}

/** Writes a history into the ledger, in its order; a doubled slice is left out. */
export async function writeHistory(stage: LedgerStage, history: readonly Made[]): Promise<void> {
  const rows = history.map((one) => ({
    ...one,
    scope: { store: "ios", app: String(one.app), country: "US" },
    dataset: one.list === null ? "app_rating" : "keyword_rank",
    batch: one.list === null ? null : one.list + 1,
    window_start: addDays(firstMadeDay, one.from),
    window_end: addDays(firstMadeDay, one.from + one.length),
    as_of: addDays(firstMadeDay, one.from + one.length + one.after),
  }));
  await stage.pool.query(
    `with made as (
       insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                              planned_credits, run_id, plan_id, attempt, rows_loaded, rows_rejected, error_code, created_at, started_at, ended_at)
       select dataset, 'ios.keyword-ranking', scope, batch, window_start, window_end, as_of, fingerprint, 'daily', state, 1, 3, run, nullif(run, 1), 1,
              5, rejected::int, case when state in ('failed', 'skipped') then 'server_error' end, as_of, as_of, as_of
       from   jsonb_to_recordset($1::jsonb) as s (dataset text, scope jsonb, batch bigint, window_start date, window_end date, as_of date, fingerprint text,
                                                  state text, run bigint, rejected boolean)
       on conflict do nothing
       returning slice_id, run_id, dataset, scope, as_of
     )
     insert into ops.request (account_id, slice_id, run_id, attempt, page, dataset, class, operation, params, cost, duration_ms, byte_count, received_at)
     select 'a', slice_id, run_id, 1, 0, dataset, 'daily', 'o', '{}', 3, 1, 1, as_of from made`,
    [JSON.stringify(rows)],
  );
  await stage.pool.query(
    `insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at)
     select 1, slice_id, 1, 0, 'o', '', 0, ended_at from ops.slice where slice_id = any ($1::bigint[])`,
    [history.flatMap(({ isStored }, index) => (isStored ? [index + 1] : []))],
  );
}
