import { expect, test } from "vitest";
import { accountIdOf } from "../../src/config/config.ts";
import { readMorning } from "../../src/incidents/morning.ts";
import { openStage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { long } from "../support/long.ts";

const market = { apps: 2, countries: ["US"] };

test("says that a token is wrong before it plans or requests anything", async () => {
  await using stage = await openStage({ market });
  const wrong = stage.sync({ environment: { API_TOKEN: "some-other-token" } });
  await expect(wrong).rejects.toMatchObject({ name: "AbortError", code: "unauthorised" });
  expect(stage.sandbox.log().map(({ path, status }) => [path, status])).toEqual([["/api-key", 401]]);
  expect(await stage.query("select from ops.slice")).toEqual([]);
});

test("the overview says that a token has been refused since the first sync that was", async () => {
  await using stage = await openStage({ market });
  const environment = { API_TOKEN: "some-other-token" };
  const verdict = async () => {
    await using app = await stage.open({ environment });
    const { settings } = app.config;
    const accountId = accountIdOf(environment.API_TOKEN);
    return (await readMorning(app.warehouse.db, { settings, accountId, now: app.clock.now() })).verdict;
  };
  const refused = () => expect(stage.sync({ environment })).rejects.toMatchObject({ code: "unauthorised" });
  await refused();
  await stage.query(
    "update ops.account_stop set first_stopped_at = '2026-01-01 03:00Z', stopped_at = '2026-01-01 03:00Z'",
  );
  await refused();
  const text = "Needs attention: the API has refused all requests of the account since 2026-01-01 03:00 UTC.";
  expect(await verdict()).toEqual({ state: "bad", text });
});

test("the overview says that the API did not respond to the last sync", async () => {
  await using stage = await openStage({ market });
  await stage.sync();
  const faults = [{ operation: "account.remaining-credits", times: 1_000, kind: "cut" } as const];
  stage.sandbox.set({ faults });
  await expect(stage.sync()).rejects.toMatchObject({ code: "balance_unchecked" });
  const outages = () => stage.query("select code, ended_at is null as lasts from ops.api_outage");
  expect(await outages()).toEqual([{ code: "cut_connection", lasts: true }]);
  stage.sandbox.set({ faults: [] });
  await stage.sync();
  expect(await outages()).toEqual([{ code: "cut_connection", lasts: false }]);
});

test("stops its requests when the token is refused in the middle, and a run after it is good again does not heed the old stop", async () => {
  await using stage = await openStage({ market });
  stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 1_000, kind: "empty-401" }] });
  const result = await stage.sync({ settings: { api: { concurrency: 2 } } });
  expect(result).toMatchObject({ outcome: "aborted", error: { code: "unauthorised" }, progress: { failed: 0 } });
  const refused = stage.requested().filter(({ status }) => status === 401).length;
  expect(refused).toBeGreaterThan(0);
  // what was on its way when the first refusal came, and no more
  expect(refused).toBeLessThanOrEqual(2);
  // what was not begun is cancelled: the next sync plans it again
  expect(Object.keys(await statesOf(stage))).toEqual(["loaded"]);
  const burnt = await stage.query("select from ops.slice where failures > 0");
  expect(burnt).toEqual([]);

  const stops = () => stage.query("select operation, lifted_at is null as stopped from ops.account_stop");
  expect(await stops()).toEqual([{ operation: "ios.keyword-ranking", stopped: true }]);
  stage.sandbox.set({ faults: [] });
  expect(await stage.sync()).toMatchObject({ outcome: "loaded" });
  expect(Object.keys(await statesOf(stage))).toEqual(["loaded"]);
  // no worker opens an incident about what is over
  expect(await stops()).toEqual([{ operation: "ios.keyword-ranking", stopped: false }]);

  // an address that the API is not at, although it was known before
  const wrong = stage.sync({ environment: { API_BASE_URL: `${stage.sandbox.url}/v1` } });
  await expect(wrong).rejects.toMatchObject({ name: "UsageError", code: "bad_setting" });
});

// every day other tests have an operation refused with 403
test.runIf(long)("stops in the same way when the account has no right to an endpoint", async () => {
  await using stage = await openStage({ market });
  stage.sandbox.set({
    faults: [{ operation: "dashboard.number-of-keywords", times: 1_000, kind: "status", status: 403 }],
  });
  const result = await stage.sync();
  expect(result).toMatchObject({ outcome: "aborted", error: { code: "forbidden" } });
  expect(stage.requested().filter(({ status }) => status === 403).length).toBeLessThanOrEqual(3);
});
