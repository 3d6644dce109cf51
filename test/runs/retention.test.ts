import { sql } from "../../src/postgres/sql.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addDays, addMonths, monthStart, type Day } from "../../src/core/day.ts";
import { readScopeCoverage } from "../../src/planner/gaps.ts";
import { planChunks } from "../../src/planner/plan-stream.ts";
import { replay } from "../../src/archive/replay.ts";
import { monthsToRetire, retire, type OldMonth } from "../../src/runs/retention.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import { planned, runPlanned } from "../support/backfill-stage.ts";
import { today, until, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { openSynced } from "../support/synced-stage.ts";

const thisMonth = monthStart(today);
/** Three days before the month that is kept, and the first three of it. */
const [from, kept] = [addDays(addMonths(thisMonth, -1), -3), addMonths(thisMonth, -1)];

const everything: RunOptions = {
  request: { datasets: ["keyword_rank"], bounds: { start: from, end: addDays(kept, 3) } },
};
const settings = { datasets: { keyword_rank: { keep_months: 1 } } } as const;

describe("retention", () => {
  let stage: Stage;

  beforeEach(async () => {
    stage = await openSynced({ market: { apps: 1, countries: ["US"], keywordsPerApp: 3 } }, everything);
  });

  afterEach(() => stage[Symbol.asyncDispose]());

  async function retired(
    action: "drop" | "detach" = "drop",
    run: RunOptions = { settings },
    mayGo?: (month: OldMonth) => Promise<boolean>,
  ) {
    await using app = await stage.open(run);
    const { config, clock } = app;
    const months = await retire(app.warehouse.db, { settings: config.settings, clock, action, mayGo });
    return months.map(({ table, month, outcome }) => [table, month, outcome]);
  }

  async function days(): Promise<readonly string[]> {
    const rows = await stage.query<{ day: string }>(
      "select distinct date_day::text as day from core.fact_keyword_rank order by 1",
    );
    return rows.map(({ day }) => day);
  }

  /** States of the cells by day, from a day on. */
  async function cells(start: Day, run: RunOptions = { settings }): Promise<Readonly<Record<string, unknown>>> {
    await using app = await stage.open(run);
    const request = { datasets: ["keyword_rank"], bounds: { start, end: addDays(kept, 3) }, today };
    const scopes = await readScopeCoverage(app.warehouse.db, { request, settings: app.config.settings });
    return Object.fromEntries(
      scopes.flatMap((one) => [...one.days].map(([day, counts]) => [day, Object.keys(counts)])),
    );
  }

  async function replayed(): Promise<void> {
    await using app = await stage.open({ settings });
    const { db } = app.warehouse;
    const parts = { db, dimensions: createDimensions(db), partitions: createPartitions(db), clock: app.clock };
    await replay(parts, keywordRank, { within: {}, keepPruned: false });
  }

  const old = ["core.fact_keyword_rank", addMonths(thisMonth, -2), "gone"];

  test("keeps everything unless a number of months is set, and a dry run only reports", async () => {
    expect(await retired("drop", {})).toEqual([]);
    await using app = await stage.open({ settings });
    const found = await monthsToRetire(app.warehouse.db, app.config.settings, today);
    expect(found.map(({ month, keptFrom, rows }) => [month, keptFrom, rows > 0])).toEqual([[old[1], kept, true]]);
    expect(await days()).toHaveLength(6);
  });

  test("drops months wholly older than that, notes it, and shows the days as dropped", async () => {
    expect(await retired()).toEqual([old]);
    expect((await days())[0]).toBe(kept);
    expect(await retired()).toEqual([]);
    expect(await stage.query("select dataset, action, is_done, rows_gone > 0 as some from ops.dropped_month")).toEqual([
      { dataset: "keyword_rank", action: "drop", is_done: true, some: true },
    ]);
    expect(await cells(from)).toEqual(
      Object.fromEntries([0, 1, 2, 3, 4, 5].map((day) => [addDays(from, day), [day < 3 ? "dropped" : "loaded"]])),
    );
    const coverage = await stage.query<{ day: string; dropped: boolean; loaded: boolean }>(
      "select date_day::text as day, dropped_count > 0 as dropped, loaded_count > 0 as loaded from ops.coverage_daily where dataset = 'keyword_rank' order by 1",
    );
    expect(coverage).toEqual(
      [0, 1, 2, 3, 4, 5].map((day) => ({ day: addDays(from, day), dropped: day < 3, loaded: day >= 3 })),
    );
  });

  test("what is gone is not requested again, nor after the months are kept longer", async () => {
    await retired();
    for (const run of [{ settings }, {}] satisfies readonly RunOptions[]) {
      await using app = await stage.open(run);
      const request = { datasets: ["keyword_rank"], bounds: everything.request?.bounds ?? {}, today };
      for await (const { dataset, slices } of planChunks(app.warehouse.db, request, app.config.settings, true))
        expect(dataset === "keyword_rank" ? slices : []).toEqual([]);
    }
  });

  test("what is older than the kept months is not planned even where it was never requested", async () => {
    await using app = await stage.open({ settings });
    const request = { datasets: ["keyword_rank"], bounds: { start: addDays(from, -40), end: addDays(kept, 4) }, today };
    const starts: string[] = [];
    for await (const { dataset, slices } of planChunks(app.warehouse.db, request, app.config.settings, true))
      if (dataset === "keyword_rank") starts.push(...slices.map(({ window }) => window.start));
    expect(new Set(starts)).toEqual(new Set([addDays(kept, 3)]));
  });

  test("a replay does not bring it back, but what is loaded anew counts as loaded", async () => {
    await retired();
    await replayed();
    expect((await days())[0]).toBe(kept);
    await stage.query("update ops.slice set state = 'failed' where window_start = $1", [from]);
    await stage.retry();
    expect((await days())[0]).toBe(from);
    expect((await cells(from, {}))[from]).toEqual(["loaded"]);
  });

  test("a backfill of days that went writes their rows again, although the answers are the same", async () => {
    const ranks = () =>
      stage.query(
        "select app_key, date_day::text, keyword_key, device_key, rank from core.fact_keyword_rank order by 1, 2, 3, 4",
      );
    const before = await ranks();
    await retired();
    expect((await ranks()).length).toBeLessThan(before.length);
    const { planId } = await planned(stage, { bounds: { start: from, end: kept }, reprocess: "all" });
    await runPlanned(stage, planId);
    expect(await ranks()).toEqual(before);
  });

  test("a worker that knew a month which another process dropped meanwhile loads into it all the same, and requests nothing twice", async () => {
    await stage.query("update ops.slice set state = 'failed' where dataset = 'keyword_rank'");
    await stage.query("truncate raw.answer");
    const before = stage.sandbox.log().length;
    let drops = 0;
    await stage.retry({
      crashPoint: async (point) => {
        // its partitions are made ready by then
        if (point !== "in the load" || (drops += 1) > 1) return;
        for (const month of [from, kept])
          await stage.query(`drop table if exists parts.fact_keyword_rank_${month.slice(0, 7).replace("-", "_")}`);
      },
    });
    expect(drops).toBeGreaterThan(1);
    expect(
      await stage.query("select state, count(*)::int from ops.slice where dataset = 'keyword_rank' group by 1"),
    ).toMatchObject([{ state: "loaded" }]);
    expect(await days()).toHaveLength(6);
    const requested = stage.sandbox
      .log()
      .slice(before)
      .map(({ path, params }) => JSON.stringify([path, params]));
    expect(requested).toHaveLength(new Set(requested).size);
  });

  test("a detached month is in the archive with all its rows", async () => {
    const [before] = await stage.query<{ rows: number }>(
      "select count(*)::int as rows from core.fact_keyword_rank where date_day < $1",
      [kept],
    );
    expect(await retired("detach")).toEqual([old]);
    const leaf = `fact_keyword_rank_${from.slice(0, 7).replace("-", "_")}`;
    expect(await stage.query(`select count(*)::int as rows from archive.${leaf}`)).toEqual([before]);
    await stage.query("update ops.slice set state = 'failed' where window_start = $1", [from]);
    await stage.retry();
    expect(await retired("detach")).toEqual([old]);
    expect(await stage.query(`select count(*) > 0 as some from archive.${leaf}_copy_2`)).toEqual([{ some: true }]);
  });

  test("a month in partitions of days goes as a whole, into the archive as well; a loader takes the setting from the configuration", async () => {
    const byDay: RunOptions = { settings: { datasets: { keyword_rank: { keep_months: 1, partitions: "day" } } } };
    await stage.query(`drop table parts.fact_keyword_rank_${from.slice(0, 7).replace("-", "_")}`);
    await stage.query("update ops.slice set state = 'failed' where window_start < $1", [kept]);
    await stage.retry({ settings: { datasets: { keyword_rank: { partitions: "day" } } } });
    const leafOf = (day: Day) => `fact_keyword_rank_${day.replaceAll("-", "_")}`;
    const gone = [0, 1, 2].map((count) => leafOf(addDays(from, count)));
    const leaves = (schema: string) =>
      stage.query<{ leaf: string }>(
        "select relname as leaf from pg_class where relnamespace = $1::regnamespace and relkind = 'r' and relname ^@ 'fact_keyword_rank_' order by 1",
        [schema],
      );
    const names = (rows: readonly { leaf: string }[]) => rows.map(({ leaf }) => leaf);
    expect(names(await leaves("parts"))).toEqual([...gone, leafOf(kept).slice(0, -3)]);
    expect(await days()).toHaveLength(6);
    expect(await retired("detach", byDay)).toEqual([old]);
    expect([names(await leaves("parts")), names(await leaves("archive"))]).toEqual([[leafOf(kept).slice(0, -3)], gone]);
    expect((await days())[0]).toBe(kept);
  });

  test("a month that a slice is about to write to is left for the next time", async () => {
    await stage.query("update ops.slice set state = 'running' where window_start = $1", [from]);
    expect(await retired()).toEqual([[old[0], old[1], "in use"]]);
    expect(await days()).toHaveLength(6);
    await stage.query("update ops.slice set state = 'loaded' where window_start = $1", [from]);
    expect(await retired()).toEqual([old]);
  });

  test("what waits or failed for a month that is in use is not run any more, so that the next night finds it free", async () => {
    const ids = await stage.query<{ id: string }>(
      "select slice_id as id from ops.slice where dataset = 'keyword_rank' and window_start < $1 order by 1 limit 3",
      [kept],
    );
    expect(ids).toHaveLength(3);
    const states = ["running", "pending", "failed"];
    await stage.query(
      "update ops.slice as s set state = n.state from unnest($1::bigint[], $2::text[]) as n (id, state) where s.slice_id = n.id",
      [ids.map(({ id }) => id), states],
    );
    expect(await retired()).toEqual([[old[0], old[1], "in use"]]);
    const left = "select state, error_code from ops.slice where slice_id = any ($1::bigint[]) order by slice_id";
    const skipped = { state: "skipped", error_code: "not_kept" };
    expect(await stage.query(left, [ids.map(({ id }) => id)])).toEqual([
      { state: "running", error_code: null },
      skipped,
      skipped,
    ]);
  });

  test("a month after one that stays is left as well, since days before the end of a month that went count as gone", async () => {
    await using app = await stage.open({ settings });
    const earlier = addMonths(thisMonth, -3);
    for (const table of keywordRank.tables) await createPartitions(app.warehouse.db).cover(table, [earlier]);
    const asked: Day[] = [];
    const mayGo = async ({ month }: OldMonth) => {
      asked.push(month);
      return month !== earlier;
    };
    expect(await retired("drop", { settings }, mayGo)).toEqual([
      [old[0], earlier, "not published"],
      [old[0], old[1], "not published"],
    ]);
    expect(asked).toEqual([earlier]);
    expect(await days()).toHaveLength(6);
  });

  test("a month is left to a worker that is just claiming a slice of it", async () => {
    await stage.query("update ops.slice set state = 'pending' where window_start = $1", [from]);
    await using app = await stage.open({ settings });
    let waiting: ReturnType<typeof retired> | undefined;
    await app.warehouse.db.transaction().execute(async (worker) => {
      await sql`update ops.slice set state = 'running' where window_start = ${from}::date`.execute(worker);
      waiting = retired();
      await until(async () => (await stage.query("select from pg_locks where not granted")).length > 0);
    });
    expect(await waiting).toEqual([[old[0], old[1], "in use"]]);
    expect(await days()).toHaveLength(6);
  });

  test("a month into which a slice loads after it was found to be kept elsewhere stays for the next time", async () => {
    const loads = async () => {
      await stage.query("update ops.slice set state = 'failed' where window_start = $1", [from]);
      await stage.retry();
      return true;
    };
    expect(await retired("drop", { settings }, loads)).toEqual([[old[0], old[1], "in use"]]);
    expect(await days()).toHaveLength(6);
    expect(await stage.query("select from ops.dropped_month")).toEqual([]);
    expect(await retired("drop", { settings }, () => Promise.resolve(true))).toEqual([old]);
  });

  test("slices that wait or failed for it are not run any more, by no retry either", async () => {
    await stage.query("update ops.slice set state = 'failed' where window_start = $1", [from]);
    await retired();
    expect(
      await stage.query("select distinct state, error_code from ops.slice where window_start = $1", [from]),
    ).toEqual([{ state: "skipped", error_code: "not_kept" }]);
    const { progress } = await stage.retry({ which: { states: ["failed", "skipped"] } });
    expect(progress.total).toBe(0);
  });

  test("slices that wait for a month of which nothing was loaded yet are not run any more either, and cost nothing", async () => {
    await retired();
    const earlier = addMonths(from, -1);
    await stage.query("delete from raw.answer");
    await stage.query(
      `update ops.slice set state = 'deferred', error_code = 'credits_exhausted', due_at = now(), window_start = $2, window_end = $3
       where  window_start = $1`,
      [from, earlier, addDays(earlier, 1)],
    );
    expect(await retired()).toEqual([]);
    const before = stage.requested().length;
    await stage.sync({
      settings,
      request: { datasets: ["keyword_rank"], bounds: { start: kept, end: addDays(kept, 3) } },
    });
    expect(stage.requested().length).toBe(before);
    expect(
      await stage.query("select distinct state, error_code from ops.slice where window_start = $1", [earlier]),
    ).toEqual([{ state: "skipped", error_code: "not_kept" }]);
  });

  test("a removal that is killed on its way leaves rows and ledger as they were", async () => {
    const leaf = `parts.fact_keyword_rank_${from.slice(0, 7).replace("-", "_")}`;
    const waiting =
      "select pid from pg_stat_activity where datname = current_database() and query like '%ops.remove_month%' and wait_event_type = 'Lock'";
    await using app = await stage.open({ settings });
    await app.warehouse.db.transaction().execute(async (reader) => {
      await sql.raw(`lock table ${leaf} in access share mode`).execute(reader);
      const ended = retired().then(
        () => "ended",
        () => "killed",
      );
      await until(async () => (await stage.query(waiting)).length > 0);
      await stage.query(`select pg_terminate_backend(pid) from (${waiting}) as w`);
      expect(await ended).toBe("killed");
    });
    expect(await days()).toHaveLength(6);
    expect(await stage.query("select from ops.dropped_month")).toEqual([]);
    expect(await retired()).toEqual([old]);
  });

  test("what is loaded anew into a month that went adds up from nothing, and a replay leaves the sums of months that went", async () => {
    const sums = () =>
      stage.query(
        "select date_day::text, answered_keyword_count, ranked_keyword_count, rank_sum from core.fact_keyword_rank_summary where date_day <= $1 order by 1, device_key",
        [kept],
      );
    const before = await sums();
    expect(before.length).toBeGreaterThan(4);
    await retired();
    await replayed();
    expect(await sums()).toEqual(before);
    // one answer of the month returns: the sums of its other days and apps stay
    await stage.query(
      "update ops.slice set state = 'failed' where slice_id = (select min(slice_id) from ops.slice where dataset = 'keyword_rank' and window_start < $1)",
      [kept],
    );
    await stage.retry();
    expect(await sums()).toEqual(before);
    await stage.query("update ops.slice set state = 'failed' where window_start < $1", [kept]);
    await stage.retry();
    expect((await days())[0]).toBe(from);
    expect(await sums()).toEqual(before);
  });

  test("goes on beside who reads another month, and gives up for now on one that is locked", async () => {
    const leaf = `parts.fact_keyword_rank_${from.slice(0, 7).replace("-", "_")}`;
    await using app = await stage.open({ settings });
    await app.warehouse.db.transaction().execute(async (reader) => {
      await sql.raw(`lock table ${leaf} in access share mode`).execute(reader);
      expect(await retired()).toEqual([[old[0], old[1], "in use"]]);
      // its rows are there, and so says the ledger
      expect((await cells(from))[from]).toEqual(["loaded"]);
    });
    expect(await retired()).toEqual([old]);
    expect((await days())[0]).toBe(kept);
    expect(await stage.query("select is_done from ops.dropped_month")).toEqual([{ is_done: true }]);
  });
});
