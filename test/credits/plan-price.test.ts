import { expect, test } from "vitest";
import { fail } from "../../src/core/errors.ts";
import { keepPlan } from "../../src/ledger/plans.ts";
import { leftOfPlan } from "../../src/credits/plan-price.ts";
import { openBank } from "../support/credits-account.ts";
import { openQueue } from "../support/credits-queue.ts";
import { planAt } from "../support/slice-draft.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);

/** A plan at a price, and two queues of processes that make calls of three credits for it. */
async function openPlan(credits: number) {
  const account = await bank.account();
  const planId = await keepPlan(bank.db, planAt(credits), 0);
  const call = { cost: () => 3, class: "history", planId } as const;
  return { account, planId, call, queues: [openQueue(account), openQueue(account)] as const };
}

test("calls of all processes share the price of a plan: what is under way counts, and what it does not pay for is not sent", async () => {
  const { account, planId, call, queues } = await openPlan(10);
  const [one, other] = queues;
  const runs = [
    one.queue.run(call, one.held("a")),
    one.queue.run(call, one.held("b")),
    other.queue.run(call, other.held("c")),
  ];
  await Promise.all([one.untilSent("a"), one.untilSent("b"), other.untilSent("c")]);
  expect(await leftOfPlan(bank.db, planId)).toBe(1);
  await expect(other.queue.run(call, other.held("d"))).rejects.toMatchObject({
    code: "plan_spent",
    context: { plan: planId, cost: 3, left: 1 },
  });
  expect(other.sent).toEqual(["c"]);
  for (const name of ["a", "b"]) one.end(name, account.answer(3));
  other.end("c", account.answer(1));
  await Promise.all(runs);
  expect(await leftOfPlan(bank.db, planId)).toBe(3);
});

test("a call without an answer stays taken, one that was never sent or was refused does not", async () => {
  const { account, planId, call, queues } = await openPlan(10);
  const [{ queue, held, end }] = queues;
  const lost = queue.run(call, () => Promise.reject(fail("cut_connection")));
  await expect(lost).rejects.toMatchObject({ code: "cut_connection" });
  expect(await leftOfPlan(bank.db, planId)).toBe(7);
  const unsent = queue.run(call, () => Promise.reject(fail("no_connection")));
  await expect(unsent).rejects.toMatchObject({ code: "no_connection" });
  const refused = queue.run(call, held("refused"));
  end("refused", { ...account.answer(0), charged: null });
  await refused;
  expect(await leftOfPlan(bank.db, planId)).toBe(7);
});

test("calls of no plan take from none", async () => {
  const { account, planId, call, queues } = await openPlan(2);
  const [{ queue, held, end }] = queues;
  const run = queue.run({ ...call, planId: null }, held("any"));
  end("any", account.answer(3));
  await run;
  expect(await leftOfPlan(bank.db, planId)).toBe(2);
});
