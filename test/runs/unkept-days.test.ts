import { expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { openIngest, startWork } from "../../src/open-ingest.ts";
import { planned, runPlanned } from "../support/backfill-stage.ts";
import { until, type RunOptions } from "../support/ingest-stage.ts";
import { openSyncedNights } from "../support/nights.ts";

const settings = {
  api: { concurrency: 2 },
  datasets: { keyword_rank: { keep_months: 1 } },
} satisfies RunOptions["settings"];
const market = { apps: 1, countries: ["US", "JP"], keywordsPerApp: 6 };

test("workers request nothing of a backfill for days that are no longer kept from midnight on, before retention runs", async () => {
  await using nights = await openSyncedNights({ market }, { settings, request: { datasets: ["tracked_keyword"] } });
  const { stage } = nights;
  while (nights.today() < "2026-08-31") nights.next();
  const on = nights.today();
  const start = day("2026-07-01");
  const { planId } = await planned(stage, { on, bounds: { start, end: addDays(start, 60) } }, nights.run());
  const stop = new AbortController();
  const crashPoint = async () => stop.abort();
  const ended = await runPlanned(stage, planId, { ...nights.run(), on, stop: stop.signal, crashPoint });
  expect(ended.outcome).toBe("interrupted");

  await using app = await stage.open(nights.run());
  await using ingest = await openIngest(app, "worker", createRunLimit(null));
  await ingest.parts.queueLeftOver?.();
  const waiting = "select from ops.slice where state = 'pending' and queue_id = 0 and window_end <= '2026-08-01'";
  const before = (await stage.query(waiting)).length;
  expect(before).toBeGreaterThan(0);
  nights.next();
  stage.sandbox.clearLog();
  const slices = startWork(app, ingest);
  await until(
    async () => (await stage.query("select from ops.slice where state in ('pending', 'running')")).length === 0,
  );
  ingest.halt();
  await slices.stop();
  const left =
    "select from ops.slice where state = 'skipped' and error_code = 'not_kept' and window_end <= '2026-08-01'";
  expect(await stage.query(left)).toHaveLength(before);
  // a slice with kept days runs as a whole
  const lastDays = stage.requested().map(({ params }) => params["endDate"]);
  expect(lastDays.length).toBeGreaterThan(0);
  expect(lastDays.filter((last) => String(last) < "2026-08-01")).toEqual([]);
});
