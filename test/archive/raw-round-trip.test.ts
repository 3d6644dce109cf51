import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { zstdCompressSync } from "node:zlib";
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { createTokenRemover } from "../../src/core/secret.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { replay } from "../../src/archive/replay.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { startChild } from "../support/ingest-child.ts";
import { openStage, today, until, type Stage } from "../support/ingest-stage.ts";
import { planned } from "../support/ingest-planned.ts";
import { factsOf, versionsOf } from "../support/ingest-tables.ts";
import { long } from "../support/long.ts";
import { eachWay } from "../support/replay-stage.ts";
import { allDatasets, exportFrom, filesOf, importInto } from "../support/raw-stage.ts";
import { forTests } from "../support/for-tests.ts";
import { openSynced } from "../support/synced-stage.ts";
import { temporaryFolder, folderForTests } from "../support/folder.ts";

const tomorrow = addDays(today, 1);
/** Each way in which tables are loaded; in the long run each dataset. */
const chosen = long ? allDatasets : eachWay;
const request = { datasets: chosen };
/** Every dataset has answers in it, and few: each is a file, which is imported in a transaction of its own. */
const market = { apps: 1, countries: ["US"], keywordsPerApp: 4, organicKeywords: 4 };
/** What a rule needs that has nothing to do with a dataset: the portfolio and its ranks. */
const few = ["tracked_app", "tracked_country", "tracked_keyword", "keyword_rank"];
/** A warehouse whose answers are younger than those of the files. */
const youngerRun = { request: { datasets: few, today: tomorrow } };

describe("answers as files", () => {
  const source = forTests(() => openStage({ market, today: tomorrow }));
  const out = folderForTests();
  let files: Record<string, string>;
  /** Those of few datasets. */
  const part = folderForTests();
  let names: string[];

  beforeAll(async () => {
    await source.sync({ request });
    await source.sync({ request: { ...request, today: tomorrow } });
    await exportFrom(source, out, { datasets: chosen });
    files = await filesOf(out);
    await exportFrom(source, part, { datasets: few });
    names = Object.keys(await filesOf(part)).filter((name) => name !== "manifest.json");
  });

  describe("loaded into an empty warehouse", () => {
    const target = forTests(openStage);

    test("go in whole or not at all when the import is killed, and all by the next one", async () => {
      // files are in their transaction, with their slices written, when the import is killed
      await using opened = new AsyncDisposableStack();
      const blocker = opened.adopt(new pg.Client({ connectionString: target.databaseUrl }), (client) => client.end());
      await blocker.connect();
      await blocker.query(
        `select pg_advisory_lock(1);
         create function public.wait() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
         create trigger wait after insert on ops.slice for each statement execute function public.wait()`,
      );
      await using child = startChild(target, ["raw", "import", out]);
      const waiting =
        "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory' and query like '%ops.slice%'";
      await until(async () => (await target.query(waiting)).length > 0);
      child.process.kill("SIGKILL");
      await child.ended;
      await blocker.query("select pg_advisory_unlock(1); drop trigger wait on ops.slice");
      expect(await target.query("select from ops.slice")).toEqual([]);
      const { loaded, refused } = await importInto(target, [out]);
      expect({ loaded, refused }).toEqual({ loaded: Object.keys(files).length - 1, refused: 0 });
    });

    test("bring the same rows, received at the same times, without a request or a credit", async () => {
      expect(await factsOf(target, ["slice_id"])).toEqual(await factsOf(source, ["slice_id"]));
      expect(target.sandbox.log()).toEqual([]);
      expect(await target.query("select account_id, sum(cost)::int as cost from ops.request group by 1")).toEqual([
        { account_id: "import", cost: 0 },
      ]);
      expect(await target.query("select from ops.credit_account")).toEqual([]);
      const [run] = await target.query(
        "select kind, outcome, ended_at is not null as ended from ops.run order by run_id desc",
      );
      expect(run).toEqual({ kind: "import", outcome: "loaded", ended: true });
    });

    test("count as loaded: nothing of them is planned again", async () => {
      await using app = await target.open();
      for (const day of [today, tomorrow]) {
        const wanted = { ...request, bounds: {}, today: day };
        expect(await planned(app, wanted, true)).toEqual([]);
      }
    });

    test("change nothing when they are loaded again", async () => {
      const before = { versions: await versionsOf(target), ledger: await ledgerOf(target) };
      expect(await importInto(target, [out])).toMatchObject({ loaded: 0, known: Object.keys(files).length - 1 });
      expect({ versions: await versionsOf(target), ledger: await ledgerOf(target) }).toEqual(before);
    });

    test("can be replayed there to the byte", async () => {
      const before = await factsOf(target, []);
      await using app = await target.open();
      const { db } = app.warehouse;
      const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
      for (const dataset of datasets.filter(({ name }) => chosen.includes(name)))
        expect(await replay(parts, dataset, { within: {}, keepPruned: false })).toMatchObject({ invalid: 0, kept: 0 });
      expect(await factsOf(target, [])).toEqual(before);
    });

    test("are the same files when they are exported from there", async () => {
      using again = temporaryFolder();
      await exportFrom(target, again.path, { datasets: chosen });
      expect(await filesOf(again.path)).toEqual(files);
    });
  });

  describe("beside rows that are there", () => {
    test("never win over younger ones", async () => {
      await using target = await openSynced({ market }, youngerRun);
      await target.query("update core.fact_keyword_rank set rank = 7");
      const before = await factsOf(target, []);
      const { loaded } = await importInto(target, [part]);
      expect(loaded).toBeGreaterThan(0);
      const after = await factsOf(target, []);
      const fact = "core.fact_keyword_rank";
      expect(after[fact]).toEqual(expect.arrayContaining(before[fact] ?? []));
      // charts of other days name other apps, of which nothing else is known
      const described = (rows: readonly string[] = []) => rows.filter((row) => !row.includes('"described_by": null'));
      expect(described(before["core.dim_app"])).not.toEqual([]);
      expect(described(after["core.dim_app"])).toEqual(described(before["core.dim_app"]));
    });

    test("win over no row that a younger answer found as it was, and fill in what that one lacks", async () => {
      await using target = await openSynced({ market }, youngerRun);
      const ofDay = "from core.fact_keyword_rank where date_day = $1";
      await target.query(`delete ${ofDay}`, [addDays(today, -2)]);
      // by an answer before that of the file; the one after it changed nothing, also where both are of one day
      await target.query("update core.fact_keyword_rank set rank = 7, fetched_at = '2026-01-01Z'");
      const ranks = async () => (await factsOf(target, []))["core.fact_keyword_rank"] ?? [];
      const before = await ranks();
      expect((await importInto(target, [part])).loaded).toBeGreaterThan(0);
      const after = await ranks();
      expect(after).toEqual(expect.arrayContaining([...before]));
      expect(await target.query(`select ${ofDay}`, [addDays(today, -2)])).not.toEqual([]);
    });

    test("bring back no member of a list that a later answer about its day no longer had, and what one may have on a page that was not requested", async () => {
      const lists = { datasets: ["tracked_app", "tracked_country", "top_keyword", "ad_creative"] };
      const settings = (days: number) => ({
        datasets: { top_keyword: { on: true, history_days: days }, ad_creative: { on: true } },
      });
      await using older = await openStage({ market });
      await older.sync({ settings: settings(2), request: lists });
      using exported = temporaryFolder();
      await exportFrom(older, exported.path, lists);
      await using target = await openStage({ market, today: tomorrow });
      await target.sync({ settings: settings(3), request: { ...lists, today: tomorrow } });
      const facts = async (table: string) => (await factsOf(target, []))[table] ?? [];
      const creatives = (await facts("core.ad_creative")).length;
      // of one day the later answer was empty; of another it left out some and had the others as before
      await target.query("delete from core.fact_top_keyword where date_day = $1", [addDays(today, -1)]);
      await target.query("delete from core.fact_top_keyword where date_day = $1 and rank > 10", [addDays(today, -2)]);
      await target.query("update core.fact_top_keyword set fetched_at = '2026-01-01Z'");
      await target.query("delete from core.ad_creative where creative_key < '8'");
      await target.query("update core.ad_creative set fetched_at = '2026-01-01Z'");
      const members = await facts("core.fact_top_keyword");
      expect(members.length).toBeGreaterThan(0);
      expect((await facts("core.ad_creative")).length).toBeLessThan(creatives);
      expect((await importInto(target, [exported.path])).loaded).toBeGreaterThan(0);
      expect(await facts("core.fact_top_keyword")).toEqual(members);
      expect((await facts("core.ad_creative")).length).toBe(creatives);
    });

    test("give slices back what was pruned, so that they can be replayed", async () => {
      await using stage = await openStage();
      await importInto(stage, [part]);
      await stage.query("delete from raw.answer");
      const before = await versionsOf(stage);
      const slices = await stage.query("select count(*)::int as slices from ops.slice");
      expect(await importInto(stage, [part])).toMatchObject({ loaded: 0, restored: names.length, refused: 0 });
      expect(await versionsOf(stage)).toEqual(before);
      expect(await stage.query("select count(*)::int as slices from ops.slice")).toEqual(slices);
      expect(await importInto(stage, [part])).toMatchObject({ restored: 0, refused: 0 });
    });

    test("change nothing where they came from: ranks that a list reported, and answers whose requests are summed up", async () => {
      await using stage = await openStage({ market: { ...market, apps: 2, keywordsPerApp: 6 } });
      const settings = { datasets: { tracked_keyword: {} } };
      await stage.sync({ settings, request: { datasets: few } });
      const reported = "select from ops.slice where fingerprint like 'reported by %'";
      expect((await stage.query(reported)).length).toBeGreaterThan(0);
      using own = temporaryFolder();
      const { written } = await exportFrom(stage, own.path);
      for (const once of ["select", "delete from ops.request"]) {
        await stage.query(once);
        const before = { versions: await versionsOf(stage), ledger: await ledgerOf(stage) };
        expect(await importInto(stage, [own.path])).toMatchObject({ loaded: 0, known: written });
        expect({ versions: await versionsOf(stage), ledger: await ledgerOf(stage) }).toEqual(before);
      }
    });

    test("answer slices that wait for credits, which then cost none", async () => {
      await using stage = await openStage({ market, accounts: purse(10) });
      expect((await stage.sync({ request: { datasets: few } })).progress.deferred).toBeGreaterThan(0);
      await importInto(stage, [part]);
      expect(await stage.query("select from ops.slice where state not in ('loaded', 'empty')")).toEqual([]);
      stage.sandbox.clearLog();
      expect(await stage.sync({ request: { datasets: few } })).toMatchObject({ outcome: "loaded" });
      expect(stage.requested()).toEqual([]);
    });
  });

  describe("on disk", () => {
    test("are written once", async () => {
      const before = await filesOf(part);
      const done = await exportFrom(source, part, { datasets: few });
      expect(done).toEqual({ written: 0, there: names.length, leftOut: [] });
      expect(await filesOf(part)).toEqual(before);
    });

    test("leave nothing under another name where one cannot be written", async () => {
      using place = temporaryFolder();
      const name = names.find((one) => one.startsWith("tracked_app"))!;
      await mkdir(path.join(place.path, name), { recursive: true });
      const failed = exportFrom(source, place.path, { datasets: ["tracked_app"] });
      await expect(failed).rejects.toMatchObject({ code: "unwritable_file" });
      const left = await readdir(place.path, { recursive: true });
      expect(left.filter((one) => one.endsWith(".part"))).toEqual([]);
    });

    test("of some days and datasets join those that are there in one manifest", async () => {
      using joined = temporaryFolder();
      await exportFrom(source, joined.path, { datasets: ["tracked_app"] });
      const within = { start: addDays(today, -1), end: today };
      await exportFrom(source, joined.path, { datasets: ["keyword_rank"], within });
      const both = Object.keys(await filesOf(joined.path)).filter((name) => name !== "manifest.json");
      expect(new Set(both.map((name) => name.split(path.sep)[0]))).toEqual(new Set(["tracked_app", "keyword_rank"]));
      await using stage = await openStage();
      expect(await importInto(stage, [joined.path])).toMatchObject({ loaded: both.length, refused: 0 });
    });

    test("that differ from the manifest or are gone are refused by name, and the others go in", async () => {
      using damaged = temporaryFolder();
      await exportFrom(source, damaged.path, { datasets: ["tracked_app", "keyword_rank"] });
      const [first, second, ...others] = Object.keys(await filesOf(damaged.path)).filter(
        (name) => name !== "manifest.json",
      );
      await writeFile(path.join(damaged.path, first!), `${files[first!]!} `);
      await rm(path.join(damaged.path, second!));
      await using stage = await openStage();
      const { messages, ...done } = await importInto(stage, [damaged.path]);
      expect(done).toMatchObject({ loaded: others.length, refused: 2 });
      const all = messages.join("\n");
      expect(all).toContain(`${first} is not loaded: its content does not match the manifest of its folder`);
      expect(all).toContain(`${second} is not loaded: the manifest names it, but it does not exist`);
    });

    test("hold no token, even if one had come into an answer", async () => {
      const token = "a-token-that-was-echoed";
      await using stage = await openSynced({ market }, youngerRun);
      const [answer] = await stage.query<{ answer_id: string }>("select max(answer_id) as answer_id from raw.answer");
      const body = zstdCompressSync(
        Buffer.from(JSON.stringify({ data: [], success: true, status: `?token=${token}` })),
      );
      await stage.query("update raw.answer set body = $2 where answer_id = $1", [answer?.answer_id, body]);
      using place = temporaryFolder();
      await exportFrom(stage, place.path, { strike: createTokenRemover(token) });
      const text = JSON.stringify(await filesOf(place.path));
      expect(text).toContain("?token=[hidden]");
      expect(text).not.toContain(token);
      expect(text).not.toContain(stage.sandbox.url);
    });
  });
});

function purse(remaining: number) {
  return [{ token: "sandbox-token", total: 20_000, remaining, periodHours: 24 * 3_650 }];
}

/** How many rows the ledger and raw hold. */
async function ledgerOf(stage: Stage): Promise<unknown> {
  return stage.query(`
    select (select count(*) from ops.slice) as slices, (select count(*) from ops.request) as requests,
           (select count(*) from raw.answer) as answers, (select count(*) from ops.run) as runs,
           (select count(*) from ops.batch) as batches`);
}
