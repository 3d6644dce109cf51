import { describe, expect, test } from "vitest";
import { replay } from "../../src/archive/replay.ts";
import { addDays } from "../../src/core/day.ts";
import { trackedApps } from "../../src/datasets/tracked-app.ts";
import { checks } from "../../src/incidents/checks.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { runCommand } from "../support/command.ts";
import { syncCommand } from "../support/ingest-child.ts";
import {
  answerWith,
  current,
  empty,
  market,
  openHeld,
  openListed,
  outcomes,
  syncAfter,
} from "../support/held-stage.ts";
import { today, type Stage } from "../support/ingest-stage.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { openSynced } from "../support/synced-stage.ts";

async function reported(stage: Stage) {
  await using app = await stage.open();
  const { clock, config, warehouse } = app;
  const parts = { db: warehouse.db, clock, settings: config.settings, accountId: "", scheduled: new Map() };
  const check = checks.find(({ kinds }) => kinds.includes("answer_held"));
  return (await check?.find(parts))?.map(({ subject, facts }) => ({ subject, facts }));
}

/** The histories that the list of apps loads, as they are and as a replay leaves them. */
async function beforeAndAfterReplay(stage: Stage) {
  const rows = () =>
    stage.query(
      `select 'app' as of, t::text as row from core.tracked_app as t
       union all select 'competitor', t::text from core.tracked_competitor as t order by 1, 2`,
    );
  const before = await rows();
  await using app = await stage.open();
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  await replay(parts, trackedApps, { within: {}, keepPruned: false });
  return { before, after: await rows() };
}

async function command(stage: Stage, ...words: readonly string[]) {
  return runCommand(stage, words);
}

test("success spelt as text empties no portfolio, and the command fails", async () => {
  await using stage = await openListed();
  const apps = await current(stage);
  answerWith(stage, { success: "false", data: [] });
  expect(await command(stage, ...syncCommand, "--dataset", "tracked_app")).toMatchObject({ code: 1 });
  expect(await stage.query("select distinct error_code from ops.slice where state = 'failed'")).toEqual([
    { error_code: "success_false" },
  ]);
  expect(await current(stage)).toBe(apps);
});

describe("an answer that leaves out the whole portfolio", () => {
  test("changes nothing, fails the command, and is an incident; the rest is fetched, and it is requested again the next day only", async () => {
    await using stage = await openListed();
    const apps = await current(stage);
    expect(apps).toBeGreaterThan(2);
    answerWith(stage, empty);
    const ended = await command(stage, ...syncCommand);
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining("The answer about tracked_app is held") });
    expect(ended.stdout).not.toContain("API_BASE_URL");
    const { stdout: status } = await command(stage, "status");
    expect(status).toContain("1 answer about the portfolio is held");
    expect(await current(stage)).toBe(apps);
    expect(await stage.query("select error_code, state from ops.slice where error_code is not null")).toEqual([
      { error_code: "answer_held", state: "skipped" },
    ]);
    const [ranks] = await stage.query("select count(*)::int as rows from core.fact_keyword_rank");
    expect(ranks?.["rows"]).toBeGreaterThan(0);
    const facts = expect.objectContaining({ current: apps, closing: apps });
    expect(await reported(stage)).toEqual([{ subject: "tracked_app", facts }]);
    stage.sandbox.clearLog();
    await syncAfter(stage, 0);
    expect(stage.requested()).toEqual([]);
  });

  test("is applied when a second day says the same, and a replay says so too", async () => {
    await using stage = await openHeld();
    expect(await current(stage)).toBeGreaterThan(0);
    expect(await syncAfter(stage, 1)).toMatchObject({ outcome: "loaded" });
    expect(await current(stage)).toBe(0);
    expect(await outcomes(stage)).toEqual([{ outcome: "confirmed" }]);
    expect(await reported(stage)).toEqual([]);
    const { before, after } = await beforeAndAfterReplay(stage);
    expect(before.length).toBeGreaterThan(0);
    expect(after).toEqual(before);
  });

  test("is forgotten when the next day says otherwise", async () => {
    await using stage = await openHeld();
    const apps = await current(stage);
    stage.sandbox.set({ faults: [] });
    expect(await syncAfter(stage, 1)).toMatchObject({ outcome: "loaded" });
    expect(await current(stage)).toBe(apps);
    expect(await outcomes(stage)).toEqual([{ outcome: "contradicted" }]);
    const { before, after } = await beforeAndAfterReplay(stage);
    expect(after).toEqual(before);
  });

  test("is applied once a person agrees, without a request", async () => {
    await using stage = await openHeld();
    // of another account, whose portfolio this person does not decide about
    await stage.query(
      `insert into ops.held_answer (slice_id, dataset, scope, date_day, held_at, current_count, closing)
       select min(slice_id), dataset, scope || '{"account": "acme"}', min(window_start), now(), 3, '{a,b}'
       from   ops.slice where dataset = 'tracked_app' and state = 'loaded' group by dataset, scope`,
    );
    const shown = await command(stage, "held");
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("the account") });
    expect(shown.stdout).not.toContain("acme");
    stage.sandbox.clearLog();
    expect(await command(stage, "held", "--apply")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 answer"),
    });
    expect(stage.sandbox.log()).toEqual([]);
    expect(await current(stage)).toBe(0);
    expect(await outcomes(stage)).toEqual([{ outcome: null }, { outcome: "agreed" }]);
    await stage.query("delete from ops.held_answer where outcome is null");
    expect(await reported(stage)).toEqual([]);
    const { before, after } = await beforeAndAfterReplay(stage);
    expect(after).toEqual(before);
  });
});

test("an answer that leaves out others than the one before is held in its place, and half of the portfolio is closed at once", async () => {
  await using stage = await openListed();
  const rows = await stage.query<{ id: string }>(
    "select track_id as id from core.dim_app join core.tracked_app using (app_key) where is_current order by 1",
  );
  const ids = rows.map(({ id }) => (/^\d+$/.test(id) ? Number(id) : id));
  const only = (...places: readonly number[]) => ({
    success: true,
    data: places.map((place) => ({ trackId: ids[place] })),
  });
  answerWith(stage, only(0));
  await syncAfter(stage, 0);
  answerWith(stage, only(1));
  await syncAfter(stage, 1);
  expect(await current(stage)).toBe(ids.length);
  expect(await outcomes(stage)).toEqual([{ outcome: "superseded" }, { outcome: null }]);
  answerWith(stage, only(...ids.keys().take(Math.ceil(ids.length / 2))));
  expect(await syncAfter(stage, 2)).toMatchObject({ outcome: "loaded" });
  expect(await current(stage)).toBe(Math.ceil(ids.length / 2));
  expect(await outcomes(stage)).toEqual([{ outcome: "superseded" }, { outcome: "contradicted" }]);
});

test("an answer with an item that does not fit closes nothing, and is not held", async () => {
  await using stage = await openListed();
  const known = () => stage.query("select app_key from core.tracked_app where valid_to is null order by app_key");
  const apps = await known();
  answerWith(stage, { success: true, data: [{ trackId: 6446318020 }, { name: "without an id" }] });
  await syncAfter(stage, 0);
  expect(await stage.query("select count(*)::int as items from ops.reject")).toEqual([{ items: 1 }]);
  expect(await stage.query("select from ops.held_answer")).toEqual([]);
  expect(await known()).toEqual(apps);
});

test("a list of keywords that a person cut down is taken as it comes; one that came short for no known reason is held", async () => {
  await using stage = await openWithPortfolio({ market: { ...market, apps: 1 } });
  const lists = { request: { datasets: ["tracked_keyword"] } };
  const names = () =>
    stage.query<{ app: string; keyword: string }>(
      `select a.track_id as app, k.keyword from core.tracked_keyword as t
       join core.dim_keyword as k using (keyword_key) join core.dim_app as a using (app_key) where t.is_current order by 2`,
    );
  const [first, ...gone] = await names();
  const words = gone.map(({ keyword }) => keyword);
  expect(await command(stage, "keywords", "remove", first?.app ?? "", "US", ...words, "--yes")).toMatchObject({
    code: 0,
  });
  expect(await stage.sync(lists)).toMatchObject({ outcome: "loaded" });
  expect(await names()).toEqual([first]);
  expect(await outcomes(stage)).toEqual([]);
  // nobody requested for what follows
  await stage.query("delete from ops.request where class = 'person'");
  const fault = {
    operation: "dashboard.number-of-keywords",
    times: 9,
    kind: "status",
    status: 200,
    charge: true,
  } as const;
  stage.sandbox.set({ today: addDays(today, 1), faults: [{ ...fault, body: '{"success":true,"data":{}}' }] });
  await stage.sync({ request: { ...lists.request, today: addDays(today, 1) } });
  expect(await names()).toEqual([first]);
  expect(await stage.query("select dataset, outcome from ops.held_answer")).toEqual([
    { dataset: "tracked_country", outcome: null },
  ]);
});

test("a list of an app that leaves the account with it is held no more: nobody requests it again", async () => {
  const yesterday = addDays(today, -1);
  const lists = { datasets: ["tracked_app", "tracked_country"] };
  await using stage = await openSynced({ market, today: yesterday }, { request: { ...lists, today: yesterday } });
  const [left, ...kept] = stage.sandbox.market.apps.map(({ trackId }) => trackId);
  const always = { times: 1_000, kind: "status", status: 200, charge: true } as const;
  const apps = JSON.stringify({ success: true, data: kept.map((trackId) => ({ trackId })) });
  const faults = [
    { ...always, operation: "dashboard.number-of-keywords", contains: left ?? "", body: '{"success":true,"data":{}}' },
    { ...always, operation: "dashboard.apps", body: apps },
  ];
  stage.sandbox.set({ today, faults });
  await stage.sync({ request: lists });
  expect(await stage.query("select dataset, outcome from ops.held_answer")).toEqual([
    { dataset: "tracked_country", outcome: null },
  ]);
  expect(await current(stage)).toBe(kept.length);
  expect(await reported(stage)).toEqual([]);
  expect(await command(stage, "held")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("No answer is held."),
  });
});
