import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { readCompleteDays } from "../../src/ledger/complete-days.ts";
import { noteDatasets } from "../../src/ledger/dataset-timings.ts";
import { noteLostDays } from "../../src/ledger/lost-days.ts";
import { oneDay } from "../../src/core/window.ts";
import { sql } from "../../src/postgres/sql.ts";
import { datasetLine, draft, ledgerForTests, now, today } from "../support/ledger-stage.ts";

const ledger = ledgerForTests();

const complete = () =>
  ledger.stage.db.transaction().execute(async (transaction) => {
    await sql`select set_config('storehouse.today', ${today}, true)`.execute(transaction);
    return readCompleteDays(transaction);
  });

/** What is complete of a series of which a sync requests the newest day alone, with slices that are loaded from some days before today on. */
async function completeWith(...windows: readonly (readonly [daysAgo: number, days: number])[]) {
  const { db, inState, run } = ledger.stage;
  await noteDatasets(
    db,
    [datasetLine("chart")],
    [{ dataset: "chart", scope: null, kind: "series", settle_days: 1, lookback_days: 0, history_days: 1 }],
    { account: "", planned: [], today },
  );
  for (const [daysAgo, days] of windows) {
    const window = { start: addDays(today, -daysAgo), end: addDays(today, days - daysAgo) };
    await inState(await run(), "loaded", ledger.worker, draft({ dataset: "chart", window }));
  }
  return complete();
}

test("a dataset whose newest answer is older than what a sync requests is complete to that day", async () => {
  expect(await completeWith([4, 1])).toEqual([
    {
      dataset: "chart",
      completeTo: addDays(today, -4),
      incompleteSince: null,
      places: 1,
      behind: 1,
      newestPastGap: null,
      failed: 0,
    },
  ]);
});

test("a place without any answer is complete on no day, although its day is due", async () => {
  const { inState, run } = ledger.stage;
  await completeWith();
  await inState(await run(), "failed", ledger.worker, draft({ dataset: "chart", window: oneDay(addDays(today, -1)) }));
  expect(await complete()).toMatchObject([
    { completeTo: null, incompleteSince: null, places: 1, behind: 1, newestPastGap: null },
  ]);
});

test("a day that no sync reaches any more is a gap where days before and after it were requested", async () => {
  expect(await completeWith([7, 2], [4, 1])).toMatchObject([
    { completeTo: addDays(today, -6), newestPastGap: addDays(today, -4) },
  ]);
});

test("a first sync is complete on no day while the days before its newest ones wait", async () => {
  const { inState, run } = ledger.stage;
  const days = (from: number, to: number) =>
    draft({ dataset: "chart", window: { start: addDays(today, -from), end: addDays(today, -to) } });
  // they begin before the days in which gaps are searched
  await inState(await run(), "pending", ledger.worker, days(34, 3));
  expect(await completeWith([3, 3])).toMatchObject([
    { completeTo: null, incompleteSince: addDays(today, -30), newestPastGap: addDays(today, -1) },
  ]);
});

test("a gap that lasts into the days of the search does not make the day before these days complete", async () => {
  const { inState, run } = ledger.stage;
  const days = (from: number, to: number) =>
    draft({ dataset: "chart", window: { start: addDays(today, -from), end: addDays(today, -to) } });
  await completeWith([60, 20]);
  for (let day = 40; day > 3; day -= 1) await inState(await run(), "failed", ledger.worker, days(day, day - 1));
  // without later answers it is complete to the newest one
  expect(await complete()).toMatchObject([{ completeTo: addDays(today, -41), incompleteSince: null }]);
  await inState(await run(), "loaded", ledger.worker, days(3, 0));
  expect(await complete()).toMatchObject([
    { completeTo: null, incompleteSince: addDays(today, -30), newestPastGap: addDays(today, -1) },
  ]);
});

test("where the first day of an app failed, the others are complete up to the day before it", async () => {
  const { inState, run } = ledger.stage;
  const of = (app: string, days: number) =>
    draft({ dataset: "chart", scope: { store: "ios", app }, window: oneDay(addDays(today, -days)) });
  await completeWith();
  for (const days of [3, 2, 1]) await inState(await run(), "loaded", ledger.worker, of("1", days));
  await inState(await run(), "failed", ledger.worker, of("2", 2));
  await inState(await run(), "loaded", ledger.worker, of("2", 1));
  expect(await complete()).toMatchObject([{ completeTo: addDays(today, -3), places: 2 }]);
});

test("a lost day is no gap any more once its answer came, in whichever list", async () => {
  const { db, inState, run } = ledger.stage;
  await noteDatasets(
    db,
    [datasetLine("rating")],
    [{ dataset: "rating", scope: null, kind: "snapshot", refresh_days: 1 }],
    { account: "", planned: [], today },
  );
  const on = (days: number, ...items: readonly string[]) =>
    draft({ dataset: "rating", class: "snapshot", window: oneDay(addDays(today, -days)), items });
  const completeTo = async () =>
    (await complete()).flatMap((one) => (one.dataset === "rating" ? [one.completeTo] : []));
  await inState(await run(), "loaded", ledger.worker, on(2, "a"));
  const runId = await run();
  await inState(runId, "loaded", ledger.worker, on(0, "a"));
  await noteLostDays(db, { runId, today, now });
  expect(await completeTo()).toEqual([addDays(today, -2)]);
  await inState(await run({ kind: "import" }), "loaded", ledger.worker, on(1, "a", "b"));
  expect(await completeTo()).toEqual([today]);
});
