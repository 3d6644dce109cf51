import { describe, expect, test } from "vitest";
import { sharedQueue } from "../../src/ledger/shared-queue.ts";
import { dropRefused, endAttempt, splitSlice } from "../../src/ledger/slices.ts";
import { sql } from "../../src/postgres/sql.ts";
import { august, draft, ending, ledgerForTests, now } from "../support/ledger-stage.ts";
import { claim } from "../support/queue-steps.ts";

const minute = 60_000;

describe("slices that were refused", () => {
  const ledger = ledgerForTests();
  const { stage } = ledger;

  describe("splitSlice", () => {
    const items = ["a", "b", "c", "d", "e"];

    test("parts a slice into two that hold all its items between them and can both be run", async () => {
      const [id] = await stage.insert(await stage.run(), draft({ items }));
      const halves = await splitSlice(stage.db, await stage.claimed(id!, ledger.worker), now);
      expect(halves).toHaveLength(2);
      expect(halves[0]).toBe(id);
      const [first, second] = [
        await stage.claimed(halves[0]!, ledger.worker),
        await stage.claimed(halves[1]!, ledger.worker),
      ];
      expect(first.items).toEqual(["a", "b", "c"]);
      expect(second).toEqual({ ...first, items: ["d", "e"], sliceId: halves[1], attempt: 1 });
    });

    test("keeps for both halves when the slice was queued again: they count against the same limit of retries", async () => {
      const [id] = await stage.insert(await stage.run(), draft({ items }));
      await sql`update ops.slice set retried_at = to_timestamp(${now / 1000})`.execute(stage.db);
      await splitSlice(stage.db, await stage.claimed(id!, ledger.worker), now + minute);
      const retried = { retried_at: new Date(now) };
      expect(await stage.slices("retried_at")).toEqual([retried, retried]);
    });

    test("continues until each item is in a slice of its own", async () => {
      const [id] = await stage.insert(await stage.run(), draft({ items }));
      const open = [id!];
      const alone: string[] = [];
      for (let next = open.shift(); next !== undefined; next = open.shift()) {
        const slice = await stage.claimed(next, ledger.worker);
        if (slice.items?.length === 1) alone.push(...slice.items);
        else open.push(...(await splitSlice(stage.db, slice, now)));
      }
      expect(alone.toSorted()).toEqual(items);
    });

    test("leaves a slice alone that another attempt has taken over", async () => {
      const [id] = await stage.insert(await stage.run(), draft({ items }));
      const slow = await stage.claimed(id!, ledger.worker);
      const quick = await stage.claimed(id!, ledger.worker);
      expect(await splitSlice(stage.db, slow, now)).toEqual([]);
      expect(await stage.slices("slice_id")).toHaveLength(1);
      expect((await stage.claimed(id!, ledger.worker)).items).toEqual(quick.items);
    });

    test("changes nothing where the first half is open in a slice of its own", async () => {
      const [id] = await stage.insert(await stage.run(), draft({ items }), draft({ items: ["a", "b", "c"] }));
      const slice = await stage.claimed(id!, ledger.worker);
      const before = await stage.slices("*");
      const split = stage.db.transaction().execute((transaction) => splitSlice(transaction, slice, now));
      await expect(split).rejects.toMatchObject({ code: "23505" });
      expect(await stage.slices("*")).toEqual(before);
    });

    test("leaves the second half to the slice that has it open", async () => {
      const [id] = await stage.insert(await stage.run(), draft({ items }), draft({ items: ["d", "e"] }));
      expect(await splitSlice(stage.db, await stage.claimed(id!, ledger.worker), now)).toEqual([id]);
    });
  });

  describe("dropRefused", () => {
    test("removes the item from the slices of its scope that are pending, and wakes those that waited for it", async () => {
      const [alone, waiting, elsewhere] = await stage.insert(
        await stage.run(),
        draft({ items: ["b"] }),
        draft({ items: ["a", "b"], window: august(1) }),
        draft({ items: ["b", "c"], scope: { store: "ios", app: "1", country: "GB" } }),
      );
      const taker = { queueId: sharedQueue, workerId: ledger.worker };
      const ends = { ...ending, state: "pending", dueAt: now + minute } as const;
      await endAttempt(stage.db, await stage.claimed(waiting!, ledger.worker), ends, now);
      await dropRefused(stage.db, await stage.claimed(alone!, ledger.worker));
      expect(await claim(stage.db, waiting!, taker, now)).toMatchObject({ items: ["a"] });
      expect(await claim(stage.db, elsewhere!, taker, now)).toMatchObject({ items: ["b", "c"] });
    });
  });
});
