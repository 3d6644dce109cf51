import { expect, test } from "vitest";
import { readMorning } from "../../src/incidents/morning.ts";
import { addDays, day } from "../../src/core/day.ts";
import { oneDay } from "../../src/core/window.ts";
import { openAccount } from "../../src/credits/account.ts";
import { noteOutage } from "../../src/ledger/api-outages.ts";
import { closeRun, type RunOutcome, type RunStart } from "../../src/ledger/runs.ts";
import { draft, now, today } from "../support/ledger-stage.ts";
import { watchForTests } from "../support/watch-stage.ts";
import { Settings } from "../../src/config/settings.ts";

const stage = watchForTests();
const usual = { settings: Settings.parse({}), accountId: "" };
const listed = (account: string) =>
  stage.stage.pool.query(
    "insert into core.configured_portfolio (store, track_id, part, member, valid_from, account) values ('ios', '1', 'app', '', '2026-08-01', $1)",
    [account],
  );

test("a dataset of which every slice was skipped does not count as loaded", async () => {
  const verdict = async () =>
    (await readMorning(stage.stage.db, { ...usual, now })).verdict.text.replace(/, up to \S+;/, ";");
  await stage.ended("skipped", draft({ dataset: "review" }), draft({ dataset: "app_rating" }));
  expect(await verdict()).toBe("Needs attention: no requested data is available.");
  await stage.ended("loaded", draft({ dataset: "review", scope: { store: "ios", app: "2" } }));
  expect(await verdict()).toBe("OK: 1 dataset is loaded; 1 has no data available.");
});

test("nothing is well while only the lists of the portfolio were read", async () => {
  const verdict = async () => (await readMorning(stage.stage.db, { ...usual, now })).verdict;
  await stage.stage.pool.query(
    "insert into ops.dataset (dataset, stage, is_on) values ('tracked_app', 'portfolio', true)",
  );
  await listed("");
  await stage.ended("loaded", draft({ dataset: "tracked_app" }));
  expect(await verdict()).toEqual({
    state: "warn",
    text: "Not complete yet: only the lists of the portfolio have been requested.",
  });
  await stage.ended("loaded", draft({ dataset: "review" }));
  expect((await verdict()).text).toContain("OK: 2 datasets are loaded");
});

test("nothing is well while the account tracks no app, also if something else is loaded", async () => {
  const verdict = async () => (await readMorning(stage.stage.db, { ...usual, now })).verdict;
  await stage.stage.pool.query(
    "insert into ops.dataset (dataset, stage, is_on) values ('tracked_app', 'portfolio', true) on conflict do nothing",
  );
  await stage.stage.pool.query("delete from core.configured_portfolio");
  const [list = ""] = await stage.stage.insert(await stage.stage.run(), draft({ dataset: "tracked_app" }));
  expect((await verdict()).text).not.toContain("tracks no app");
  await stage.stage.pool.query("update ops.slice set state = 'empty', ended_at = now() where slice_id = $1", [list]);
  const nothing = { state: "warn", text: "Not complete yet: the account tracks no app." };
  expect(await verdict()).toEqual(nothing);
  await stage.ended("loaded", draft({ dataset: "search_ads_integration" }));
  expect(await verdict()).toEqual(nothing);
  // lists that were loaded before count for nothing, nor do the apps of another account
  await stage.ended("loaded", draft({ dataset: "tracked_app", window: oneDay(addDays(today, -8)) }));
  await listed("acme");
  expect(await verdict()).toEqual(nothing);
  await listed("");
  expect((await verdict()).text).toContain("OK: 2 datasets are loaded");
});

test("a sync that was broken off is on the page until a later run has planned each of its datasets that is on", async () => {
  const { stage: ledger } = stage;
  const gone = await ledger.dead();
  await ledger.pool.query(
    "insert into ops.dataset (dataset, stage, is_on) values ('top_chart', 'market', false), ('review', 'market', true)",
  );
  const sync = async (outcome: RunOutcome | null, datasets: readonly string[], start: Partial<RunStart> = {}) => {
    const run = await ledger.run({ workerId: gone, datasets, ...start });
    if (outcome !== null) await closeRun(ledger.db, run, outcome, { now });
  };
  const verdict = async () => (await readMorning(ledger.db, { ...usual, now })).verdict.text;
  await stage.ended("loaded", draft({ dataset: "review" }));
  const rest = "and the rest has not been requested since.";
  // 2 to 5
  await sync("interrupted", ["review", "keyword_rank", "top_chart"]);
  await sync("loaded", ["review"]);
  await sync("loaded", ["keyword_rank"], { account: "acme" });
  expect(await verdict()).toBe(`Not complete yet: sync 2 was interrupted, ${rest}`);
  await sync("deferred", ["keyword_rank"], { maxCredits: 10 });
  expect(await verdict()).toBe(`Not complete yet: sync 5 ended at the credits agreed to, ${rest}`);
  await sync("failed", ["keyword_rank"]);
  expect(await verdict()).toMatch(/^OK: /);
  // its process was killed
  await sync(null, ["review", "keyword_rank"]);
  await sync("loaded", ["review"]);
  expect(await verdict()).toBe(`Not complete yet: sync 7 was interrupted, ${rest}`);
  // 9 to 12: a week is made good by it or a longer time
  await sync("loaded", ["keyword_rank"]);
  const [from, to] = [day("2026-08-03"), day("2026-08-10")];
  await sync("interrupted", ["review"], { within: { start: from, end: to } });
  await sync("loaded", ["review"], { within: { start: day("2026-08-08"), end: to } });
  expect(await verdict()).toBe(`Not complete yet: sync 10 was interrupted, ${rest}`);
  await sync("loaded", ["review"], { within: { start: from } });
  expect(await verdict()).toMatch(/^OK: /);
});

test("what a killed sync leaves running counts as run by nobody, before any process has found that", async () => {
  const { stage: ledger } = stage;
  const worker = await ledger.alive();
  const verdict = async () => (await readMorning(ledger.db, { ...usual, now })).verdict.text;
  const start = { datasets: ["review"] };
  const [slice = ""] = await ledger.inState(
    await ledger.run({ ...start, workerId: worker }),
    "running",
    worker,
    draft(),
  );
  expect(await verdict()).toBe("OK: 1 slice waits or runs.");
  const gone = await ledger.dead();
  await ledger.pool.query("update ops.run set worker_id = $1", [gone]);
  await ledger.pool.query("update ops.slice set worker_id = $1 where slice_id = $2", [gone, slice]);
  expect(await verdict()).toBe(
    "Not complete yet: sync 1 was interrupted, and the rest has not been requested since; 1 slice waits and no process runs it.",
  );
});

test("a sync that was stopped while it waited for another one left nothing, once the other has ended", async () => {
  const { db, run } = stage.stage;
  await stage.ended("loaded", draft({ dataset: "review" }));
  const [first, second] = [await run({ datasets: ["review"] }), await run({ datasets: ["review"] })];
  await closeRun(db, second, "interrupted", { now });
  await closeRun(db, first, "loaded", { now: now + 1_000 });
  const { verdict } = await readMorning(db, { ...usual, now });
  expect(verdict.text).toMatch(/^OK: /);
});

test("what failed of a dataset that was switched off since wants nobody", async () => {
  const { db, pool } = stage.stage;
  const off = (names: readonly string[]) =>
    Settings.parse({ datasets: Object.fromEntries(names.map((name) => [name, { on: false }])) });
  const verdict = async (switchedOff: readonly string[]) =>
    (await readMorning(db, { ...usual, settings: off(switchedOff), now })).verdict.text;
  await stage.ended("loaded", draft({ dataset: "app_rating" }));
  await stage.ended("failed", draft({ dataset: "review" }), draft({ dataset: "keyword_rank" }));
  expect(await verdict([])).toContain("2 slices failed and are not requested again automatically");
  expect(await verdict(["review"])).toContain("1 slice failed and is not requested again automatically");
  expect(await verdict(["review", "keyword_rank"])).toMatch(/^OK: /);
  await pool.query("update ops.slice set due_at = '2026-11-22 09:26Z' where state = 'failed'");
  expect(await verdict(["review"])).toContain(
    "1 failed slice is requested again by a worker, or by a sync after 2026-11-22 09:26 UTC",
  );
  expect(await verdict(["review", "keyword_rank"])).toMatch(/^OK: /);
});

test("nothing is well while a dataset is late; where a worker runs its checks open an incident instead", async () => {
  const { db, aliveAs } = stage.stage;
  await stage.ended("loaded", draft({ dataset: "review" }));
  const text = async () => (await readMorning(db, { ...usual, readLate: async () => ["review"], now })).verdict.text;
  expect(await text()).toBe("Needs attention: review is late.");
  await using _ = await aliveAs("worker");
  expect(await text()).toMatch(/^OK: /);
});

test("slices of a sync that lives and runs none of them for now are not left", async () => {
  const { stage: ledger } = stage;
  const worker = await ledger.alive();
  const run = await ledger.run({ datasets: ["review"], workerId: worker });
  await ledger.inState(run, "pending", worker, draft());
  const verdict = async () => (await readMorning(ledger.db, { ...usual, now })).verdict.text;
  expect(await verdict()).toBe("OK: 1 slice waits or runs.");
  await closeRun(ledger.db, run, "interrupted", { now });
  expect(await verdict()).toContain("1 slice waits and no process runs it");
});

test("an API that does not respond is on the page until it responds", async () => {
  const { db } = stage.stage;
  const accountId = "of an outage";
  await stage.ended("loaded", draft({ dataset: "review" }));
  const verdict = async () => (await readMorning(db, { ...usual, accountId, now })).verdict.text;
  const clock = stage.clock;
  await openAccount(db, accountId, 3, clock);
  await noteOutage(db, accountId, "no_connection", now - 60_000);
  expect(await verdict()).toMatch(/^Not complete yet: the API has not responded since .* UTC\.$/);
  await noteOutage(db, accountId, "no_connection", now - 24 * 60 * 60_000);
  expect(await verdict()).toMatch(/^Not complete yet: the API did not respond at .* UTC, when it was last tried\.$/);
  const replied = (error: string | null) =>
    stage.stage.pool.query(
      `insert into ops.request (account_id, attempt, page, class, operation, params, status, error_code, cost, duration_ms, byte_count, received_at)
       values ($1, 1, 0, 'daily', 'any', '{}', 200, $2, 0, 0, 0, $3)`,
      [accountId, error, new Date(now)],
    );
  await replied("not_json");
  expect(await verdict()).toContain("did not respond");
  await replied(null);
  expect(await verdict()).toMatch(/^OK: /);
});
