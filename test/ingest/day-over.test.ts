import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { runSlice } from "../../src/ingest/run-slice.ts";
import { openRun } from "../../src/ledger/runs.ts";
import { insertSlices } from "../../src/ledger/slices.ts";
import { oneDay } from "../../src/core/window.ts";
import { openIngest } from "../../src/open-ingest.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { openStage, today } from "../support/ingest-stage.ts";
import { claim } from "../support/queue-steps.ts";

test("a snapshot whose day ends while its call waits is not sent, and is requested once for the new day", async () => {
  const tomorrow = addDays(today, 1);
  await using stage = await openStage({ today: tomorrow });
  await using app = await stage.open();
  await using ingest = await openIngest(app, "foreground", createRunLimit(null));
  const { parts } = ingest;
  const [now, datasets] = [parts.clock.now(), ["app_rating"]];
  const run = { kind: "sync", account: "", workerId: parts.workerId, asOf: today, datasets, maxCredits: null } as const;
  const draft = sliceOf({
    dataset: "app_rating",
    operation: "android.app-simple",
    scope: { store: "android", language_code: "en" },
    items: ["app.lumi.habit"],
    class: "snapshot",
    window: oneDay(today),
  });
  const [id = ""] = await insertSlices(parts.db, await openRun(parts.db, run, now), [draft], now);
  const signal = new AbortController().signal;
  const days = [today];
  const clock = { ...parts.clock, today: () => days.shift() ?? tomorrow };
  const attempt = async () => {
    const slice = await claim(parts.db, id, parts, parts.clock.now());
    if (slice === null) throw new Error("the test expected to have the slice");
    await runSlice({ ...parts, clock }, slice, { unsent: signal, underWay: signal });
    return stage.query(
      "select state, error_code, as_of::text, window_start::text as day from ops.slice where slice_id = $1",
      [id],
    );
  };
  expect(await attempt()).toMatchObject([{ state: "deferred", error_code: "day_over", as_of: today }]);
  expect(stage.requested()).toEqual([]);
  expect(await stage.query("select held from ops.credit_account")).toEqual([{ held: 0 }]);
  expect(await attempt()).toMatchObject([{ state: "loaded", as_of: tomorrow, day: tomorrow }]);
  expect(stage.requested()).toHaveLength(1);
  // an answer of an earlier day, whose attempt ended before it was loaded, says nothing about the new one
  await stage.query("update raw.answer set fetched_at = $1::date - interval '1 hour' where slice_id = $2", [
    tomorrow,
    id,
  ]);
  await stage.query("update ops.slice set state = 'pending' where slice_id = $1", [id]);
  expect(await attempt()).toMatchObject([{ state: "loaded", as_of: tomorrow }]);
  expect(stage.requested()).toHaveLength(2);
});
