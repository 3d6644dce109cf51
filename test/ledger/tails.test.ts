import { describe, expect, test } from "vitest";
import { endAttempt } from "../../src/ledger/slices.ts";
import { cutTail } from "../../src/ledger/tails.ts";
import { august, draft, ending, ledgerForTests, now } from "../support/ledger-stage.ts";

const from = (first: number, last: number) => ({ start: august(first).start, end: august(last).end });

describe("a tail of which an answer says nothing", () => {
  const ledger = ledgerForTests();

  /** Cuts a tail off a slice of its own; the state in which it stands then. */
  async function cut(days: [number, number], tail: [number, number]): Promise<unknown> {
    const { stage, worker } = ledger;
    const [id] = await stage.insert(await stage.run({ workerId: worker }), draft({ window: from(...days) }));
    const slice = await stage.claimed(id ?? "", worker);
    await cutTail(stage.db, slice, { window: from(...tail), isLate: false }, now);
    return (await stage.slices("state, tail_of")).findLast((one) => one["tail_of"] === id)?.["state"];
  }

  test("is requested separately, and not again where it came back empty, with a day more or not; with two it is", async () => {
    const { stage, worker } = ledger;
    expect(await cut([1, 10], [8, 10])).toBe("pending");
    await endAttempt(stage.db, await stage.claimed("2", worker), { ...ending, state: "empty" }, now);
    expect(await cut([2, 11], [8, 11])).toBe("empty");
    expect(await cut([4, 13], [9, 13])).toBe("pending");
  });

  test("of a plan comes after the slices of the plan", async () => {
    const { stage, worker } = ledger;
    const run = await stage.run({ workerId: worker });
    const [id, older] = await stage.insert(run, draft({ window: from(11, 20) }), draft({ window: from(1, 10) }));
    await stage.pool.query("update ops.slice set plan_id = 7 where slice_id in ($1, $2)", [id, older]);
    await cutTail(stage.db, await stage.claimed(id ?? "", worker), { window: from(19, 20), isLate: false }, now);
    const { rows } = await stage.pool.query(
      "select tail_of, plan_id from ops.slice where state = 'pending' order by turn",
    );
    expect(rows).toEqual([
      { tail_of: null, plan_id: "7" },
      { tail_of: id, plan_id: "7" },
    ]);
  });
});
