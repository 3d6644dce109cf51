import { describe, expect, test } from "vitest";
import { dayOf } from "../../src/core/day.ts";
import { DeferError, fail } from "../../src/core/errors.ts";
import { writeForecast } from "../../src/credits/forecast-days.ts";
import { hour, minute, noHolders, openBank, second, type TestAccount } from "../support/credits-account.ts";
import { openQueue } from "../support/credits-queue.ts";
import { forTests } from "../support/for-tests.ts";
import { must } from "../support/must.ts";
import { sql } from "../../src/postgres/sql.ts";

const bank = forTests(openBank);

const nothingHeld = { held: 0, inFlight: 0 };
const times = <T>(count: number, make: (place: number) => T) =>
  Array.from({ length: count }, (_, place) => make(place));
const good = (account: TestAccount, cost: number) => async () => ({ result: cost, receipt: account.answer(cost) });

describe("order and number of calls", () => {
  test("what waits goes by class: person, snapshot, daily, lookback, backfill", async () => {
    const account = await bank.account();
    const { queue, held, end, sent, untilSent } = openQueue(account, { concurrency: 1 });
    const first = queue.run({ cost: () => 1, class: "history" }, held("first"));
    await untilSent("first");
    const classes = ["history", "lookback", "snapshot", "daily", "person", "history", "snapshot"] as const;
    const waiting = classes.map((name) => queue.run({ cost: () => 1, class: name }, held(name)));
    for (const name of ["first", ...classes]) end(name);
    await Promise.all([first, ...waiting]);
    expect(sent).toEqual(["first", "person", "snapshot", "snapshot", "daily", "lookback", "history", "history"]);
  });

  test("never more calls at once than the concurrency, and each holds its credits while it is under way", async () => {
    const account = await bank.account();
    const { queue, held, sent, end, untilSent } = openQueue(account, { concurrency: 3 });
    const names = ["a", "b", "c", "d", "e"];
    const runs = names.map((name) => queue.run({ cost: () => 2, class: "daily" }, held(name)));
    for (const name of ["a", "b", "c"]) await untilSent(name);
    expect(sent).toHaveLength(3);
    expect(await account.state()).toMatchObject({ held: 6, inFlight: 3 });
    end("b", account.answer(2));
    await untilSent("d");
    expect(sent).toHaveLength(4);
    expect(await account.state()).toMatchObject({ remaining: 98, held: 6, inFlight: 3 });
    for (const name of names) end(name, account.answer(2));
    expect(await Promise.all(runs)).toEqual(names);
    expect(await account.state()).toMatchObject({ remaining: 90, ...nothingHeld });
  });

  test("what waits holds the price that is known when its turn comes", async () => {
    const account = await bank.account();
    const { queue, held, end, untilSent } = openQueue(account, { concurrency: 1, limit: 8 });
    let price = 3;
    const call = { cost: () => price, class: "daily" } as const;
    const first = queue.run(call, held("first"));
    const waiting = queue.run(call, held("waiting"));
    await untilSent("first");
    expect(await account.state()).toMatchObject({ held: 3 });
    price = 5;
    end("first", account.answer(5));
    await first;
    await expect(waiting).rejects.toMatchObject({ code: "run_limit_spent", context: { cost: 5, left: 3 } });
  });

  test("a call is sent no sooner than the shared pace lets it", async () => {
    const account = await bank.account({ pace: 4 });
    const { queue, held, sent, end, untilSent } = openQueue(account);
    const names = ["a", "b", "c"];
    const runs = names.map((name) => queue.run({ cost: () => 1, class: "daily" }, held(name)));
    await expect.poll(() => account.clock.sleepers(), { interval: 2, timeout: 10_000 }).toBe(2);
    expect(sent).toHaveLength(1);
    account.clock.move(249);
    await Promise.resolve();
    expect(sent).toHaveLength(1);
    account.clock.move(1);
    expect(account.clock.sleepers()).toBe(1);
    account.clock.move(250);
    for (const name of names) {
      await untilSent(name);
      end(name);
    }
    expect(await Promise.all(runs)).toEqual(names);
  });
});

test("a process that stood still while its calls waited for the pace, and was declared dead, sends none of them when it wakes up", async () => {
  const account = await bank.account({ pace: 4 });
  const { rows } = await sql<{ worker_id: string }>`
    insert into ops.worker (kind, host, pid, started_at, heartbeat_at) values ('worker', 'here', 1, now(), now())
    returning worker_id`.execute(account.db);
  const { worker_id: workerId } = must(rows[0]);
  const { queue, held, sent, end, untilSent } = openQueue(account, { holders: { ...noHolders, workerId } });
  const call = { cost: () => 1, class: "daily" } as const;
  const first = queue.run(call, held("first"));
  await untilSent("first");
  const late = queue.run(call, held("late"));
  await expect.poll(() => account.clock.sleepers(), { interval: 2, timeout: 10_000 }).toBe(1);
  await sql`update ops.worker set stopped_at = now() where worker_id = ${workerId}::bigint`.execute(account.db);
  end("late");
  account.clock.move(minute);
  await expect(late).rejects.toMatchObject({ code: "lease_expired" });
  end("first");
  await first;
  expect(sent).toEqual(["first"]);
});

describe("when credits do not suffice", () => {
  test("all waiting calls are put off to the reset after one balance check, and none is sent", async () => {
    const account = await bank.account({ total: 100, left: 5 });
    const { queue, held, sent, refreshes } = openQueue(account);
    const settlements = await Promise.allSettled(
      times(20, (place) => queue.run({ cost: () => 10, class: "daily" }, held(`call ${place}`))),
    );
    const errors = settlements.map((end) => (end.status === "rejected" ? (end.reason as unknown) : null));
    expect(errors.every((error) => error instanceof DeferError && error.until === account.periodEnd)).toBe(true);
    expect(String(errors[0])).toMatch(/credits_exhausted: too few credits are left \(/);
    expect(errors[0]).toMatchObject({
      code: "credits_exhausted",
      context: { class: "daily", cost: 10, remaining: 5, until: account.periodEnd },
    });
    expect(sent).toEqual([]);
    expect(refreshes()).toBe(1);
    expect(await account.state()).toMatchObject({ remaining: 5, ...nothingHeld });
  });

  test("a call that takes more than the whole allowance above its floor is put off, and says which limit has to be raised", async () => {
    const account = await bank.account({ total: 100, left: 50 });
    const { queue, held } = openQueue(account, { floors: { snapshot: 0.07, daily: 0.4, lookback: 0.4, history: 0.4 } });
    const ask = (cost: number, name: "daily" | "snapshot") =>
      queue.run({ cost: () => cost, class: name }, held("never"));
    await expect(ask(61, "daily")).rejects.toMatchObject({
      code: "allowance_too_small",
      until: account.periodEnd,
      context: { cost: 61, total: 100, most: 60 },
    });
    await expect(ask(60, "daily")).rejects.toThrow(/too few credits are left: class daily leaves 40 to others \(/);
    await expect(ask(93, "snapshot")).rejects.toMatchObject({ code: "credits_exhausted" });
  });

  test("a snapshot that can wait is put off to the start of its last day where the reset is later, and on that day to the reset", async () => {
    const account = await bank.account({ total: 100, left: 5 });
    const { queue, held } = openQueue(account);
    const lastDay = account.periodEnd - hour;
    const work = { cost: () => 10, class: "snapshot", lostAt: async () => lastDay + 24 * hour } as const;
    await expect(queue.run(work, held("never"))).rejects.toMatchObject({ code: "credits_exhausted", until: lastDay });
    account.clock.move(lastDay - account.clock.now());
    await expect(queue.run(work, held("never"))).rejects.toMatchObject({ until: account.periodEnd });
  });

  test("history leaves what the nights until the reset take, and no other slice does", async () => {
    const account = await bank.account({ total: 100, left: 50 });
    const { db, accountId, clock } = account;
    const startsAt = clock.now() + hour;
    const night = { day: dayOf(startsAt), startsAt, planned: 30, waiting: 0, budgets: {} };
    await writeForecast(db, accountId, { madeAt: clock.now(), days: [night] });
    const { queue } = openQueue(account, { floors: { snapshot: 0, daily: 0.1, lookback: 0, history: 0 } });
    const ask = (cost: number, name: "history" | "lookback") =>
      queue.run({ cost: () => cost, class: name, sliceId: "1" }, good(account, cost));
    await expect(ask(11, "history")).rejects.toMatchObject({ code: "credits_exhausted", until: account.periodEnd });
    expect(await ask(10, "history")).toBe(10);
    await expect(ask(1, "history")).rejects.toMatchObject({ code: "credits_exhausted" });
    expect(await ask(40, "lookback")).toBe(40);
  });

  test("a person spends what the floors keep, down to the last credit, and not more; with a floor of its own a call leaves that", async () => {
    const account = await bank.account({ total: 100, left: 10 });
    const { queue } = openQueue(account, { floors: { snapshot: 0.5, daily: 0.5, lookback: 0.5, history: 0.5 } });
    await expect(queue.run({ cost: () => 1, class: "snapshot" }, good(account, 1))).rejects.toThrow(DeferError);
    await expect(queue.run({ cost: () => 1, class: "person", floor: 0.1 }, good(account, 1))).rejects.toThrow(
      DeferError,
    );
    await expect(queue.run({ cost: () => 11, class: "person" }, good(account, 1))).rejects.toThrow(DeferError);
    expect(await queue.run({ cost: () => 10, class: "person" }, good(account, 10))).toBe(10);
    expect(await account.state()).toMatchObject({ remaining: 0, ...nothingHeld });
  });

  test("the question is put again once a while has passed or the period is over", async () => {
    const account = await bank.account({ total: 100, left: 5 });
    const { queue, held, refreshes } = openQueue(account);
    const ask = () => expect(queue.run({ cost: () => 10, class: "daily" }, held("never"))).rejects.toThrow(DeferError);
    await ask();
    await ask();
    expect(refreshes()).toBe(1);
    account.clock.move(5 * second);
    await ask();
    expect(refreshes()).toBe(2);
    account.clock.move(account.periodEnd - account.clock.now() - 1);
    await ask();
    account.clock.move(1);
    await ask();
    expect(refreshes()).toBe(4);
  });

  test("calls that find no credits share a check of the balance also where no reset is reported", async () => {
    const account = await bank.account({ left: null });
    const { queue, held, refreshes } = openQueue(account, {
      refresh: () => account.observe({ total: 100, left: 5, resetsAt: null }),
    });
    for (const _ of times(3, () => undefined))
      await expect(queue.run({ cost: () => 10, class: "daily" }, held("never"))).rejects.toThrow(DeferError);
    expect(refreshes()).toBe(1);
    account.clock.move(5 * second);
    await expect(queue.run({ cost: () => 10, class: "daily" }, held("never"))).rejects.toThrow(DeferError);
    expect(refreshes()).toBe(2);
  });

  test("new credits that the question finds let all go on without being put off", async () => {
    const account = await bank.account({ total: 100, left: 5 });
    const { queue, refreshes } = openQueue(account, { refresh: () => account.observe({ left: 200 }) });
    const results = await Promise.all(times(8, () => queue.run({ cost: () => 10, class: "daily" }, good(account, 10))));
    expect(results).toHaveLength(8);
    expect(refreshes()).toBe(1);
    expect(await account.state()).toMatchObject({ remaining: 120, ...nothingHeld });
  });

  test("an unknown balance is requested before the first call", async () => {
    const account = await bank.account({ left: null });
    const { queue, refreshes } = openQueue(account, { refresh: () => account.observe({ total: 100, left: 100 }) });
    expect(await queue.run({ cost: () => 10, class: "daily" }, good(account, 10))).toBe(10);
    expect(refreshes()).toBe(1);
  });

  test("after the period's end the balance of the new one is requested", async () => {
    const account = await bank.account({ total: 100, left: 100 });
    account.clock.move(18 * hour);
    const resetsAt = account.periodEnd + 24 * hour;
    const { queue } = openQueue(account, { refresh: () => account.observe({ left: 100, resetsAt }) });
    expect(await queue.run({ cost: () => 10, class: "daily" }, good(account, 10))).toBe(10);
    expect(await account.state()).toMatchObject({ remaining: 90, resetsAt });
  });

  test("a reset that the service still reports as due now is tried again in a moment, not at once and not tomorrow", async () => {
    const account = await bank.account({ total: 100, left: 5 });
    account.clock.move(18 * hour);
    const { queue, held } = openQueue(account, { refresh: () => account.observe({ left: 5 }) });
    await expect(queue.run({ cost: () => 10, class: "daily" }, held("never"))).rejects.toMatchObject({
      until: account.clock.now() + 5 * second,
    });
  });

  test("an unreported reset leaves the time open", async () => {
    const account = await bank.account({ left: null });
    const { queue, held } = openQueue(account);
    await expect(queue.run({ cost: () => 10, class: "daily" }, held("never"))).rejects.toMatchObject({ until: null });
  });

  test("credits that a dead worker held are had again before anything is put off", async () => {
    const account = await bank.account({ total: 100, left: 100 });
    await account.hold(95);
    account.clock.move(hour);
    const { queue, refreshes } = openQueue(account);
    expect(await queue.run({ cost: () => 10, class: "daily" }, good(account, 10))).toBe(10);
    expect(refreshes()).toBe(0);
    expect(await account.state()).toMatchObject({ remaining: 90, ...nothingHeld });
  });

  test("a call whose reply could not be recorded keeps its hold, and counts against the limit", async () => {
    const account = await bank.account({ total: 100, left: 50 });
    const { queue, held, fail: failCall, untilSent, runLimit } = openQueue(account, { limit: 100 });
    const running = queue.run({ cost: () => 10, class: "daily" }, held("lost"));
    await untilSent("lost");
    failCall("lost", Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
    await expect(running).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(await account.state()).toMatchObject({ remaining: 50, held: 10, inFlight: 1 });
    expect(runLimit.left()).toBe(90);
  });

  test("a question that fails fails its call, holds nothing, and is put again by the next call", async () => {
    const account = await bank.account({ total: 100, left: 5 });
    const refresh = () => Promise.reject(fail("unauthorised"));
    const { queue, held, refreshes, runLimit } = openQueue(account, { limit: 100, refresh });
    const ask = () =>
      expect(queue.run({ cost: () => 10, class: "daily" }, held("never"))).rejects.toMatchObject({
        code: "unauthorised",
      });
    await ask();
    await ask();
    expect(refreshes()).toBe(2);
    expect(runLimit.left()).toBe(100);
    expect(await account.state()).toMatchObject(nothingHeld);
  });
});
