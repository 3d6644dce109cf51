import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { programDigest } from "../../src/config/program.ts";
import type { Slice } from "../../src/core/slice.ts";
import { answerDigest } from "../../src/ingest/fetch-slice.ts";
import { endUnchanged } from "../../src/ledger/unchanged-answers.ts";
import { keepLoadsOut } from "../../src/load/rebuild-lock.ts";
import { planned, runPlanned } from "../support/backfill-stage.ts";
import type { Stage } from "../support/ingest-stage.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { openSynced } from "../support/synced-stage.ts";

const dataset = "keyword_rank";
/** What no answer says: rows that were written by hand show which slices were loaded again. */
const byHand = 777;

describe("an answer that says again what is loaded", () => {
  let stage: Stage;

  beforeEach(async () => {
    stage = await openSynced({ market: { apps: 1, countries: ["US"], keywordsPerApp: 6 } });
    await stage.query("update core.fact_keyword_rank set rank = $1", [byHand]);
  });

  afterEach(() => stage[Symbol.asyncDispose]());

  /** Requests everything once more. */
  const askAgain = async () => runPlanned(stage, (await planned(stage, { reprocess: "all" })).planId);
  /** Days whose rows were loaded again. */
  const readAgain = async () =>
    (
      await stage.query<{ day: string }>(
        "select distinct date_day::text as day from core.fact_keyword_rank where rank is distinct from $1 order by 1",
        [byHand],
      )
    ).map(({ day }) => day);
  const landedAnswers = async () => (await stage.query("select from raw.answer")).length;
  const oldest = `(select min(slice_id) from ops.slice where dataset = 'keyword_rank' and window_start = '2026-08-17')`;

  test("is landed and paid for, and neither read nor loaded", async () => {
    const before = await stage.query("select sum(rows_loaded) as rows from ops.slice where dataset = 'keyword_rank'");
    const landed = await landedAnswers();
    const result = await askAgain();
    expect(result).toMatchObject({ outcome: "loaded", progress: { open: 0, failed: 0 } });
    expect(await readAgain()).toEqual([]);
    expect(
      await stage.query("select sum(rows_loaded) as rows from ops.slice where run_id = $1", [result.runId]),
    ).toEqual(before);
    expect(stage.requested()).toHaveLength(result.progress.total);
    expect(await landedAnswers()).toBe(landed + result.progress.total);
    await askAgain();
    expect(await readAgain()).toEqual([]);
  });

  test("is read when a single one of its bytes differs, or the program that reads it", async () => {
    await stage.query(
      `update ops.slice set answer_digest = set_byte(answer_digest, 0, get_byte(answer_digest, 0) # 1) where slice_id = ${oldest}`,
    );
    await askAgain();
    expect(await readAgain()).toEqual(["2026-08-17"]);
    const slice: Slice = sliceOf({ items: ["a"] });
    const digests = [
      answerDigest(programDigest(), slice, Buffer.from("[1]")),
      answerDigest(programDigest(), slice, Buffer.from("[2]")),
      answerDigest("another program", slice, Buffer.from("[1]")),
      answerDigest(programDigest(), { ...slice, items: ["b"] }, Buffer.from("[1]")),
      answerDigest(programDigest(), { ...slice, scope: { ...slice.scope, country: "JP" } }, Buffer.from("[1]")),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  test("is read when another slice has written its cells since", async () => {
    await writeBeside("'loaded', 1, now(), s.batch_id");
    await askAgain();
    expect(await readAgain()).toEqual(["2026-08-17", "2026-08-18"]);
  });

  test.each([
    [false, "wrote its cells at nearly the same time", "'empty', 1, s.ended_at - interval '1 minute', s.batch_id"],
    [false, "is about to write them", "'running', 1, null, s.batch_id"],
    [false, "may write them from an answer that it has", "'pending', 1, null, null"],
    [true, "was never begun", "'pending', 0, null, null"],
    [true, "could not be had", "'skipped', 1, now(), null"],
    [true, "was over long before", "'loaded', 1, now() - interval '1 day', null"],
    [true, "was about other keywords", "'loaded', 1, now(), (select batch_id from others)"],
  ])("is known: %s, beside a slice that %s", async (known, _, how) => {
    await writeBeside(how);
    const [reported] = await stage.query<{ digest: string; rows: number }>(
      `select encode(answer_digest, 'hex') as digest, rows_loaded as rows from ops.slice where slice_id = ${oldest}`,
    );
    const running = await beginAgain();
    await using app = await stage.open();
    const found = await endUnchanged(
      app.warehouse.db,
      [
        { slice: { sliceId: running, attempt: 1, dataset }, digest: reported?.digest ?? "" },
        { slice: { sliceId: "99999", attempt: 1, dataset }, digest: "00" },
      ],
      Date.now(),
    );
    expect([...found]).toEqual(known ? [[running, reported?.rows]] : []);
    expect(
      await stage.query("select state, rows_loaded as rows from ops.slice where slice_id = $1", [running]),
    ).toEqual([known ? { state: "loaded", rows: reported?.rows } : { state: "running", rows: 0 }]);
  });

  test("does not end an attempt that another one has taken over", async () => {
    const running = await beginAgain();
    const [reported] = await stage.query<{ digest: string }>(
      `select encode(answer_digest, 'hex') as digest from ops.slice where slice_id = ${oldest}`,
    );
    await using app = await stage.open();
    const late = [{ slice: { sliceId: running, attempt: 0, dataset }, digest: reported?.digest ?? "" }];
    expect([...(await endUnchanged(app.warehouse.db, late, Date.now()))]).toEqual([]);
    expect(await stage.query("select state from ops.slice where slice_id = $1", [running])).toEqual([
      { state: "running" },
    ]);
  });

  test("is not taken for loaded while a replay, which may reject the loaded answer, rebuilds its dataset", async () => {
    const running = await beginAgain();
    const [reported] = await stage.query<{ digest: string }>(
      `select encode(answer_digest, 'hex') as digest from ops.slice where slice_id = ${oldest}`,
    );
    await using app = await stage.open();
    const { db } = app.warehouse;
    const attempts = [{ slice: { sliceId: running, attempt: 1, dataset }, digest: reported?.digest ?? "" }];
    await db.transaction().execute(async (replaying) => {
      await keepLoadsOut(replaying, dataset);
      expect([...(await endUnchanged(db, attempts, Date.now()))]).toEqual([]);
    });
    expect([...(await endUnchanged(db, attempts, Date.now())).keys()]).toEqual([running]);
  });

  /** An attempt of the oldest slice's request, once more. Returns its number. */
  async function beginAgain(): Promise<string> {
    const [begun] = await stage.query<{ sliceId: string }>(
      `insert into ops.slice (dataset, operation, scope, state, attempt, batch_id, window_start, window_end, as_of, fingerprint,
                              class, planned_requests, planned_credits, run_id, created_at, queue_id)
       select dataset, operation, scope, 'running', 1, batch_id, window_start, window_end, as_of, fingerprint, class, 1, 1, run_id, now(), 98
       from   ops.slice where slice_id = ${oldest} returning slice_id as "sliceId"`,
    );
    return begun?.sliceId ?? "";
  }

  /** Another slice over two days of one app and country that are loaded: its state, attempt, end and batch. */
  async function writeBeside(how: string): Promise<void> {
    await stage.query(
      `with others as (
         insert into ops.batch (items, digest) values (array['a keyword of nobody'], 'test') returning batch_id
       ), s as (select * from ops.slice where slice_id = ${oldest}),
       -- a process of its own runs it, so that nobody here takes it up
       run as (insert into ops.run (kind, worker_id, as_of, datasets, started_at)
               select 'sync', w.worker_id, s.as_of, array[s.dataset], now()
               from   s, (select worker_id from ops.worker limit 1) as w returning run_id)
       insert into ops.slice (dataset, operation, scope, state, attempt, ended_at, batch_id, window_start, window_end, as_of, fingerprint,
                              class, planned_requests, planned_credits, run_id, created_at, queue_id)
       select s.dataset, s.operation, s.scope, x.state, x.attempt, x.ended_at::timestamptz, x.batch_id::bigint, s.window_start, s.window_end + 1, s.as_of,
              s.fingerprint, s.class, 1, 1, run.run_id, now(), 99
       from   s, run, lateral (select ${how}) as x (state, attempt, ended_at, batch_id)`,
    );
  }

  test("is read where not all of it was loaded, or its slice has failed since", async () => {
    const ranking = "operation like '%keyword-ranking' and window_start";
    await stage.query(`update ops.slice set rows_rejected = 1 where ${ranking} = '2026-08-16'`);
    await stage.query(`update ops.slice set state = 'failed' where ${ranking} = '2026-08-18'`);
    await askAgain();
    expect(await readAgain()).toEqual(["2026-08-16", "2026-08-18"]);
  });
});
