import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { Pool } from "undici";
import { creditHeaders } from "../../src/api/credit-headers.ts";
import { systemClock } from "../../src/core/clock.ts";
import { DeferError } from "../../src/core/errors.ts";
import { creditClasses } from "../../src/core/slice.ts";
import { observeBalance, openAccount } from "../../src/credits/account.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { createCreditQueue } from "../../src/credits/queue.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { noHolders, settlingQueue } from "./credits-account.ts";
import type { Spender } from "./credits-spenders.ts";

/**
 * A program for child processes: spends the credits of a shared account until none of its calls is granted any more, then reports
 * how many it booked. It starts when it is sent a message, and says so when it is ready for that.
 */
const spender = JSON.parse(process.argv[2] ?? "{}") as Spender;
const { accountId, concurrency, floors, token } = spender;
const clock = systemClock();
const pace = 100_000;

await using opened = new AsyncDisposableStack();
const { db } = opened.use(await openWarehouse(spender.databaseUrl, concurrency + 2));
const http = opened.adopt(new Pool(spender.apiUrl), (pool) => pool.destroy());
await openAccount(db, accountId, pace, clock);
const unsettled = createCreditQueue({
  db,
  accountId,
  clock,
  concurrency,
  pace,
  holders: noHolders,
  retriesADay: 500,
  floors,
  runLimit: createRunLimit(null),
  budgets: spender.budgets ?? [],
  refresh,
});
const queue = settlingQueue(unsettled, { db, accountId, clock, pace });
let booked = 0;
const go = once(process, "message");
process.send?.("ready");
await go;
await Promise.all(Array.from({ length: concurrency }, (_, slot) => spend(slot)));
process.send?.({ booked });
process.disconnect();

/** Requests one thing after the other, in every class, until the class that may go furthest is refused the cheapest. */
async function spend(slot: number): Promise<void> {
  for (let turn = slot; ; turn += 1) {
    const { path, cost } = spender.calls[turn % spender.calls.length] ?? { path: "/", cost: 0 };
    const creditClass = creditClasses[turn % creditClasses.length] ?? "daily";
    const cheapest = Math.min(...spender.calls.map((call) => call.cost));
    try {
      const charged = await queue.run({ cost: () => cost, class: creditClass }, () => ask(path));
      booked += charged;
    } catch (error) {
      if (!(error instanceof DeferError)) throw error;
      if (creditClass === "snapshot" && cost === cheapest) return;
    }
  }
}

async function ask(path: string) {
  const { status, credits } = await get(path);
  // answers come back in another order than they were sent
  await wait((booked * 7919) % 11);
  const charged = status === 200 ? credits.cost : null;
  const receipt = { charged, remaining: credits.remaining, resetsAt: credits.resetsAt, tooFast: false, lost: false };
  return { result: charged ?? 0, receipt };
}

async function refresh(): Promise<void> {
  const sentAt = clock.now();
  const { body } = await get("/api-key");
  const { data } = JSON.parse(body) as {
    data: { creditTotal: number; creditRemaining: number; creditResetTime: number };
  };
  await observeBalance(
    db,
    accountId,
    {
      total: data.creditTotal,
      remaining: data.creditRemaining,
      resetsAt: clock.now() + data.creditResetTime * 1000,
      periodHours: 24,
      sentAt,
    },
    clock,
  );
}

async function get(path: string) {
  const reply = await http.request({ path: `${path}${path.includes("?") ? "&" : "?"}token=${token}`, method: "GET" });
  const body = await reply.body.text();
  if (reply.statusCode !== 200 && reply.statusCode !== 429)
    throw new Error(`${path} was answered with ${reply.statusCode}: ${body}`);
  return { status: reply.statusCode, body, credits: creditHeaders(reply.headers, clock.now()) };
}
