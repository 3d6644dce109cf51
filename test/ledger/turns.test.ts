import { beforeEach, describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { creditClasses, type SliceDraft } from "../../src/core/slice.ts";
import { liftStop, readRefusedLately, recordStop } from "../../src/credits/account-stop.ts";
import { adoptOrphanedSlices } from "../../src/ledger/adopt-slices.ts";
import { limitCut } from "../../src/planner/cut-to-limit.ts";
import { keepPlan } from "../../src/ledger/plans.ts";
import { august, draft, now, openLedgerStage, today } from "../support/ledger-stage.ts";
import { enqueue } from "../support/queue-steps.ts";
import { forTests } from "../support/for-tests.ts";

describe("the turns of slices", () => {
  const stage = forTests(openLedgerStage);

  beforeEach(async () => {
    await stage.reset();
  });

  const plan = (newestFirst: boolean) =>
    keepPlan(
      stage.db,
      {
        account: "",
        asOf: today,
        request: {},
        basis: {},
        newestFirst,
        digest: "",
        slices: 0,
        requests: 0,
        credits: 0,
        naiveCredits: null,
        leftOut: { slices: 0, credits: 0 },
        lines: [],
      },
      now,
    );

  /** Queues days in three parts that overlap. */
  async function queueInParts(run: string): Promise<void> {
    for (const days of [
      [7, 3, 11],
      [5, 12, 2],
      [9, 4],
    ])
      await enqueue(
        stage.db,
        run,
        days.map((date) => draft({ class: date === 12 ? "daily" : "history", window: august(date) })),
        now,
      );
  }

  /** An account of the run, one whose token was replaced, and one of another name; nothing is refused. */
  async function knowAccounts(): Promise<void> {
    await stage.pool.query("truncate ops.account_stop; truncate ops.credit_account cascade");
    await stage.pool.query(
      `insert into ops.credit_account (account_id, account, pace_per_second, next_start_at, observed_at)
       values ('own', '', 3, now(), now()), ('replaced', '', 3, now(), now() - interval '1 day'), ('others', 'acme', 3, now(), now())`,
    );
  }

  const order = async () => {
    const days = new Map(
      (await stage.slices("slice_id, extract(day from window_start)::int as day")).map((row) => [
        row["slice_id"],
        row["day"],
      ]),
    );
    return (await stage.queued()).map(({ slice }) => days.get(slice));
  };

  test("are newest first where no plan says otherwise, in however many parts they are queued", async () => {
    await queueInParts(await stage.run());
    expect(await order()).toEqual([12, 11, 9, 7, 5, 4, 3, 2]);
  });

  test.each([
    [true, [12, 11, 9, 7, 5, 4, 3, 2]],
    [false, [12, 2, 3, 4, 5, 7, 9, 11]],
  ])("follow a plan that is newest first %s, after its class", async (newestFirst, days) => {
    await queueInParts(await stage.run({ kind: "backfill", planId: await plan(newestFirst) }));
    expect(await order()).toEqual(days);
  });

  test("stay those of the plan when another run takes over, and so does what its budget pays for", async () => {
    await queueInParts(await stage.run({ kind: "backfill", planId: await plan(false) }));
    const mine = await stage.run({ workerId: await stage.alive() });
    const wanted = { runId: mine, datasets: ["keyword_rank"] };
    expect(await adoptOrphanedSlices(stage.db, { ...wanted, mostCredits: 9 })).toBe(3);
    const adopted = await stage.slices(`extract(day from window_start)::int as day, run_id = ${mine} as adopted`);
    expect(adopted.filter((row) => row["adopted"]).map(({ day }) => day)).toEqual(
      [3, 12, 2].toSorted(
        (a, b) => adopted.findIndex(({ day }) => day === a) - adopted.findIndex(({ day }) => day === b),
      ),
    );
    expect(await adoptOrphanedSlices(stage.db, { ...wanted, mostCredits: Number.POSITIVE_INFINITY })).toBe(5);
    expect(await order()).toEqual([12, 2, 3, 4, 5, 7, 9, 11]);
  });

  test("of one plan are taken over alone when it is named", async () => {
    const planId = await plan(false);
    await stage.insert(await stage.run(), draft({ window: august(1) }));
    await stage.insert(await stage.run({ kind: "backfill", planId }), draft({ window: august(2) }));
    const mine = await stage.run({ kind: "backfill", planId, workerId: await stage.alive() });
    const wanted = { runId: mine, datasets: ["keyword_rank"], mostCredits: Number.POSITIVE_INFINITY };
    expect(await adoptOrphanedSlices(stage.db, { ...wanted, planId })).toBe(1);
    expect(await stage.slices(`extract(day from window_start)::int as day, run_id = ${mine} as adopted`)).toEqual([
      { day: 1, adopted: false },
      { day: 2, adopted: true },
    ]);
  });

  test("are kept however many slices are taken over at once", async () => {
    const run = await stage.run();
    const many = 12_001;
    await stage.pool.query(
      `insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state,
                              planned_requests, planned_credits, run_id, created_at)
       select 'keyword_rank', 'any', jsonb_build_object('n', n), date '2026-08-01', date '2026-08-02', '2026-08-20', '', 'history',
              'pending', 1, 3, $1, now()
       from   generate_series(1, $2::int) as n`,
      [run, many],
    );
    const mine = await stage.run({ workerId: await stage.alive() });
    expect(
      await adoptOrphanedSlices(stage.db, {
        runId: mine,
        datasets: ["keyword_rank"],
        mostCredits: Number.POSITIVE_INFINITY,
      }),
    ).toBe(many);
    expect(await stage.queued()).toHaveLength(many);
  });

  test.each([true, false])("are those by which a limit cuts a plan, newest first %s", async (newestFirst) => {
    await knowAccounts();
    const refusals = { "ios.refused": "303", "ios.other": "" };
    for (const [operation, subject] of Object.entries(refusals))
      await recordStop(
        stage.db,
        "own",
        { code: "forbidden", operation, subject, dataset: "app_rating", message: "" },
        { firstMs: 1, longestMs: 1 },
      );
    const drafts = [{ start: august(3).start, end: august(12).end }, august(9)].flatMap((window) =>
      ["any", ...Object.keys(refusals)].flatMap((operation) =>
        ["101", "303"].flatMap((org) =>
          creditClasses.map((name) =>
            draft({
              operation,
              scope: { org_id: org, other: `${operation} ${name}` },
              class: name,
              window,
              ...(name === "snapshot" ? { lastDay: addDays(window.start, 10) } : {}),
            }),
          ),
        ),
      ),
    );
    await stage.insert(await stage.run({ kind: "backfill", planId: await plan(newestFirst) }), ...drafts);
    const turns = (await stage.slices("turn")).map((row) => Number(row["turn"]));
    expect(new Set(turns).size).toBeGreaterThan(drafts.length / 3);
    const inPlan = async function* () {
      yield { dataset: "keyword_rank", stage: "market" as const, slices: drafts, naiveCredits: 0 };
    };
    const refused = await readRefusedLately(stage.db, "");
    for (let fit = 1; fit < drafts.length; fit += 1) {
      const { cut } = await limitCut(inPlan, { mostCredits: fit * 3, newestFirst, refused });
      const kept = new Set<SliceDraft>();
      for await (const { slices } of cut(inPlan())) for (const slice of slices) kept.add(slice);
      const of = (isKept: boolean) => turns.filter((_, index) => kept.has(drafts[index] ?? draft()) === isKept);
      expect(kept.size).toBe(fit);
      expect(Math.max(...of(true))).toBeLessThanOrEqual(Math.min(...of(false)));
    }
  });

  describe("of an operation that was refused", () => {
    const stop = (accountId: string) =>
      recordStop(
        stage.db,
        accountId,
        { code: "forbidden", operation: "ios.refused", dataset: "app_rating", message: "" },
        { firstMs: 1, longestMs: 1 },
      );

    test("are last for the organisation or app that was refused, and right before that for the others, also after another run took over", async () => {
      await recordStop(
        stage.db,
        "own",
        { code: "forbidden", operation: "ios.refused", subject: "303", dataset: "app_rating", message: "" },
        { firstMs: 1, longestMs: 1 },
      );
      const of = (org: string, date: number) =>
        draft({ operation: "ios.refused", scope: { org_id: org }, class: "daily", window: august(date) });
      const run = await stage.run();
      await stage.insert(run, of("303", 12), of("101", 11), draft({ class: "history", window: august(3) }));
      expect(await order()).toEqual([3, 11, 12]);
      await stage.pool.query("update ops.slice set turn = 0 where scope ->> 'org_id' = '303'");
      const runId = await stage.run({ workerId: await stage.alive() });
      await adoptOrphanedSlices(stage.db, { runId, datasets: ["keyword_rank"], mostCredits: Number.POSITIVE_INFINITY });
      expect(await order()).toEqual([3, 11, 12]);
    });

    /** Queues a snapshot of the operation and history of another one; whether the snapshot comes last. */
    const isLast = async () => {
      const run = await stage.run();
      await stage.insert(
        run,
        draft({ class: "snapshot", operation: "ios.refused" }),
        draft({ class: "history", window: august(3) }),
      );
      const [snapshot] = await stage.slices("slice_id as id");
      return (await stage.queued()).at(-1)?.slice === snapshot?.["id"];
    };

    beforeEach(knowAccounts);

    test("are after all others for as long as the refusal stops the account, however long that is", async () => {
      await stop("own");
      await stage.pool.query("update ops.account_stop set stopped_at = now() - interval '30 days'");
      expect(await isLast()).toBe(true);
    });

    test.each([
      ["23 hours", true],
      ["25 hours", false],
    ])("that was lifted %s ago are after all others: %s", async (ago, last) => {
      await stop("own");
      await liftStop(stage.db, "own");
      await stage.pool.query("update ops.account_stop set lifted_at = now() - $1::interval", [ago]);
      expect(await isLast()).toBe(last);
    });

    test.each(["others", "replaced"])(
      "to another account or a token that was replaced stay as they are",
      async (to) => {
        await stop(to);
        expect(await isLast()).toBe(false);
      },
    );
  });
});
