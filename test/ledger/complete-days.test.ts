import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { readCompleteDays } from "../../src/ledger/complete-days.ts";
import { noteDatasets } from "../../src/ledger/dataset-timings.ts";
import { sql } from "../../src/postgres/sql.ts";
import { draft, ledgerForTests, today } from "../support/ledger-stage.ts";

const ledger = ledgerForTests();

test("a dataset whose newest answer is older than what a sync requests is complete to that day", async () => {
  const { db, inState, run } = ledger.stage;
  await noteDatasets(
    db,
    [{ dataset: "chart", stage: "market", is_on: true }],
    [{ dataset: "chart", scope: null, kind: "series", settle_days: 1, lookback_days: 0, history_days: 1 }],
    { account: "", planned: [] },
  );
  const start = addDays(today, -4);
  await inState(
    await run(),
    "loaded",
    ledger.worker,
    draft({ dataset: "chart", window: { start, end: addDays(start, 1) } }),
  );
  const complete = await db.transaction().execute(async (transaction) => {
    await sql`select set_config('storehouse.today', ${today}, true)`.execute(transaction);
    return readCompleteDays(transaction);
  });
  expect(complete).toEqual([
    { dataset: "chart", completeTo: start, places: 1, behind: 1, newestPastGap: null, failed: 0 },
  ]);
});
