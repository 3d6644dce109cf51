import { afterAll, beforeAll, expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { day } from "../../src/core/day.ts";
import { monthsToRetire, retire } from "../../src/runs/retention.ts";
import { openLedgerStage, type LedgerStage } from "../support/ledger-stage.ts";

let stage: LedgerStage;
beforeAll(async () => (stage = await openLedgerStage()));
afterAll(() => stage[Symbol.asyncDispose]());

const settings = Settings.parse({ retention: { ops_months: 2 } });

async function retired(today: string): Promise<readonly string[]> {
  const clock = { ...stage.clock, today: () => day(today) };
  const months = await retire(stage.db, { settings, clock, action: "drop" });
  return months.map(({ table, month, rows, outcome }) => `${table} ${month} ${rows} ${outcome}`);
}

/** Requests of a dataset, each of 3 credits, and where they are stored. */
async function store(...instants: readonly string[]): Promise<void> {
  await stage.pool.query(
    `insert into ops.request (account_id, attempt, page, dataset, class, operation, params, cost, duration_ms, byte_count, received_at)
     select 'a', 1, 0, 'keyword_rank', 'daily', 'o', '{}', 3, 1, 1, at from unnest($1::timestamptz[]) as at`,
    [instants],
  );
}

async function rowsOf(query: string): Promise<readonly string[]> {
  const { rows } = await stage.pool.query<Record<string, unknown>>(query);
  return rows.map((row) => Object.values(row).join(" "));
}

const places = () => rowsOf("select tableoid::regclass::text, count(*)::int from ops.request group by 1 order by 1");
const spent = () =>
  rowsOf("select date_day, request_count, booked_credits from ops.credit_spend_daily order by date_day");

test("requests are sorted into the months of UTC, and a month that is dropped keeps its sums, however late a request of it comes", async () => {
  const april = "2026-04-30T23:59:59Z";
  await store(april, "2026-05-01T00:00:00Z", "2026-05-31T12:00:00Z", "2026-05-31T13:00:00Z", "2026-07-02Z");
  expect(await places()).toEqual(["parts.request_other 5"]);
  const before = await spent();
  expect(await retired("2026-07-15")).toEqual(["ops.request 2026-04-01 1 gone"]);
  await store("2026-08-01Z");
  expect(await places()).toEqual(["parts.request_2026_05 3", "parts.request_2026_07 1", "parts.request_2026_08 1"]);
  expect(await spent()).toEqual([...before, "2026-08-01 1 3"]);
  await store(april);
  expect(await retired("2026-08-15")).toEqual(["ops.request 2026-04-01 1 gone", "ops.request 2026-05-01 3 gone"]);
  expect(await retired("2026-08-15")).toEqual([]);
  expect(await spent()).toEqual(["2026-04-30 2 6", ...before.slice(1), "2026-08-01 1 3"]);
  // days of a month that was dropped can be chosen
  expect(await rowsOf("select date_day, cost from ops.past_spend_daily where date_day >= '2026-05-02'")).toEqual([
    "2026-05-31 6",
  ]);
  // the two days of May have different sums; April was dropped twice
  expect(await rowsOf("select month_start, days, request_count, cost from ops.past_spend order by 1, 2")).toEqual([
    "2026-04-01 536870912 1 3",
    "2026-04-01 536870912 1 3",
    "2026-05-01 1 1 3",
    "2026-05-01 1073741824 2 6",
  ]);
});

test("months of requests that are not sorted yet are named before they are dropped, and nothing is written for that", async () => {
  const today = "2027-07-15";
  await retired(today);
  await store("2027-05-10Z", "2027-06-10Z", "2027-03-31T23:59:59Z", "2027-03-01Z", "2026-12-31T23:00:00Z");
  const before = await places();
  expect(before).toContain("parts.request_other 5");
  const months = await monthsToRetire(stage.db, settings, day(today));
  expect(await places()).toEqual(before);
  const gone = months.map(({ table, month, rows }) => `${table} ${month} ${rows} gone`);
  expect(gone).toEqual(["ops.request 2026-12-01 1 gone", "ops.request 2027-03-01 2 gone"]);
  for (const { bytes } of months) expect(bytes).toBeGreaterThan(0);
  expect(await retired(today)).toEqual(gone);
  expect(await monthsToRetire(stage.db, settings, day(today))).toEqual([]);
});
