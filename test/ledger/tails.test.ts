import { describe, expect, test } from "vitest";
import { endAttempt } from "../../src/ledger/slices.ts";
import { keepPlan } from "../../src/ledger/plans.ts";
import { cutTail } from "../../src/ledger/tails.ts";
import { august, draft, ending, ledgerForTests, now } from "../support/ledger-stage.ts";
import { planAt } from "../support/slice-draft.ts";

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

  test("comes after all slices of its plan, and otherwise in the order of class and day", async () => {
    const { stage, worker } = ledger;
    const planned = [draft({ window: from(1, 10), class: "daily" }), draft({ window: from(11, 20), class: "history" })];
    const queuedOf = async (planId: string | null) => {
      const run = await stage.run({ workerId: worker, ...(planId === null ? {} : { kind: "backfill", planId }) });
      const [first = "", second = ""] = await stage.insert(
        run,
        ...planned.map((one) => ({ ...one, dataset: `of run ${run}` })),
      );
      await cutTail(stage.db, await stage.claimed(first, worker), { window: from(8, 10), isLate: false }, now);
      const queue = (await stage.queued()).map(({ slice }) => slice).filter((id) => Number(id) >= Number(second));
      return queue[0] === second ? "planned first" : "tail first";
    };
    expect(await queuedOf(await keepPlan(stage.db, planAt(5), now))).toBe("planned first");
    expect(await queuedOf(null)).toBe("tail first");
  });
});
