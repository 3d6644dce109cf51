import { sql } from "../../src/postgres/sql.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { landedSlices } from "../../src/ledger/landed-slices.ts";
import type { Database } from "../../src/postgres/database.ts";
import { draft, openLedgerStage } from "../support/ledger-stage.ts";
import { forTests } from "../support/for-tests.ts";

const count = 1_203;

describe("the slices whose answers were landed", () => {
  const stage = forTests(openLedgerStage);

  beforeEach(async () => {
    await stage.reset();
    const drafts = Array.from({ length: count }, (_, index) => draft({ items: [`keyword ${index}`] }));
    await stage.insert(await stage.run(), ...drafts);
    await sql`update ops.slice set state = 'loaded'`.execute(stage.db);
    // two came at each instant, the last planned first; every seventh was requested twice, the first time long before
    await sql`
      insert into raw.answer (request_id, slice_id, attempt, page, operation, body, byte_count, fetched_at)
      select 0, slice_id, a.attempt, 0, '', '', 0, timestamptz '2026-08-20' - (slice_id / 2 + 10000 * (1 - a.attempt)) * interval '1 second'
      from   ops.slice as s, generate_series(case when slice_id % 7 = 0 then 0 else 1 end, 1) as a (attempt)`.execute(
      stage.db,
    );
  });

  const read = (each: (transaction: Database, sliceId: string) => Promise<unknown> = async () => undefined) =>
    stage.db.transaction().execute(async (transaction) => {
      const ids: number[] = [];
      for await (const { sliceId } of landedSlices(transaction, "keyword_rank", {})) {
        ids.push(Number(sliceId));
        await each(transaction, sliceId);
      }
      return ids;
    });

  const inOrder = Array.from({ length: count }, (_, index) => index + 1).sort(
    (a, b) => Math.floor(b / 2) - Math.floor(a / 2) || a - b,
  );

  test("are each reported once, in the order in which their last answers came", async () => {
    expect(await read()).toEqual(inOrder);
  });

  test("are reported with their first state, although it changes meanwhile", async () => {
    const change = async (transaction: Database, sliceId: string) => {
      if (Number(sliceId) !== inOrder[0]) return;
      await sql`update ops.slice set state = 'failed', dataset = 'other'`.execute(transaction);
      await sql`update raw.answer set fetched_at = now()`.execute(transaction);
    };
    expect(await read(change)).toEqual(inOrder);
  });

  test("can be read twice in one transaction", async () => {
    const texts: string[] = [];
    await stage.db.transaction().execute(async (transaction) => {
      for (let times = 0; times < 2; times += 1)
        for await (const { sliceId } of landedSlices(transaction, "keyword_rank", {})) texts.push(sliceId);
    });
    expect(texts).toHaveLength(2 * count);
  });
});
