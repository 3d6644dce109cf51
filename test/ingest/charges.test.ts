import { expect, test } from "vitest";
import { manualClock } from "../sandbox/open.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";

const ranking = "ios.keyword-ranking";

test("books a charged answer that has nothing to say, and takes its slice for empty", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"] } });
  const before = stage.sandbox.account().remaining;
  stage.sandbox.set({
    faults: [{ operation: ranking, times: 1, kind: "status", status: 204, body: "", charge: true }],
  });
  const { progress } = await stage.sync({ request: { datasets: ["keyword_rank"] } });
  const [reported] = await stage.query("select status, error_code, cost from ops.request where status = 204");
  expect(reported).toEqual({ status: 204, error_code: "no_content", cost: 3 });
  expect(progress.credits).toBe(before - stage.sandbox.account().remaining);
  const [account] = await stage.query("select remaining, held from ops.credit_account");
  expect(account).toEqual({ remaining: stage.sandbox.account().remaining, held: 0 });
  const ended = await stage.query(
    "select state, rows_loaded from ops.slice as s where exists (select from ops.request as q where q.slice_id = s.slice_id and q.status = 204)",
  );
  expect(ended).toEqual([{ state: "empty", rows_loaded: 0 }]);
  stage.sandbox.clearLog();
  await stage.sync({ request: { datasets: ["keyword_rank"] } });
  expect(stage.requested()).toEqual([]);
});

test("books nothing for a refusal, although it names a cost", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"] } });
  const before = stage.sandbox.account().remaining;
  stage.sandbox.set({ faults: [{ operation: ranking, times: 100, kind: "empty-401" }] });
  const { progress, outcome } = await stage.sync({ request: { datasets: ["keyword_rank"] } });
  const taken = before - stage.sandbox.account().remaining;
  expect({ outcome, credits: progress.credits }).toEqual({ outcome: "aborted", credits: taken });
  const costs = await stage.query("select distinct cost from ops.request where status = 401");
  expect(costs).toEqual([{ cost: 0 }]);
});

test("books what the headers of an answer say, although its body breaks off", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"] } });
  const before = stage.sandbox.account().remaining;
  stage.sandbox.set({ faults: [{ operation: ranking, times: 1, kind: "half" }] });
  const { progress, outcome } = await stage.sync({ request: { datasets: ["keyword_rank"] } });
  const taken = before - stage.sandbox.account().remaining;
  expect({ outcome, credits: progress.credits }).toEqual({ outcome: "loaded", credits: taken });
  const broken = await stage.query("select status, cost from ops.request where error_code = 'cut_connection'");
  expect(broken).toEqual([{ status: 200, cost: 3 }]);
  const [account] = await stage.query("select remaining, held from ops.credit_account");
  expect(account).toEqual({ remaining: stage.sandbox.account().remaining, held: 0 });
});

test("holds a slice that was planned at an older price at what the service charged last", async () => {
  const clock = manualClock(Date.now());
  const accounts = [{ token: "sandbox-token", total: 5_000, periodHours: 24 * 3_650, costs: { [ranking]: 5 } }];
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"] }, accounts, clock });
  stage.sandbox.spend(stage.sandbox.account().remaining - 5);
  const request = { datasets: ["keyword_rank"] };
  // one after the other: no check of the balance runs beside the call, so that the balance shows its price
  const alone = { request, settings: { api: { concurrency: 1 } } };
  expect(await stage.sync(alone)).toMatchObject({ outcome: "deferred", progress: { credits: 5 } });
  const planned = await stage.query(
    "select distinct planned_credits from ops.slice where state = 'deferred' and operation = $1",
    [ranking],
  );
  expect(planned).toEqual([{ planned_credits: 3 }]);
  await stage.query("update ops.slice set state = 'skipped' where state = 'deferred' and operation <> $1", [ranking]);

  clock.move(stage.sandbox.account().resetSeconds * 1000);
  const before = stage.sandbox.account().remaining;
  // two of them fit under 8 at the price of the plan; what they cost does not
  expect(await stage.sync({ request, maxCredits: 8 })).toMatchObject({ outcome: "deferred" });
  expect(before - stage.sandbox.account().remaining).toBe(5);
});

test("holds what waits already at the higher price as soon as one call has shown it", async () => {
  const accounts = [{ token: "sandbox-token", total: 5_000, periodHours: 24, costs: { [ranking]: 5 } }];
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"] }, accounts });
  const before = stage.sandbox.account().remaining;
  // two of them fit under 8 at the price of the contract, and both wait before the first is answered
  const run = { request: { datasets: ["keyword_rank"] }, settings: { api: { concurrency: 1 } }, maxCredits: 8 };
  expect(await stage.sync(run)).toMatchObject({ outcome: "deferred", progress: { credits: 5 } });
  expect(before - stage.sandbox.account().remaining).toBe(5);
});
