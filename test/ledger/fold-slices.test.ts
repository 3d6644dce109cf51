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
import {
  anyMade,
  emptyForHistory,
  firstMadeDay,
  historyOf,
  trackMadeApps,
  writeHistory,
} from "../support/made-history.ts";

const today = day("2026-08-20");
const settings = Settings.parse({ datasets: { keyword_rank: { history_days: 200, lookback_days: 2 } } });

const stage = forTests(openLedgerStage);
beforeAll(async () => {
  await trackMadeApps(stage);
});

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
    const night = {
      datasets: ["keyword_rank"],
      bounds: { start: firstMadeDay },
      today: addDays(today, 1 - ago),
    } as const;
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
    const request = { datasets: ["keyword_rank"], bounds: { start: firstMadeDay }, today, only: {} } as const;
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
    fc.array(anyMade, { minLength: 40, maxLength: 40, size: "max" }),
    fc.array(anyMade, { minLength: 10, maxLength: 10, size: "max" }),
  );
  await fc.assert(
    fc.asyncProperty(fc.noBias(histories), async ([extra, later]) => {
      await emptyForHistory(stage);
      for (const history of [historyOf(extra), later]) {
        await writeHistory(stage, history);
        summed += await sumUp();
        const before = await answers();
        folded += await fold();
        expect(await answers()).toEqual(before);
        kept += await inPast();
      }
    }),
    { seed, numRuns: long ? 200 : 1, endOnFailure: true },
  );
  expect(folded).toBeGreaterThan(100);
  // to fold changes nothing of what is summed up of days past
  expect({ kept, some: kept > 0 }).toEqual({ kept: summed, some: true });
});

test("slices that are final become one of their list and month; what is requested again of a day of it decides there", async () => {
  await emptyForHistory(stage);
  await writeHistory(
    stage,
    historyOf([]).filter(({ list }) => list === 0),
  );
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
  await writeHistory(stage, [{ ...again, state: "failed" }]);
  expect(await statesOf()).toEqual(["2026-03-09 2 0 0", "2026-03-10 0 2 0", "2026-03-11 2 0 0"]);
  await writeHistory(stage, [{ ...again, state: "empty" }]);
  expect(await statesOf()).toEqual(["2026-03-09 2 0 0", "2026-03-10 0 0 2", "2026-03-11 2 0 0"]);
});

test("of items that lists share the newest slice about each decides, and a refused item is not due again", async () => {
  await emptyForHistory(stage);
  await stage.pool.query("insert into ops.batch (items, digest) values ('{gamma,delta}', 'd'), ('{delta}', 'e')");
  const usual = { app: 1, from: 4, length: 1, after: 9, run: 1, rejected: false, isStored: false, fingerprint: "" };
  const cellsOf = () =>
    asOfToday(async (db) => {
      const { rows } = await sql<object>`
        select cell_count::int as cells, loaded_count::int as loaded, failed_count::int as failed, empty_count::int as empty, stale_count::int as stale
        from   ops.coverage_daily where dataset = 'keyword_rank' and date_day = ${addDays(firstMadeDay, 4)}::date`.execute(
        db,
      );
      return rows;
    });
  // alpha and beta, then beta and gamma
  await writeHistory(stage, [
    { ...usual, list: 0, state: "loaded" },
    { ...usual, list: 2, state: "failed" },
  ]);
  expect(await cellsOf()).toEqual([{ cells: 3, loaded: 1, failed: 2, empty: 0, stale: 0 }]);
  await writeHistory(stage, [{ ...usual, list: 0, state: "empty" }]);
  expect(await cellsOf()).toEqual([{ cells: 3, loaded: 0, failed: 1, empty: 2, stale: 0 }]);
  // gamma, which the failed slice requested later, and delta, before the source had settled; then delta alone, which is refused
  await writeHistory(stage, [{ ...usual, list: 3, state: "loaded", after: 0 }]);
  expect(await cellsOf()).toEqual([{ cells: 4, loaded: 2, failed: 0, empty: 2, stale: 1 }]);
  await writeHistory(stage, [{ ...usual, list: 4, from: 5, state: "skipped" }]);
  await stage.pool.query("update ops.slice set error_code = 'bad_request' where state = 'skipped'");
  expect(await cellsOf()).toEqual([{ cells: 4, loaded: 2, failed: 0, empty: 2, stale: 0 }]);
});

test("answers of nothing that hold for a time from their own day, and slices that were answered in part, stay", async () => {
  await emptyForHistory(stage);
  const usual = { app: 1, list: 0, length: 1, after: 9, run: 1, rejected: false, isStored: false, fingerprint: "" };
  // of last week: older ones are due again
  await writeHistory(
    stage,
    [4, 5, 6].map((from) => ({ ...usual, from, after: 163, state: "empty" })),
  );
  await writeHistory(
    stage,
    [10, 11].map((from) => ({ ...usual, from, state: "loaded" })),
  );
  await stage.pool.query("update ops.slice set requested_end = window_end + 1 where state = 'loaded'");
  const holdFor = (count: number | null) =>
    stage.pool.query("update ops.dataset_timing set empty_holds_days = $1", [count]);
  await holdFor(7);
  expect(await fold()).toBe(0);
  await holdFor(null);
  expect(await fold()).toBe(2);
});
