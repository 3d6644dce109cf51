import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { SliceDraft } from "../../src/core/slice.ts";
import { joinWaiting, wouldJoin } from "../../src/ledger/join-waiting.ts";
import type { RunStart } from "../../src/ledger/runs.ts";
import { insertSlices } from "../../src/ledger/slices.ts";
import { august, draft, now, openLedgerStage } from "../support/ledger-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openLedgerStage);

beforeEach(() => stage.reset());

const window = (from: number, to: number) => ({ start: august(from).start, end: august(to).end });
/** What is queued on the 19th, and could bring the days before it as well. */
const newest = (more: Partial<SliceDraft> = {}) => draft({ window: august(18), longest: 30, ...more });

/** Queues drafts as planning does. Returns the slices that they were expected to join, and those that they joined. */
async function queue(...drafts: readonly SliceDraft[]) {
  const numbers = async () => (await stage.slices("slice_id")).map(({ slice_id: id }) => String(id));
  const [before, foreseen] = [await numbers(), await wouldJoin(stage.db, "", drafts)];
  const run = await stage.run({ kind: "schedule" });
  await stage.db.transaction().execute(async (transaction) => {
    await insertSlices(transaction, run, await joinWaiting(transaction, run, drafts), now);
  });
  const after = await numbers();
  return { foreseen: [...foreseen].sort(), gone: before.filter((id) => !after.includes(id)) };
}

/** First and last day in August of each slice. */
async function days(): Promise<readonly string[]> {
  const rows = await stage.slices("to_char(window_start, 'FMDD') || '-' || to_char(window_end - 1, 'FMDD') as days");
  return rows.map((row) => String(row["days"]));
}

/** Lets a slice wait for the 17th that was queued a day before, and changes it; and queues the 18th. */
async function beside({ waits = {}, run = {}, change = "", queued = newest() }: Case) {
  await stage.reset();
  const before = await stage.run({ kind: "schedule", ...run });
  await stage.insert(before, draft({ window: august(17), ...waits }));
  await stage.pool.query("update ops.slice set created_at = created_at - interval '1 day'");
  if (change !== "") await stage.pool.query(`update ops.slice set ${change}`);
  const { foreseen, gone } = await queue(queued);
  expect(foreseen).toEqual(gone);
  return days();
}

type Case = {
  readonly waits?: Partial<SliceDraft>;
  readonly run?: Partial<RunStart>;
  readonly change?: string;
  readonly queued?: SliceDraft;
};

test("a slice that waits for the days beside those that are queued becomes one with them, since it began to wait", async () => {
  expect(await beside({})).toEqual(["17-18"]);
  expect(await stage.slices("state, planned_credits, created_at < timestamptz '2026-08-20 00:00Z' as waited")).toEqual([
    { state: "pending", waited: true, planned_credits: 3 },
  ]);
  expect(await beside({ change: "state = 'deferred', due_at = '2026-09-01'" })).toEqual(["17-18"]);
  expect(await beside({ waits: { window: window(10, 18), credits: 9 } })).toEqual(["10-18"]);
  const items = ["a", "b"];
  expect(await beside({ waits: { items }, queued: newest({ items }) })).toEqual(["17-18"]);
});

const stays: Readonly<Record<string, Case>> = {
  runs: { change: "state = 'running'" },
  "has failed before": { change: "failures = 1" },
  "a process died of": { change: "broken_off_count = 1" },
  "is the rest of an answer": { change: "tail_of = 1" },
  "belongs to a plan": { change: "plan_id = 1" },
  "is of a retry": { run: { kind: "retry" } },
  "has another class": { waits: { class: "history" } },
  "was to cost less": { waits: { credits: 2 } },
  "is another operation": { waits: { operation: "ios_keyword_history" } },
  "is about another scope": { waits: { scope: { store: "ios", app: "2", country: "US" } } },
  "has another list": { waits: { items: ["a"] }, queued: newest({ items: ["b"] }) },
  "has a list": { waits: { items: ["a"] } },
  "is not beside it": { waits: { window: august(16) } },
  "would make it too long": { queued: newest({ longest: 1 }) },
  "is not looked for": { queued: draft({ window: august(18) }) },
};

test.each(Object.entries(stays))("one that %s stays", async (_, one) => {
  expect(await beside(one)).toHaveLength(2);
});

test("one in the queue of a living process stays", async () => {
  await stage.insert(
    await stage.run({ kind: "schedule", workerId: await stage.alive() }),
    draft({ window: august(17) }),
  );
  expect(await queue(newest())).toEqual({ foreseen: [], gone: [] });
  expect(await days()).toEqual(["17-17", "18-18"]);
});

test("one whose answer has begun to land stays: it is paid for", async () => {
  const before = await stage.run({ kind: "schedule" });
  const [landed] = await stage.insert(before, draft({ window: august(17) }));
  await stage.land(landed!);
  await queue(newest());
  expect(await days()).toEqual(["17-17", "18-18"]);
});

test("one that another process has just locked stays, and planning does not wait for it", async () => {
  await stage.insert(await stage.run({ kind: "schedule" }), draft({ window: august(17) }));
  const other = await stage.pool.connect();
  // also where planning waits for it
  onTestFinished(() => other.release(true));
  await other.query("begin");
  await other.query("select from ops.slice for update");
  await queue(newest());
  expect(await days()).toEqual(["17-17", "18-18"]);
});

test("of two that could take its days only one does, and one takes as many as it may have", async () => {
  const before = await stage.run({ kind: "schedule" });
  await stage.insert(
    before,
    draft({ window: august(12) }),
    draft({ window: window(14, 16) }),
    draft({ window: august(18) }),
  );
  await queue(newest({ window: august(13), longest: 5 }), newest({ window: august(17), longest: 5 }));
  expect(await days()).toEqual(["12-16", "17-18"]);
});
