import { sql, type SqlFragment } from "../../src/postgres/sql.ts";
import { expect, test } from "vitest";
import type { App } from "../../src/app.ts";
import { addDays, type Day } from "../../src/core/day.ts";
import { noteDatasets, type TimingLine } from "../../src/ledger/dataset-timings.ts";
import { staleCells } from "../../src/plan/stale-cells.ts";
import { readScopeCoverage } from "../../src/planner/gaps.ts";
import { lineOf } from "../../src/planner/record-settings.ts";
import { openStage, today, type RunOptions } from "../support/ingest-stage.ts";
import { openLedgerStage } from "../support/ledger-stage.ts";
import { long } from "../support/long.ts";

const on = { on: true } as const;

/** A restated series, one whose empty days are requested again, packed days with scopes of their own timing, periods, and snapshots. */
const settings = {
  datasets: {
    keyword_rank: { history_days: 6, lookback_days: 2 },
    review: { ...on, history_days: 8 },
    category_rank: { ...on, options: { resolutions: ["daily", "hourly"] } },
    review_word: on,
    app_rating: on,
    app_history: { ...on, refresh_days: 3 },
  },
} as const satisfies RunOptions["settings"];

type Counts = Readonly<Record<string, number>>;

/** Answered and stale cells as `gaps` reports them, by dataset, app, country and day. */
async function countsByGaps({ warehouse, config }: App, day: Day): Promise<Counts> {
  const scopes = await readScopeCoverage(warehouse.db, {
    request: { datasets: [], bounds: {}, today: day },
    settings: config.settings,
  });
  return Object.fromEntries(
    scopes.flatMap(({ dataset, trackId, country, days }) =>
      [...days].flatMap(([date, { loaded = 0, empty = 0, stale = 0 }]) =>
        loaded + empty + stale === 0 ? [] : [[[dataset, trackId, country, date].join(" "), stale] as const],
      ),
    ),
  );
}

/** Queries the views as of a day. */
function requestedOn<R>({ warehouse }: App, day: Day, query: SqlFragment<R>): Promise<readonly R[]> {
  return warehouse.db.transaction().execute(async (db) => {
    await sql`select set_config('storehouse.today', ${day}, true)`.execute(db);
    return (await query.execute(db)).rows;
  });
}

/** The same as `ops.coverage_daily` reports it, as of that day. */
async function countsBySql(app: App, day: Day): Promise<Counts> {
  const rows = await requestedOn(
    app,
    day,
    sql<{ cell: string; stale: number }>`
      select concat_ws(' ', dataset, coalesce(track_id, ''), coalesce(country_code, ''), date_day::text) as cell, sum(stale_count)::int as stale
      from   ops.coverage_daily
      where  loaded_count + empty_count > 0
      group  by 1`,
  );
  return Object.fromEntries(rows.map(({ cell, stale }) => [cell, stale]));
}

/** Cells of which they report different states; of a cell that only SQL knows, which is further back than a plan reaches, nothing may be stale. */
function differences(gaps: Counts, inSql: Counts): readonly unknown[] {
  return [...new Set([...Object.keys(gaps), ...Object.keys(inSql)])].flatMap((cell) => {
    const [stale, other] = [gaps[cell] ?? 0, inSql[cell] ?? 0];
    return stale === other && !(cell in gaps && !(cell in inSql)) ? [] : [[cell, { stale, inSql: inSql[cell] }]];
  });
}

test("SQL and gaps agree over nights, of which one is missed, on what is stale, before and after each night's work", async () => {
  await using stage = await openStage({
    market: { apps: long ? 2 : 1, countries: ["US"], keywordsPerApp: long ? 5 : 2 },
  });
  await using app = await stage.open({ settings });
  const seen = new Map<string, number>();
  for (const back of long ? [6, 5, 3, 0] : [3, 0]) {
    const day = addDays(today, -back);
    for (const isDone of [false, true]) {
      if (isDone) await stage.sync({ settings, request: { today: day } });
      const [gaps, inSql] = [await countsByGaps(app, day), await countsBySql(app, day)];
      expect(differences(gaps, inSql), `${day} ${isDone ? "after" : "before"} the sync`).toEqual([]);
      for (const [cell, stale] of Object.entries(gaps)) {
        const dataset = cell.split(" ")[0] ?? "";
        seen.set(dataset, (seen.get(dataset) ?? 0) + stale);
      }
    }
  }
  // else they would agree on nothing
  expect([...seen].filter(([, stale]) => stale > 0).map(([dataset]) => dataset)).toEqual(
    expect.arrayContaining(["keyword_rank", "review", "app_rating", "app_history"]),
  );
});

test("a slice has the state superseded, stale, or its own", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"], keywordsPerApp: 3 } });
  await using app = await stage.open();
  const effectiveStates = async (day: Day, dataset: string) => {
    const rows = await requestedOn(
      app,
      day,
      sql<{ reported: string }>`
        select concat_ws(' ', first_day, effective_state) as reported from ops.slice_status where dataset = ${dataset} order by first_day, slice_id`,
    );
    return rows.map(({ reported }) => reported);
  };
  const [before, night] = [
    addDays(today, -1),
    { settings: { datasets: { keyword_rank: { history_days: 2, lookback_days: 1 } } } },
  ];
  await stage.sync({ ...night, request: { today: before } });
  expect(await effectiveStates(before, "keyword_rank")).toEqual([
    `${addDays(today, -3)} loaded`,
    `${addDays(today, -2)} loaded`,
  ]);
  expect(await effectiveStates(today, "keyword_rank")).toEqual([
    `${addDays(today, -3)} loaded`,
    `${addDays(today, -2)} stale`,
  ]);
  await stage.sync(night);
  expect(await effectiveStates(today, "keyword_rank")).toEqual([
    `${addDays(today, -3)} loaded`,
    `${addDays(today, -2)} superseded`,
    `${addDays(today, -2)} loaded`,
    `${addDays(today, -1)} loaded`,
  ]);
  await stage.query("update ops.slice set state = 'failed' where window_start = $1", [addDays(today, -1)]);
  expect((await effectiveStates(today, "keyword_rank")).at(-1)).toBe(`${addDays(today, -1)} failed`);
});

test("SQL and plans agree on which days of an answer without rows are due again", async () => {
  await using ledger = await openLedgerStage();
  const [pack, late] = [{ packDays: 7 }, { emptyHoldsDays: 3, emptyUntilDays: 6 }];
  const patient = { emptyHoldsDays: 5 };
  const full = { packDays: 7, packIsFull: true } as const;
  const timings = [{}, late, patient, pack, { ...pack, ...late }, { ...pack, ...patient }, full, { ...full, ...late }];
  const lines: TimingLine[] = [];
  const made: object[] = [];
  const inPlans = new Map<string, string>();
  const kinds = {
    loaded: {},
    empty: {},
    "not found": { state: "skipped" },
    tail: { state: "empty", isTail: true },
  } as const;
  for (const [number, own] of timings.entries()) {
    const timing = { kind: "series", settleDays: 2, lookbackDays: 0, historyDays: 30, ...own } as const;
    const dataset = `timing_${number}`;
    lines.push(lineOf(dataset, null, timing, {}));
    for (const [kind, slice] of Object.entries(kinds))
      for (const age of Array.from({ length: 17 }, (_, before) => before))
        for (const days of [2, 6, 9]) {
          const asOf = addDays(today, -age);
          const window = { start: addDays(asOf, -1 - days), end: addDays(asOf, -1) };
          const one = { scope: { kind, age: `${age}`, days: `${days}` }, operation: "", items: null, fingerprint: "" };
          const covered = [{ ...one, state: kind as "loaded" | "empty", ...slice, window, asOf, refused: false }];
          const request = { timing, today, bounds: {} };
          const stale = staleCells({ request, partition: { items: null, fingerprint: "" }, covered });
          const cell = [dataset, kind, age, days].join(" ");
          inPlans.set(cell, stale.map(({ window: { start, end } }) => `${start} ${end}`).join());
          made.push({ ...covered[0], dataset, start: window.start, end: window.end });
        }
  }
  await noteDatasets(ledger.db, [], lines, { account: "", planned: [], today });
  const runId = await ledger.run();
  const { rows } = await ledger.db.transaction().execute(async (db) => {
    await sql`select set_config('storehouse.today', ${today}, true)`.execute(db);
    await sql`
      insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, tail_of, error_code, planned_requests,
                             planned_credits, run_id, created_at)
      select dataset, '', scope, start, "end", "asOf", '', 'daily', state, case when "isTail" then 1 end,
             case when state = 'skipped' then 'not_found' end, 1, 1, ${runId}, now()
      from   jsonb_to_recordset(${JSON.stringify(made)}::jsonb)
             as m (dataset text, scope jsonb, start date, "end" date, "asOf" date, state text, "isTail" boolean)`.execute(
      db,
    );
    return sql<{ cell: string; due: string }>`
      select concat_ws(' ', dataset, scope ->> 'kind', scope ->> 'age', scope ->> 'days') as cell, coalesce(due.first || ' ' || due.last, '') as due
      from   ops.slice_finality as f
      cross  join lateral (select min(d)::date as first, max(d)::date + 1 as last
                           from   generate_series(greatest(f.window_start, f.request_from), least(f.window_end, f.request_before) - 1, '1 day') as d
                           where  d >= f.final_before) as due`.execute(db);
  });
  expect(new Map(rows.map(({ cell, due }) => [cell, due]))).toEqual(inPlans);
  expect([...inPlans.values()].filter((due) => due !== "").length).toBeGreaterThan(100);
});
