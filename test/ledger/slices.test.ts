import { sql } from "../../src/postgres/sql.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { claimNext } from "../../src/ledger/queue.ts";
import { sharedQueue } from "../../src/ledger/shared-queue.ts";
import type { SliceDraft } from "../../src/core/slice.ts";
import { endAttempt, failuresOf, insertSlices, noteRequested, type Ending } from "../../src/ledger/slices.ts";
import { august, draft, ending, now, openLedgerStage, today } from "../support/ledger-stage.ts";
import { claim } from "../support/queue-steps.ts";
import { forTests } from "../support/for-tests.ts";

const minute = 60_000;

describe("the ledger of slices", () => {
  const stage = forTests(openLedgerStage);
  let run: string;
  let worker: string;

  beforeEach(async () => {
    await stage.reset();
    run = await stage.run();
    worker = await stage.alive();
  });

  const taker = (workerId: string) => ({ queueId: sharedQueue, workerId });

  describe("insertSlices", () => {
    test("keeps the order in which slices were planned", async () => {
      const days = [19, 3, 11, 7, 15];
      const ids = await stage.insert(run, ...days.map((date) => draft({ window: august(date) })));
      const windows = await stage.slices("slice_id, extract(day from window_start)::int as day");
      expect(ids.map((id) => windows.find(({ slice_id }) => slice_id === id)?.["day"])).toEqual(days);
    });

    test("leaves a slice that is open to its run, and takes one that ended once more", async () => {
      const [first] = await stage.insert(run, draft());
      expect(await stage.insert(await stage.run(), draft(), draft({ window: august(1) }), draft())).toHaveLength(1);
      const slice = await stage.claimed(first!, worker);
      expect(await stage.insert(run, draft())).toEqual([]);
      await endAttempt(stage.db, slice, { ...ending, state: "deferred" }, now);
      expect(await stage.insert(run, draft())).toEqual([]);
      await endAttempt(stage.db, await stage.claimed(first!, worker), ending, now);
      expect(await stage.insert(run, draft())).toHaveLength(1);
    });

    test("leaves a snapshot to one that waits since an earlier day, for what is known now, unless that has its answer; an answer that is there has a slice of its own", async () => {
      const snapshot = (date: number, fingerprint: string, change: Partial<SliceDraft> = {}) =>
        draft({ class: "snapshot", window: august(date), fingerprint, ...change });
      const [waiting] = await stage.inState(run, "deferred", worker, snapshot(17, "old"));
      await stage.inState(run, "loaded", worker, snapshot(17, "old", { scope: { app: "2" } }));
      const [answered] = await stage.inState(run, "deferred", worker, snapshot(17, "old", { scope: { app: "3" } }));
      await stage.land(answered!);
      expect(await stage.insert(await stage.run({ kind: "import" }), snapshot(16, "older"))).toHaveLength(1);
      const others = [...["2", "3"].map((app) => ({ scope: { app } })), { items: ["a"] }];
      const drafts = others.map((change) => snapshot(19, "new", change));
      expect(await stage.insert(await stage.run(), snapshot(19, "new"), ...drafts)).toHaveLength(3);
      const known = await stage.slices("slice_id, fingerprint");
      expect(known.find(({ slice_id }) => slice_id === waiting)).toMatchObject({ fingerprint: "new" });
    });

    test("distinguishes slices by dataset, scope, items and window", async () => {
      const others = [
        draft(),
        draft({ dataset: "other" }),
        draft({ scope: { store: "ios", app: "1", country: "DE" } }),
        draft({ items: ["a"] }),
        draft({ items: ["a", "b"] }),
        draft({ window: { start: august(19).start, end: addDays(today, 1) } }),
      ];
      expect(await stage.insert(run, ...others)).toHaveLength(others.length);
      const sameScope = draft({ scope: { country: "US", app: "1", store: "ios" } });
      expect(await stage.insert(run, sameScope)).toEqual([]);
    });

    test("shares one batch between slices with equal lists, and keeps every item whole", async () => {
      const items = ["", 'a"b', "a, b", "NULL", "{x}", "back\\slash", "タスク", "\u{1F600}"];
      const ids = await stage.insert(
        run,
        draft({ items }),
        draft({ items: [...items], window: august(1) }),
        draft({ items: ["other"] }),
      );
      expect(new Set((await stage.slices("batch_id")).map(({ batch_id }) => batch_id)).size).toBe(2);
      expect((await stage.claimed(ids[0]!, worker)).items).toEqual(items);
      await stage.insert(run, draft({ items, window: august(2) }));
      const { rows } = await sql`select from ops.batch`.execute(stage.db);
      expect(rows).toHaveLength(2);
    });

    test("takes an empty plan and a large one", async () => {
      expect(await insertSlices(stage.db, run, [], now)).toEqual([]);
      const many = Array.from({ length: 3_000 }, (_, index) => draft({ items: [`keyword ${index}`] }));
      expect(await insertSlices(stage.db, run, many, now)).toHaveLength(3_000);
    });
  });

  describe("claim", () => {
    test("gives the whole slice back as it was planned, with the attempt that fences it", async () => {
      const planned = draft({ items: ["a", "b"], class: "history", fingerprint: "f", requests: 2, credits: 6 });
      const [id] = await stage.insert(run, planned);
      expect(await claim(stage.db, id!, taker(worker), now)).toEqual({
        ...planned,
        sliceId: id,
        runId: run,
        attempt: 1,
        planId: null,
        lastDigest: null,
      });
    });

    test("brings the digest of the answer that was loaded last for the same request", async () => {
      const [first] = await stage.insert(run, draft());
      const slice = await stage.claimed(first!, worker);
      await endAttempt(stage.db, slice, { ...ending, answerDigest: "01" }, now);
      const [again] = await stage.insert(run, draft());
      expect(await claim(stage.db, again!, taker(worker), now)).toMatchObject({ lastDigest: "01" });
    });

    test("gives a slice to one of many workers that ask at the same moment", async () => {
      const [id] = await stage.insert(run, draft());
      const workers = await Promise.all([stage.alive(), stage.alive(), stage.alive(), stage.alive()]);
      const got = await Promise.all(workers.map((one) => claim(stage.db, id!, taker(one), now)));
      expect(got.filter((slice) => slice !== null)).toHaveLength(1);
      expect(await stage.slices("state, attempt")).toEqual([{ state: "running", attempt: 1 }]);
    });

    test("gives nobody a slice before it is due", async () => {
      const [id] = await stage.insert(run, draft());
      for (const state of ["deferred", "pending"] as const) {
        const slice = await stage.claimed(id!, worker);
        await endAttempt(stage.db, slice, { ...ending, state, dueAt: now + minute }, now);
        expect(await claim(stage.db, id!, taker(worker), now + minute - 1)).toBeNull();
        expect(await claimNext(stage.db, taker(worker), { most: 9, now: now + minute - 1 })).toEqual([]);
        expect(await claim(stage.db, id!, taker(worker), now + minute)).not.toBeNull();
        await sql`update ops.slice set state = 'pending'`.execute(stage.db);
      }
    });

    test("gives nothing to a process that was declared dead", async () => {
      const [id] = await stage.insert(run, draft());
      await sql`update ops.worker set stopped_at = now() where worker_id = ${worker}`.execute(stage.db);
      expect(await claim(stage.db, id!, taker(worker), now)).toBeNull();
      expect(await claimNext(stage.db, taker(worker), { most: 9, now })).toEqual([]);
    });

    test("gives a worker its own running slice again, and nobody another's", async () => {
      const [id] = await stage.insert(run, draft());
      await stage.claimed(id!, worker);
      expect(await claim(stage.db, id!, taker(await stage.alive()), now)).toBeNull();
      expect(await claim(stage.db, id!, taker(worker), now)).toMatchObject({ attempt: 2 });
    });

    test.each(["loaded", "empty", "skipped", "failed"] as const)("gives nobody a slice that is %s", async (state) => {
      const [id] = await stage.inState(run, state, worker, draft());
      expect(await claim(stage.db, id!, taker(worker), now)).toBeNull();
    });
  });

  describe("endAttempt", () => {
    test("notes what came of the attempt", async () => {
      const [id] = await stage.insert(run, draft());
      const slice = await stage.claimed(id!, worker);
      const done: Ending = {
        ...ending,
        error: { code: "timeout", message: "a\0b" },
        state: "pending",
        dueAt: now + minute,
        counts: true,
        rowsLoaded: 5,
        rowsRejected: 2,
      };
      expect(await endAttempt(stage.db, slice, done, now)).toBe(true);
      expect(await failuresOf(stage.db, slice)).toEqual({ failures: 1, laterTries: 0 });
      expect(
        await stage.slices("state, error_code, error_message, due_at, rows_loaded, rows_rejected, ended_at"),
      ).toEqual([
        {
          state: "pending",
          error_code: "timeout",
          error_message: "ab",
          due_at: new Date(now + minute),
          rows_loaded: 5,
          rows_rejected: 2,
          ended_at: new Date(now),
        },
      ]);
    });

    test("counts no failure where none is meant to count, and forgets the error of an attempt before", async () => {
      const [id] = await stage.insert(run, draft());
      const first = await stage.claimed(id!, worker);
      await endAttempt(
        stage.db,
        first,
        { ...ending, state: "deferred", error: { code: "credits_exhausted", message: "later" } },
        now,
      );
      const second = await stage.claimed(id!, worker);
      await endAttempt(stage.db, second, ending, now);
      expect(await failuresOf(stage.db, second)).toMatchObject({ failures: 0 });
      expect(await stage.slices("state, error_code, error_message, due_at")).toEqual([
        { state: "loaded", error_code: null, error_message: null, due_at: null },
      ]);
    });

    test("writes nothing for an attempt that another one has overtaken, or that has ended", async () => {
      const [id] = await stage.insert(run, draft());
      const slow = await stage.claimed(id!, worker);
      const quick = await stage.claimed(id!, worker);
      const before = await stage.slices("*, xmin::text");
      expect(await endAttempt(stage.db, slow, { ...ending, state: "failed", counts: true }, now)).toBe(false);
      expect(await stage.slices("*, xmin::text")).toEqual(before);
      expect(await endAttempt(stage.db, quick, ending, now)).toBe(true);
      expect(await endAttempt(stage.db, quick, { ...ending, state: "failed" }, now)).toBe(false);
      expect(await stage.slices("state, failures")).toEqual([{ state: "loaded", failures: 0 }]);
    });
  });

  describe("noteRequested", () => {
    test("dates a slice by the day of its request, unless another attempt has overtaken it", async () => {
      const [id] = await stage.insert(run, draft());
      const slow = await stage.claimed(id!, worker);
      const quick = await stage.claimed(id!, worker);
      const tomorrow = addDays(today, 1);
      expect(await noteRequested(stage.db, slow, tomorrow)).toMatchObject({ asOf: today });
      expect(await noteRequested(stage.db, quick, tomorrow)).toMatchObject({ asOf: tomorrow });
    });
  });
});
