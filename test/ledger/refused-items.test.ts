import { expect, test } from "vitest";
import { dropKnownRefused } from "../../src/ledger/refused-items.ts";
import { august, draft, ledgerForTests } from "../support/ledger-stage.ts";

const ledger = ledgerForTests();

/** Whether known items are taken out of a refused slice, and which items it has then; "bad" and "worse" were refused alone. */
async function left(items: readonly string[]) {
  const { stage, worker } = ledger;
  const run = await stage.run();
  const alone = ["bad", "worse"].map((item) => draft({ items: [item], window: august(18) }));
  for (const id of await stage.inState(run, "skipped", worker, ...alone))
    await stage.pool.query("update ops.slice set error_code = 'bad_request' where slice_id = $1", [id]);
  const [id = ""] = await stage.insert(run, draft({ items }));
  const isDropped = await dropKnownRefused(stage.db, await stage.claimed(id, worker));
  const [slice] = (await stage.slices("(select b.items from ops.batch as b where b.batch_id = slice.batch_id)")).slice(
    -1,
  );
  return [isDropped, slice?.["items"]];
}

test("items that were refused alone, on any day, are taken out of a refused slice", async () => {
  expect(await left(["bad", "good", "worse"])).toEqual([true, ["good"]]);
});

test("a slice of such items alone keeps them, since a call without items is about nothing", async () => {
  expect(await left(["bad", "worse"])).toEqual([false, ["bad", "worse"]]);
});

test("a slice without such items keeps all of them", async () => {
  expect(await left(["good", "new"])).toEqual([false, ["good", "new"]]);
});
