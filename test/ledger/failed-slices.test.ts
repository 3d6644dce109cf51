import { beforeEach, describe, expect, test } from "vitest";
import type { SliceDraft, SliceState } from "../../src/core/slice.ts";
import { day } from "../../src/core/day.ts";
import { readUnfinished } from "../../src/runs/unfinished.ts";
import { failedCount } from "../../src/ledger/open-slices.ts";
import { reopen } from "../../src/ledger/reopen.ts";
import { noteDatasets } from "../../src/ledger/dataset-timings.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { readStatus } from "../../src/ledger/status.ts";
import { countEarlierFailures } from "../../src/ledger/unrequested-days.ts";
import { august, datasetLine, draft, ending, ledgerForTests, now, today } from "../support/ledger-stage.ts";

const days = (from: number, to: number) => ({ start: august(from).start, end: august(to).end });
const lost = draft({ items: ["a", "b"], window: days(3, 6), class: "history" });

describe("a failed slice", () => {
  const ledger = ledgerForTests();
  let run: string;

  beforeEach(async () => {
    run = await ledger.stage.run();
  });

  const ended = (
    state: Exclude<SliceState, "pending" | "running" | "lost">,
    ...drafts: readonly Partial<SliceDraft>[]
  ) => ledger.stage.inState(run, state, ledger.worker, ...drafts.map((one) => draft({ class: "history", ...one })));

  /** How many failures everybody who counts them sees, and how many a retry takes. */
  const counted = async () => {
    const { db } = ledger.stage;
    const retry = await ledger.stage.run({ kind: "retry", workerId: ledger.worker });
    const { failedBefore } = await readUnfinished(db, { runId: retry, datasets: ["keyword_rank"], within: {} });
    const [status] = (await readStatus(db)).datasets;
    expect([await failedCount(db, ["keyword_rank"], ""), status?.failed]).toEqual([failedBefore, failedBefore]);
    return { counted: failedBefore, reopened: await reopen(db, { runId: retry, datasets: ["keyword_rank"] }) };
  };

  test("counts while nothing came after it, also when an older slice had its cells", async () => {
    await ended("loaded", lost);
    await ended("failed", lost);
    expect(await counted()).toEqual({ counted: 1, reopened: 1 });
  });

  test("of several apps in one call is of each app that is named, and without a country of any", async () => {
    await ended("failed", { scope: { store: "ios" }, items: ["1", "2"] });
    const reach = { dataset: "keyword_rank", from: today, keptFrom: null, itemsAreApps: true };
    const slicesOf = async (...apps: readonly string[]) =>
      (await countEarlierFailures(ledger.stage.db, [reach], { apps, countries: ["US"], account: "", today })).map(
        ({ slices }) => slices,
      );
    expect(await slicesOf("ios:1")).toEqual([1]);
    expect(await slicesOf("2", "3")).toEqual([1]);
    expect(await slicesOf("3")).toEqual([]);
  });

  test("of a dataset that is off is requested again only where the schedule or a plan began it", async () => {
    const { db, pool } = ledger.stage;
    const nextTries = async () => {
      const { failedForNow } = await readStatus(db);
      const tables = ["failed_slice", "slice_status", "slice_log"].map(async (table) => {
        const column = table === "failed_slice" ? "next_try_at" : "due_at";
        const { rows } = await pool.query(`select count(${column})::int as tries from ops.${table}`);
        return rows[0]?.tries;
      });
      expect(await Promise.all(tables)).toEqual([failedForNow, failedForNow, failedForNow]);
      return failedForNow;
    };
    const noteOn = (isOn: boolean, isOff = false) => {
      const line = datasetLine("keyword_rank", { is_on: isOn, is_switched_off: isOff });
      return noteDatasets(db, [line], [], { account: "", planned: [], today });
    };
    await ended("failed", lost);
    run = await ledger.stage.run({ kind: "schedule" });
    await ended("failed", { window: days(7, 8) });
    await pool.query("update ops.slice set due_at = now() + interval '1 hour'");
    await noteOn(true);
    expect(await nextTries()).toBe(2);
    await noteOn(false);
    expect(await nextTries()).toBe(1);
    await noteOn(false, true);
    expect(await nextTries()).toBe(0);
  });

  test("is made good by slices that were cut otherwise and have all its cells together", async () => {
    await ended("failed", lost);
    await ended("loaded", { items: ["a", "c"], window: days(1, 9) }, { items: ["b"], window: days(3, 4) });
    await ended("empty", { items: ["b", "d"], window: days(5, 20) });
    expect(await counted()).toEqual({ counted: 0, reopened: 0 });
  });

  test.each<[string, Partial<SliceDraft>]>([
    ["an item", { items: ["a", "c"], window: days(3, 6) }],
    ["the first day", { items: ["a", "b"], window: days(4, 6) }],
    ["the last day", { items: ["a", "b"], window: days(1, 5) }],
    ["the scope", { ...lost, scope: { store: "ios", app: "2", country: "US" } }],
    ["the dataset", { ...lost, dataset: "other" }],
  ])("still counts when %s is not in what was loaded since", async (_, part) => {
    await ended("failed", lost);
    await ended("loaded", part);
    expect(await counted()).toEqual({ counted: 1, reopened: 1 });
  });

  test("of a scope without items goes by the day", async () => {
    await ended("failed", { window: days(3, 6) }, { window: days(7, 8) });
    await ended("loaded", { window: days(3, 7) });
    expect(await counted()).toEqual({ counted: 1, reopened: 1 });
  });

  test.each(["deferred", "failed", "skipped"] as const)("still counts while a newer one is %s", async (state) => {
    await ended("failed", lost);
    await ended(state, { items: ["a", "b", "c"], window: days(3, 6) });
    expect((await counted()).counted).toBe(state === "failed" ? 2 : 1);
  });

  test("counts while a newer one waits, and no more when that is loaded", async () => {
    await ended("failed", lost);
    const [open] = await ledger.stage.insert(run, lost);
    expect(await counted()).toEqual({ counted: 1, reopened: 0 });
    await endAttempt(ledger.stage.db, await ledger.stage.claimed(open!, ledger.worker), ending, now);
    expect(await counted()).toEqual({ counted: 0, reopened: 0 });
  });

  test("does not count any more when the service refused just that since", async () => {
    const [, newer] = [...(await ended("failed", lost)), ...(await ledger.stage.insert(run, lost))];
    const error = { code: "bad_request", message: "refused" };
    const slice = await ledger.stage.claimed(newer!, ledger.worker);
    await endAttempt(ledger.stage.db, slice, { ...ending, state: "skipped", error }, now);
    expect(await counted()).toEqual({ counted: 0, reopened: 0 });
  });

  test("that is a snapshot is made good by one of a later day", async () => {
    await ended(
      "failed",
      { class: "snapshot", window: august(3) },
      { class: "snapshot", scope: {}, window: august(3) },
    );
    await ended("loaded", { class: "snapshot", window: august(9) });
    expect(await counted()).toEqual({ counted: 1, reopened: 1 });
  });

  test("that is a snapshot counts once, as the newest, on however many days it failed", async () => {
    const on = (date: number, items: readonly string[]) =>
      ({ class: "snapshot", window: august(date), items }) as const;
    await ended("failed", on(3, ["a"]), on(4, ["a", "b"]), on(5, ["b", "a"]), on(5, ["c"]));
    expect(await counted()).toEqual({ counted: 2, reopened: 2 });
  });

  test("counts only where it touches the requested days", async () => {
    await ended("failed", lost);
    const beside = { start: day("2026-08-07"), end: day("2026-08-09") };
    const wanted = { runId: await ledger.stage.run(), datasets: ["keyword_rank"], within: beside };
    expect((await readUnfinished(ledger.stage.db, wanted)).failedBefore).toBe(0);
    expect(
      (await readUnfinished(ledger.stage.db, { ...wanted, within: { start: day("2026-08-06") } })).failedBefore,
    ).toBe(1);
  });

  test("is reported with its reason until it is made good", async () => {
    const [id] = await ledger.stage.insert(run, lost);
    const error = { code: "timeout", message: "no answer" };
    const slice = await ledger.stage.claimed(id!, ledger.worker);
    await endAttempt(ledger.stage.db, slice, { ...ending, state: "failed", error }, now);
    expect((await readStatus(ledger.stage.db)).troubles).toMatchObject([{ code: "timeout", slices: 1 }]);
    await ended("loaded", { items: ["a", "b", "c"], window: days(1, 9) });
    expect((await readStatus(ledger.stage.db)).troubles).toEqual([]);
  });
});
