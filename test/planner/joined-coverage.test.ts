import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import type { SliceDraft } from "../../src/core/slice.ts";
import { dailyKeywordRankings } from "../../src/api/operations/dashboard.ts";
import { iosKeywordRanking } from "../../src/api/operations/keyword.ts";
import type { DatasetSettings } from "../../src/config/settings.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { everyNights, sumUpPast } from "../../src/ledger/past-slices.ts";
import { planInChunks, type DatasetPlanning } from "../../src/planner/plan-chunks.ts";
import { coverageFor, pastOf } from "../../src/planner/plan-coverage.ts";
import { draft, openLedgerStage, today } from "../support/ledger-stage.ts";
import { forTests } from "../support/for-tests.ts";

const words = Array.from({ length: 8 }, (_, index) => `keyword ${index}`);
const countries = ["BR", "DE", "ES", "FR", "GB", "IT", "JP", "US"];
const portfolio: Portfolio = {
  apps: ["1", "2"].map((trackId) => ({
    store: "ios",
    trackId,
    tracked: true,
    countries: countries.map((country) => ({ country, keywords: words, tracked: words, keywordCount: words.length })),
  })),
};

/** Slices of any lists and days, several of one cell among them. */
const slices = fc.record({
  app: fc.constantFrom("1", "2"),
  country: fc.constantFrom(...countries),
  operation: fc.constantFrom(iosKeywordRanking.id, iosKeywordRanking.id, dailyKeywordRankings.id),
  items: fc.constantFrom(words, words.slice(0, 4), words.slice(4), words.slice(2, 6), words.slice(7)),
  ago: fc.integer({ min: 1, max: 16 }),
  days: fc.integer({ min: 1, max: 9 }),
});

type Drawn = typeof slices extends fc.Arbitrary<infer T> ? T : never;

function draftOf({ app, country, operation, items, ago, days }: Drawn, before: number): SliceDraft {
  const start = addDays(today, -ago - before);
  const window = { start, end: addDays(start, Math.min(days, ago)) };
  return draft({ operation, scope: { store: "ios", app, country }, items, window });
}

const stage = forTests(openLedgerStage);

beforeAll(async () => {
  const drawn = fc.sample(slices, { seed: 17, numRuns: 600 });
  // the days before are those that can be summed up
  const drafts = [0, 20].flatMap((before) => drawn.map((one) => draftOf(one, before)));
  await stage.insert(await stage.run(), ...drafts);
  // most are loaded, planned from the day after their last one to a week later
  await stage.pool.query(`
    update ops.slice
    set    as_of = least(window_end + (slice_id % 8)::int, date '${today}'),
           state = case when slice_id % 11 < 7 then 'loaded'
                        else (array['empty', 'skipped', 'failed', 'pending'])[slice_id % 11 - 6] end,
           error_code = case when slice_id % 22 = 8 then 'bad_request' end`);
});

function planningOf(settings: DatasetSettings, request: Partial<DatasetPlanning["request"]> = {}): DatasetPlanning {
  return {
    dataset: keywordRank,
    request: { datasets: [], bounds: {}, today, ...request },
    portfolio,
    learned: new Map(),
    settings,
  };
}

async function planned(
  settings: DatasetSettings,
  { isJoined, ...request }: Partial<DatasetPlanning["request"]> & { readonly isJoined: boolean },
) {
  const planning = planningOf(settings, request);
  const covered: number[] = [];
  const plans = [];
  for await (const { plan, ...chunk } of planInChunks(coverageFor(stage.db, planning, { isJoined }), planning)) {
    plans.push(plan);
    covered.push([...chunk.covered.values()].flat().length);
  }
  return { plans, covered };
}

test.each<DatasetSettings>([{ history_days: 20 }, { history_days: 12, lookback_days: 4, settle_days: 2 }])(
  "a plan is the same whether final slices come one by one or as the days that they cover: %o",
  async (settings) => {
    const [apart, joined] = [await planned(settings, { isJoined: false }), await planned(settings, { isJoined: true })];
    expect(joined.plans).toEqual(apart.plans);
    expect(apart.plans.flatMap((plan) => plan.slices).length).toBeGreaterThan(20);
    expect(joined.covered[0]).toBeLessThan(apart.covered[0] ?? 0);
  },
);

test("what the newest slice of a cell decides is planned from each of them", async () => {
  const failed = { reprocess: "failed" } as const;
  const apart = await planned({}, { ...failed, isJoined: false });
  expect(await planned({}, { ...failed, isJoined: true })).toEqual(apart);
  expect(apart.plans.flatMap((plan) => plan.slices).length).toBeGreaterThan(10);
});

/** Sums up days past as so many nights do that each partition has its turn. */
async function sumUp(settings: DatasetSettings): Promise<void> {
  for (let ago = everyNights; ago > 0; ago -= 1) {
    const past = pastOf(planningOf(settings, { today: addDays(today, 1 - ago) }));
    if (past !== null) await sumUpPast(stage.db, past);
  }
}

/** Partitions of which days past are summed up. */
async function summedUp(): Promise<number> {
  const { rows } = await stage.pool.query("select distinct scope from ops.slice_past");
  return rows.length;
}

const set = (values: string) => (id: string) => `update ops.slice set ${values} where slice_id = ${id}`;

/** What may happen to a slice of days past, as a statement. */
const changes: Readonly<Record<string, (id: string) => string>> = {
  "a replay finds rows that it cannot read": set("state = 'failed', error_code = 'schema_drift'"),
  "a replay finds nothing": set("state = 'empty'"),
  "a person has it run again": set("state = 'pending'"),
  "the service refused it": set("state = 'skipped', error_code = 'bad_request'"),
  "it was planned before its days were final": set("as_of = window_start"),
  "its answer ended earlier": set("window_start = window_start - 1, window_end = window_end - 1"),
  "it is about other keywords": set(
    "batch_id = (select min(b.batch_id) from ops.batch as b where b.batch_id <> slice.batch_id)",
  ),
  "it is about another country": set(`scope = scope || '{"country": "AT"}'`),
  "it is deleted": (id) => `delete from ops.slice where slice_id = ${id}`,
  "a backfill requests the same days": (id) => `
    insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                           planned_credits, run_id, created_at)
    select dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, 'pending', 1, 1, run_id, now()
    from   ops.slice where slice_id = ${id}`,
};

/** A loaded slice that is in what is summed up. */
async function anyPast(what: string): Promise<string> {
  const { rows } = await stage.pool.query<{ slice_id: string }>(
    `select slice_id from ops.slice as s join ops.slice_past as p using (dataset, scope)
     where  s.state = 'loaded' and s.window_end < p.until_day - 3 order by md5(slice_id || $1) limit 1`,
    [what],
  );
  return rows[0]?.slice_id ?? "";
}

describe("days past that are summed up", () => {
  const settings = { history_days: 40, lookback_days: 1 };
  const others = [{ lookback_days: 4 }, { lookback_days: 0, settle_days: 2 }, { history_days: 9 }];
  let [all, whole]: [number, number | undefined] = [0, 0];

  beforeAll(async () => {
    await stage.pool.query("update ops.slice set state = 'loaded' where state = 'pending'");
    [whole] = (await planned(settings, { isJoined: true })).covered;
    await sumUp(settings);
    all = await summedUp();
  });

  async function agree(): Promise<void> {
    for (const other of [settings, ...others.map((one) => ({ ...settings, ...one }))]) {
      const apart = await planned(other, { isJoined: false });
      expect((await planned(other, { isJoined: true })).plans).toEqual(apart.plans);
    }
  }

  test("lead to the plan that all slices lead to, under other settings as well", async () => {
    expect(all).toBeGreaterThan(10);
    expect((await planned(settings, { isJoined: true })).covered[0]).toBeLessThan(whole ?? 0);
    await agree();
  });

  test.each(Object.keys(changes))("are forgotten of a partition, and summed up anew in its turn: %s", async (what) => {
    await stage.pool.query(changes[what]?.(await anyPast(what)) ?? "");
    expect(await summedUp()).toBe(all - 1);
    await agree();
    await stage.pool.query("update ops.slice set state = 'loaded' where state = 'pending'");
    // what comes of it, the next test finds when it reads plans
    await sumUp(settings);
    expect(await summedUp()).toBe(all);
  });

  test("are not summed up while another process changes them, and are dropped by a change that waited for the summing up", async () => {
    const id = await anyPast("both");
    const [one, other] = [await stage.pool.connect(), await stage.pool.connect()];
    try {
      await stage.pool.query("truncate ops.slice_past");
      await one.query(`begin; ${set("state = 'failed'")(id)}`);
      await sumUp(settings);
      expect(await summedUp()).toBe(0);
      await one.query("rollback");
      await sumUp(settings);
      expect(await summedUp()).toBe(all);
      // as a process does that sums up: what it writes shows at its end
      await one.query(`
        begin; select pg_advisory_xact_lock(hashtext('storehouse past slices'));
        create temporary table found as select * from ops.slice_past; delete from ops.slice_past; insert into ops.slice_past select * from found`);
      const changed = other.query(set("state = 'failed'")(id));
      await expect.poll(() => stage.waiting(), { interval: 5, timeout: 10_000 }).toBe(1);
      await one.query("commit");
      await changed;
      expect(await summedUp()).toBe(all - 1);
      await agree();
    } finally {
      await one.query("rollback");
      for (const client of [one, other]) client.release();
    }
  });
});
