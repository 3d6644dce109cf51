import { expect, test } from "vitest";
import { searchRefused } from "../../src/ingest/search-refused.ts";
import type { Database } from "../../src/postgres/database.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { august, draft, ending, now, openLedgerStage } from "../support/ledger-stage.ts";

const left = "(select b.items from ops.batch as b where b.batch_id = slice.batch_id) as items, state";
const refusal = { ...ending, state: "skipped", error: { code: "bad_request", message: "no" } } as const;

test("of two slices with a refused keyword one is searched, the other waits and then goes on without it, also where the search ends in between", async () => {
  await using stage = await openLedgerStage();
  const [run, worker] = [await stage.run(), await stage.alive()];
  const ids = await stage.insert(
    run,
    draft({ items: ["bad", "good"] }),
    draft({ items: ["bad", "good"], window: august(18) }),
  );
  const [first, second] = await Promise.all(ids.map((id) => stage.claimed(id, worker)));
  if (first === undefined || second === undefined) throw new Error("nothing queued");

  expect(await searchRefused(stage.db, first, now)).toBe(true);
  expect(await stage.slices(left)).toEqual([
    { items: ["bad"], state: "pending" },
    { items: ["bad", "good"], state: "running" },
    { items: ["good"], state: "pending" },
  ]);
  expect(await searchRefused(stage.db, second, now)).toBe(false);

  const bad = await stage.claimed(first.sliceId, worker);
  const endSearch = () => endAttempt(stage.db, bad, refusal, now);
  expect(await searchRefused(endingAfterFirstRead(stage.db, endSearch), second, now)).toBe(true);
  expect(await stage.slices(left)).toEqual([
    { items: ["bad"], state: "skipped" },
    { items: ["good"], state: "pending" },
    { items: ["good"], state: "pending" },
  ]);
});

/** A database in whose transactions something else happens once, after the first read of the slices. */
function endingAfterFirstRead(db: Database, happens: () => Promise<unknown>): Database {
  let isOver = false;
  const watched = (transaction: Database): Database => ({
    ...transaction,
    run: async (text, values) => {
      const result = await transaction.run(text, values);
      if (!isOver && text.includes("ops.slice")) {
        isOver = true;
        await happens();
      }
      return result;
    },
  });
  return {
    ...db,
    transaction: () => ({ execute: (work) => db.transaction().execute((one) => work(watched(one))) }),
  };
}
