import { describe, expect, test } from "vitest";
import { fail } from "../../src/core/errors.ts";
import { openBank } from "../support/credits-account.ts";
import { openQueue } from "../support/credits-queue.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);

const untouched = { remaining: 100, held: 0, inFlight: 0 };
const daily = { cost: () => 10, class: "daily" } as const;

describe("a call that throws", () => {
  test("is booked as charged, in the ledger and in the limit of the run: its answer was lost on the way", async () => {
    const account = await bank.account();
    const { queue, runLimit } = openQueue(account, { limit: 50 });
    const error = fail("cut_connection");
    await expect(queue.run(daily, () => Promise.reject(error))).rejects.toBe(error);
    expect(await account.state()).toMatchObject({ ...untouched, remaining: 90 });
    expect(runLimit.left()).toBe(40);
  });

  test.each(["no_connection", "not_encodable", "bad_request"] as const)(
    "%s costs nothing: it never left this machine",
    async (code) => {
      const account = await bank.account();
      const { queue, runLimit } = openQueue(account, { limit: 50 });
      await expect(queue.run(daily, () => Promise.reject(fail(code)))).rejects.toMatchObject({ code });
      expect(await account.state()).toMatchObject(untouched);
      expect(runLimit.left()).toBe(50);
    },
  );

  test("leaves its slot to the next", async () => {
    const account = await bank.account();
    const { queue } = openQueue(account, { concurrency: 1 });
    const broken = queue.run(daily, () => Promise.reject(new Error("broken")));
    const next = queue.run(daily, async () => ({ result: "next", receipt: account.answer(10) }));
    await expect(broken).rejects.toThrow("broken");
    expect(await next).toBe("next");
  });
});

describe("a refusal", () => {
  test("costs neither ledger nor limit anything", async () => {
    const account = await bank.account();
    const { queue, runLimit } = openQueue(account, { limit: 50 });
    await queue.run(daily, async () => ({ result: null, receipt: account.refusal() }));
    expect(await account.state()).toMatchObject(untouched);
    expect(runLimit.left()).toBe(50);
  });
});

describe("an abort", () => {
  test("before the call was added sends nothing", async () => {
    const account = await bank.account();
    const { queue, held, sent } = openQueue(account);
    const reason = new Error("stop");
    await expect(queue.run({ ...daily, signal: AbortSignal.abort(reason) }, held("never"))).rejects.toBe(reason);
    expect(sent).toEqual([]);
  });

  test("while the call waits for its turn ends it at once, holds nothing and charges nothing", async () => {
    const account = await bank.account();
    const { queue, held, sent, end, untilSent, runLimit } = openQueue(account, { concurrency: 1, limit: 50 });
    const stop = new AbortController();
    const first = queue.run(daily, held("first"));
    await untilSent("first");
    const waiting = queue.run({ ...daily, signal: stop.signal }, held("never"));
    stop.abort(new Error("stop"));
    await expect(waiting).rejects.toThrow("stop");
    expect(await account.state()).toMatchObject({ held: 10, inFlight: 1 });
    end("first", account.answer(10));
    await first;
    expect(sent).toEqual(["first"]);
    expect(runLimit.left()).toBe(40);
    expect(await account.state()).toMatchObject({ ...untouched, remaining: 90 });
  });

  test("while the call sleeps for the pace releases its credits and charges nothing", async () => {
    const account = await bank.account({ pace: 0.1 });
    const { queue, held, sent, runLimit } = openQueue(account, { limit: 50 });
    const stop = new AbortController();
    await account.settle(await account.hold(0), account.refusal());
    const sleeping = queue.run({ ...daily, signal: stop.signal }, held("never"));
    await expect.poll(() => account.clock.sleepers(), { interval: 2, timeout: 10_000 }).toBe(1);
    expect(await account.state()).toMatchObject({ held: 10, inFlight: 1 });
    stop.abort(new Error("stop"));
    await expect(sleeping).rejects.toThrow("stop");
    expect(sent).toEqual([]);
    expect(runLimit.left()).toBe(50);
    expect(await account.state()).toMatchObject(untouched);
  });

  test("after the call was sent changes nothing: the answer is paid for and comes back, the slot is taken until then", async () => {
    const account = await bank.account();
    const { queue, held, sent, end, untilSent } = openQueue(account, { concurrency: 1 });
    const stop = new AbortController();
    const first = queue.run({ ...daily, signal: stop.signal }, held("first"));
    await untilSent("first");
    stop.abort(new Error("stop"));
    const second = queue.run(daily, held("second"));
    await account.state();
    expect(sent).toEqual(["first"]);
    end("first", account.answer(10, { left: 90 }));
    expect(await first).toBe("first");
    expect(await account.state()).toMatchObject({ remaining: 90 });
    end("second", account.answer(10));
    expect(await second).toBe("second");
  });
});

describe("the limit of a run", () => {
  test("is never passed by eight calls at once, and what it refuses is neither held nor sent", async () => {
    const account = await bank.account();
    const { queue, sent, held, end, runLimit } = openQueue(account, { concurrency: 8, limit: 45 });
    const names = Array.from({ length: 12 }, (_, place) => `call ${place}`);
    for (const name of names) end(name, account.answer(10));
    const settlements = await Promise.allSettled(names.map((name) => queue.run(daily, held(name))));
    expect(sent).toHaveLength(4);
    expect(settlements.filter((one) => one.status === "fulfilled")).toHaveLength(4);
    expect(settlements[11]).toMatchObject({ reason: { code: "run_limit_spent", until: null, context: { cost: 10 } } });
    expect(runLimit.left()).toBe(5);
    expect(await account.state()).toMatchObject({ ...untouched, remaining: 60 });
  });

  test("calls dearer than expected end it sooner: nothing is sent once it is passed, by no more than they were dearer", async () => {
    const account = await bank.account({ total: 1000 });
    const { queue, sent, held, end, runLimit } = openQueue(account, { concurrency: 8, limit: 200 });
    const names = Array.from({ length: 30 }, (_, place) => `call ${place}`);
    for (const name of names) end(name, account.answer(13));
    await Promise.allSettled(names.map((name) => queue.run(daily, held(name))));
    const spent = sent.length * 13;
    expect(runLimit.left()).toBe(200 - spent);
    expect(spent).toBeGreaterThan(200 - 10);
    expect(spent).toBeLessThanOrEqual(200 + 8 * 3);
    expect(await account.state()).toMatchObject({ remaining: 1000 - spent });
  });

  test("what a call cost less than expected may be spent again", async () => {
    const account = await bank.account();
    const { queue, runLimit } = openQueue(account, { limit: 10 });
    const cheap = async () => ({ result: null, receipt: account.answer(3) });
    await queue.run(daily, cheap);
    await expect(queue.run(daily, cheap)).rejects.toMatchObject({ code: "run_limit_spent" });
    await queue.run({ ...daily, cost: () => 7 }, cheap);
    expect(runLimit.left()).toBe(4);
  });

  test("is not touched by a call that was put off for want of credits", async () => {
    const account = await bank.account({ total: 100, left: 5 });
    const { queue, held, runLimit } = openQueue(account, { limit: 50 });
    await expect(queue.run(daily, held("never"))).rejects.toMatchObject({ code: "credits_exhausted" });
    expect(runLimit.left()).toBe(50);
  });
});
