import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addJobs, ownTask, sharedTask } from "../../src/ledger/jobs.ts";
import { enqueue } from "../../src/ledger/runs.ts";
import { august, draft, now, openLedgerStage, type LedgerStage } from "../support/ledger-stage.ts";

describe("jobs", () => {
  let stage: LedgerStage;
  let run: string;

  beforeAll(async () => {
    stage = await openLedgerStage();
  });

  beforeEach(async () => {
    await stage.reset();
    run = await stage.run();
  });

  afterAll(() => stage[Symbol.asyncDispose]());

  test("carry one slice each, classes first and then in the order given", async () => {
    const ids = await stage.insert(
      run,
      draft({ class: "backfill", window: august(5) }),
      draft({ class: "daily", window: august(4) }),
      draft({ class: "lookback", window: august(3) }),
      draft({ class: "snapshot", window: august(2) }),
      draft({ class: "daily", window: august(1) }),
    );
    const [backfill, daily, lookback, snapshot, laterDaily] = ids;
    await addJobs(stage.db, sharedTask, ids);
    const jobs = await stage.jobs();
    expect(jobs.map(({ slice }) => slice)).toEqual([snapshot, daily, laterDaily, lookback, backfill]);
    expect(jobs.map(({ priority }) => priority)).toEqual([1, 2, 2, 3, 4]);
    expect(new Set(jobs.map(({ task }) => task))).toEqual(new Set(["run_slice"]));
  });

  test("keep the order given, whichever numbers the slices have", async () => {
    const ids = await stage.insert(run, ...[1, 2, 3, 4].map((date) => draft({ window: august(date) })));
    await addJobs(stage.db, sharedTask, ids.toReversed());
    expect((await stage.jobs()).map(({ slice }) => slice)).toEqual(ids.toReversed());
  });

  test("are one a slice: the one that waits is moved, to another time and to another task", async () => {
    const ids = await stage.insert(run, draft());
    await addJobs(stage.db, sharedTask, ids, now + 60_000);
    await addJobs(stage.db, ownTask("9"), ids, now + 90_000);
    expect(await stage.jobs()).toMatchObject([
      { task: "run_slice:9", key: `slice ${ids[0]}`, run_at: new Date(now + 90_000) },
    ]);
  });

  test("are none for no slices and for slices that do not exist", async () => {
    await addJobs(stage.db, sharedTask, []);
    await addJobs(stage.db, sharedTask, ["999"]);
    expect(await stage.jobs()).toEqual([]);
  });

  test("come into being with their slices", async () => {
    expect(
      await enqueue(stage.db, run, sharedTask, [draft(), draft(), draft({ window: august(1), credits: 10 })], now),
    ).toBe(2);
    const slices = await stage.slices("slice_id");
    expect((await stage.jobs()).map(({ slice }) => slice)).toEqual(slices.map(({ slice_id }) => slice_id));
    const { rows } = await stage.pool.query("select planned_slices, planned_credits::int from ops.run");
    expect(rows).toEqual([{ planned_slices: 2, planned_credits: 13 }]);
  });

  test("leave no slice behind when they cannot be made", async () => {
    await stage.pool.query("alter table graphile_worker._private_jobs add constraint none check (false)");
    await expect(enqueue(stage.db, run, sharedTask, [draft()], now)).rejects.toMatchObject({ code: "23514" });
    await stage.pool.query("alter table graphile_worker._private_jobs drop constraint none");
    expect(await stage.slices("slice_id")).toEqual([]);
  });
});
