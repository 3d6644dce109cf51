import { readSliceSums } from "../../src/ledger/slice-sums.ts";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { addDays, day, type Day } from "../../src/core/day.ts";
import { foldMonth, monthsToFold } from "../../src/ledger/fold-slices.ts";
import { everyNights, sumUpPast } from "../../src/ledger/past-slices.ts";
import { foldedRuns } from "../../src/ledger/run-list.ts";
import { readPlanProgress } from "../../src/ledger/plans.ts";
import { readStatus } from "../../src/ledger/status.ts";
import { readScopeCoverage } from "../../src/planner/gaps.ts";
import { pastOf } from "../../src/planner/plan-coverage.ts";
import { planChunks, startsOf } from "../../src/planner/plan-stream.ts";
import { sql } from "../../src/postgres/sql.ts";
import type { Database } from "../../src/postgres/database.ts";
import { openLedgerStage } from "../support/ledger-stage.ts";
import { long, seed } from "../support/long.ts";
import { forTests } from "../support/for-tests.ts";

const today = day("2026-08-20");
const first = day("2026-03-01");
/** Days of four months; those of the last two are not folded. */
const days = 122;
const settings = Settings.parse({ datasets: { keyword_rank: { history_days: 200, lookback_days: 2 } } });

const stage = forTests(openLedgerStage);
beforeAll(async () => {
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
});

/** An empty ledger with three lists, two of which share a keyword, and three runs. */
async function emptied(): Promise<void> {
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
type Made = {
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
const made: fc.Arbitrary<Made> = fc.record({
  app: fc.integer({ min: 1, max: 2 }),
  list: fc.constantFrom(0, 1, 2, null),
  from: fc.integer({ min: 0, max: days - 6 }),
  length: fc.integer({ min: 1, max: 5 }),
  state: fc.oneof(odd(40, "loaded"), odd(8, "empty"), odd(1, "failed"), odd(1, "skipped"), odd(1, "deferred")),
  after: fc.integer({ min: 0, max: 9 }),
  run: fc.integer({ min: 1, max: 3 }),
  rejected: fc.oneof(odd(6, ""), odd(1, "yes")).map((text) => text !== ""),
  isStored: fc.oneof(odd(6, ""), odd(1, "yes")).map((text) => text !== ""),
  fingerprint: fc.oneof(odd(20, ""), odd(1, "other")),
});

/** Nights of each list of an app, and between them what else happened. */
function historyOf(extra: readonly Made[]): readonly Made[] {
  const usual = { length: 1, state: "loaded", after: 9, run: 1, rejected: false, isStored: false, fingerprint: "" };
  const nights = Array.from({ length: days }, (_, from) =>
    [0, 1].map((list) => ({ ...usual, app: 1, list, from, run: 1 + (from % 3) })),
  ).flatMap((night, from) => (from % 17 === 5 ? [] : night));
  const all: Made[] = [...nights];
  for (const [index, one] of extra.entries()) all.splice((index * 37) % all.length, 0, one);
  return all;
}

async function write(history: readonly Made[]): Promise<void> {
  const rows = history.map((one) => ({
    ...one,
    scope: { store: "ios", app: String(one.app), country: "US" },
    dataset: one.list === null ? "app_rating" : "keyword_rank",
    batch: one.list === null ? null : one.list + 1,
    window_start: addDays(first, one.from),
    window_end: addDays(first, one.from + one.length),
    as_of: addDays(first, one.from + one.length + one.after),
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

/** As of the made-up today. */
async function asOfToday<T>(work: (db: Database) => Promise<T>): Promise<T> {
  return stage.db.transaction().execute(async (transaction) => {
    await sql`select set_config('storehouse.today', ${today}, true)`.execute(transaction);
    return work(transaction);
  });
}

/** Sums up days past as so many nights do that each partition has its turn; returns how many rows there are then. */
async function sumUp(): Promise<number> {
  for (let ago = everyNights; ago > 0; ago -= 1) {
    const night = { datasets: ["keyword_rank"], bounds: { start: first }, today: addDays(today, 1 - ago) } as const;
    for (const start of await startsOf(stage.db, night, settings)) {
      const past = pastOf(start);
      if (past !== null) await sumUpPast(stage.db, past);
    }
  }
  return inPast();
}

async function inPast(): Promise<number> {
  return (await stage.pool.query("select from ops.slice_past")).rowCount ?? 0;
}

let now = 0;

/** Each time late enough for a month that was searched before. */
async function fold(before: Day = day("2026-06-01")): Promise<number> {
  return asOfToday(async (db) => {
    let gone = 0;
    now += 8 * 86_400_000;
    for (const month of await monthsToFold(db, before, now)) gone += await foldMonth(db, month, now);
    return gone;
  });
}

const views = [
  "coverage_daily",
  "freshness",
  "unanswered_keyword_daily",
  "failed_slice",
  "run_summary",
  "credit_spend_daily",
] as const;

/** What commands, views and plans say of the ledger. */
async function answers(): Promise<Readonly<Record<string, unknown>>> {
  return asOfToday(async (db) => {
    const found: Record<string, unknown> = {};
    for (const view of views)
      found[view] = (
        await sql<object>`select to_jsonb(v) as line from ${sql.id("ops", view)} as v order by 1`.execute(db)
      ).rows;
    // one by one: an answer may be about more days at once
    found["answered"] = (
      await sql<object>`
        select distinct a.dataset, a.track_id, d::date as day, a.is_empty from ops.app_answer as a
        cross join generate_series(a.window_start::timestamp, a.window_end - 1, interval '1 day') as d order by 1, 2, 3, 4`.execute(
        db,
      )
    ).rows;
    const request = { datasets: ["keyword_rank"], bounds: { start: first }, today, only: {} } as const;
    found["gaps"] = (await readScopeCoverage(db, { request, settings })).map((one) => [one, [...one.days]]);
    const plans: unknown[] = [];
    for await (const chunk of planChunks(db, request, settings, true)) plans.push(chunk.slices);
    found["plan"] = plans;
    found["status"] = await readStatus(db);
    found["sums"] = await readSliceSums(db);
    found["runs"] = await foldedRuns(db, 10);
    for (const id of ["2", "3"]) found[`plan ${id}`] = await readPlanProgress(db, id);
    return found;
  });
}

test("a folded ledger answers every question as before, after any history, and again after more of it was requested", async () => {
  let [folded, summed, kept] = [0, 0, 0];
  const histories = fc.tuple(
    fc.array(made, { minLength: 40, maxLength: 40, size: "max" }),
    fc.array(made, { minLength: 10, maxLength: 10, size: "max" }),
  );
  await fc.assert(
    fc.asyncProperty(fc.noBias(histories), async ([extra, later]) => {
      await emptied();
      for (const history of [historyOf(extra), later]) {
        await write(history);
        summed += await sumUp();
        const before = await answers();
        folded += await fold();
        expect(await answers()).toEqual(before);
        kept += await inPast();
      }
    }),
    { seed, numRuns: long ? 200 : 2, endOnFailure: true },
  );
  expect(folded).toBeGreaterThan(100);
  // to fold changes nothing of what is summed up of days past
  expect({ kept, some: kept > 0 }).toEqual({ kept: summed, some: true });
});

test("slices that are final become one of their list and month; what is requested again of a day of it decides there", async () => {
  await emptied();
  await write(historyOf([]).filter(({ list }) => list === 0));
  expect(await fold()).toBe(77);
  expect(await fold()).toBe(0);
  const months = await stage.slices(
    "window_start::text || ' ' || window_end || ' ' || state || case when is_folded then ' folded' else '' end as line",
  );
  expect(months.map(({ line }) => line).filter((line) => String(line).endsWith("folded"))).toEqual([
    "2026-03-01 2026-03-06 loaded folded",
    "2026-03-07 2026-03-23 loaded folded",
    "2026-03-24 2026-04-01 loaded folded",
    "2026-04-01 2026-04-09 loaded folded",
    "2026-04-10 2026-04-26 loaded folded",
    "2026-04-27 2026-05-01 loaded folded",
    "2026-05-01 2026-05-13 loaded folded",
    "2026-05-14 2026-05-30 loaded folded",
  ]);
  const statesOf = () =>
    asOfToday(async (db) =>
      (
        await sql<{ line: string }>`
            select concat_ws(' ', date_day, loaded_count, failed_count, empty_count) as line from ops.coverage_daily
            where  dataset = 'keyword_rank' and date_day between '2026-03-09' and '2026-03-11' order by 1`.execute(db)
      ).rows.map(({ line }) => line),
    );
  const again = {
    app: 1,
    list: 0,
    from: 9,
    length: 1,
    after: 9,
    run: 2,
    rejected: false,
    isStored: false,
    fingerprint: "",
  };
  await write([{ ...again, state: "failed" }]);
  expect(await statesOf()).toEqual(["2026-03-09 2 0 0", "2026-03-10 0 2 0", "2026-03-11 2 0 0"]);
  await write([{ ...again, state: "empty" }]);
  expect(await statesOf()).toEqual(["2026-03-09 2 0 0", "2026-03-10 0 0 2", "2026-03-11 2 0 0"]);
});

test("of items that lists share the newest slice about each decides, and a refused item is not due again", async () => {
  await emptied();
  await stage.pool.query("insert into ops.batch (items, digest) values ('{gamma,delta}', 'd'), ('{delta}', 'e')");
  const usual = { app: 1, from: 4, length: 1, after: 9, run: 1, rejected: false, isStored: false, fingerprint: "" };
  const cellsOf = () =>
    asOfToday(async (db) => {
      const { rows } = await sql<object>`
        select cell_count::int as cells, loaded_count::int as loaded, failed_count::int as failed, empty_count::int as empty, stale_count::int as stale
        from   ops.coverage_daily where dataset = 'keyword_rank' and date_day = ${addDays(first, 4)}::date`.execute(db);
      return rows;
    });
  // alpha and beta, then beta and gamma
  await write([
    { ...usual, list: 0, state: "loaded" },
    { ...usual, list: 2, state: "failed" },
  ]);
  expect(await cellsOf()).toEqual([{ cells: 3, loaded: 1, failed: 2, empty: 0, stale: 0 }]);
  await write([{ ...usual, list: 0, state: "empty" }]);
  expect(await cellsOf()).toEqual([{ cells: 3, loaded: 0, failed: 1, empty: 2, stale: 0 }]);
  // gamma, which the failed slice requested later, and delta, before the source had settled; then delta alone, which is refused
  await write([{ ...usual, list: 3, state: "loaded", after: 0 }]);
  expect(await cellsOf()).toEqual([{ cells: 4, loaded: 2, failed: 0, empty: 2, stale: 1 }]);
  await write([{ ...usual, list: 4, from: 5, state: "skipped" }]);
  await stage.pool.query("update ops.slice set error_code = 'bad_request' where state = 'skipped'");
  expect(await cellsOf()).toEqual([{ cells: 4, loaded: 2, failed: 0, empty: 2, stale: 0 }]);
});

test("answers of nothing that hold for a time from their own day, and slices that were answered in part, stay", async () => {
  await emptied();
  const usual = { app: 1, list: 0, length: 1, after: 9, run: 1, rejected: false, isStored: false, fingerprint: "" };
  // of last week: older ones are due again
  await write([4, 5, 6].map((from) => ({ ...usual, from, after: 163, state: "empty" })));
  await write([10, 11].map((from) => ({ ...usual, from, state: "loaded" })));
  await stage.pool.query("update ops.slice set requested_end = window_end + 1 where state = 'loaded'");
  const holdFor = (count: number | null) =>
    stage.pool.query("update ops.dataset_timing set empty_holds_days = $1", [count]);
  await holdFor(7);
  expect(await fold()).toBe(0);
  await holdFor(null);
  expect(await fold()).toBe(2);
});
