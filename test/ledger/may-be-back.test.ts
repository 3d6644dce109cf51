import { expect, test } from "vitest";
import type { SliceDraft } from "../../src/core/slice.ts";
import { mayBeBack } from "../../src/ledger/may-be-back.ts";
import { august, draft, ledgerForTests } from "../support/ledger-stage.ts";

const ledger = ledgerForTests();

/** A slice about a day that was requested on a later one. */
const about = (date: number, requestedOn: number, change: Partial<SliceDraft> = {}) =>
  draft({ window: august(date), asOf: august(requestedOn).start, ...change });

/** Whether a 404 for a day may pass, after these slices of its list were skipped for the same. */
async function mayPass(...skipped: readonly SliceDraft[]): Promise<boolean> {
  const { stage, worker } = ledger;
  const run = await stage.run();
  await stage.inState(run, "loaded", worker, about(15, 18));
  for (const id of await stage.inState(run, "skipped", worker, ...skipped))
    await stage.pool.query("update ops.slice set error_code = 'not_found' where slice_id = $1", [id]);
  const [id = ""] = await stage.insert(run, about(16, 19));
  return mayBeBack(stage.db, await stage.claimed(id, worker), "not_found");
}

test("a list that was answered lately may be back after its first 404", async () => {
  expect(await mayPass()).toBe(true);
});

test("a list that had a 404 before is not requested again for another: the service has them for days without data", async () => {
  expect(await mayPass(about(14, 18))).toBe(false);
});

test("a 404 of another list says nothing", async () => {
  expect(await mayPass(about(14, 18, { scope: { app: "another" } }))).toBe(true);
});
