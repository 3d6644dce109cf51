import { must } from "../support/must.ts";
import { sql } from "../../src/postgres/sql.ts";
import { expect, test } from "vitest";
import { releaseLapsedHolds, type Holders } from "../../src/credits/lapsed-holds.ts";
import { reserveMany } from "../../src/credits/holds.ts";
import { openRun } from "../../src/ledger/runs.ts";
import { insertSlices } from "../../src/ledger/slices.ts";
import { august, draft, today } from "../support/slice-draft.ts";
import { creditRequest, heldByRows, openBank, type TestAccount } from "../support/credits-account.ts";
import { openQueue } from "../support/credits-queue.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);

const [mine, living, dead] = ["1", "2", "3"];
/** Holders among whom only one other lives; of itself a process need not ask. */
const holders: Holders = { workerId: mine, isAlive: (workerId) => sql<boolean>`${workerId} = ${living}::bigint` };
const nothingHeld = { held: 0, inFlight: 0 };

const holdBy = async ({ accountId, clock }: TestAccount, workerId: string, cost: number) =>
  must((await reserveMany(bank.db, [creditRequest({ accountId, workerId, cost })], clock))[0]);
const release = ({ accountId, clock }: TestAccount) => releaseLapsedHolds(bank.db, { accountId, holders }, clock);

test("the holds of a dead worker are released at once and count as charged until the service reports a balance", async () => {
  const account = await bank.account();
  await holdBy(account, dead, 30);
  await holdBy(account, dead, 20);
  await release(account);
  await release(account);
  expect(await account.state()).toMatchObject({ remaining: 50, ...nothingHeld });
  expect(await heldByRows(account)).toEqual(nothingHeld);
  await account.observe({ left: 70 });
  expect(await account.state()).toMatchObject({ remaining: 70 });
});

test("a balance that was requested before the release reports too much", async () => {
  const account = await bank.account();
  await holdBy(account, dead, 30);
  const sentAt = account.clock.now();
  account.clock.move(10);
  await release(account);
  await account.observe({ left: 100, sentAt });
  expect(await account.state()).toMatchObject({ remaining: 70 });
});

test("what living workers and this one hold stays held", async () => {
  const account = await bank.account();
  await holdBy(account, living, 30);
  await holdBy(account, mine, 20);
  await account.hold(5);
  await release(account);
  expect(await account.state()).toMatchObject({ remaining: 100, held: 55, inFlight: 3 });
});

test("a process whose lease expired and that answers after all books what it learns once", async () => {
  const account = await bank.account();
  const grant = await holdBy(account, dead, 30);
  await release(account);
  await account.settle(grant, account.answer(30, { left: 70 }));
  expect(await account.state()).toMatchObject({ remaining: 70, ...nothingHeld });
});

test("credits that a dead worker held are had again before anything is put off to the reset", async () => {
  const account = await bank.account();
  const { queue, refreshes } = openQueue(account, { holders, refresh: () => account.observe({ left: 100 }) });
  const good = async () => ({ result: "good", receipt: account.answer(10) });
  const call = { cost: () => 10, class: "daily" } as const;
  await queue.run(call, good);
  await holdBy(account, dead, 85);
  account.clock.move(1);
  expect(await queue.run(call, good)).toBe("good");
  expect(refreshes()).toBe(1);
  expect(await account.state()).toMatchObject({ remaining: 90, ...nothingHeld });
});

test("a process whose lease expired is granted nothing any more", async () => {
  const account = await bank.account();
  const { accountId, clock } = account;
  const { rows } = await sql<{ worker_id: string }>`
    insert into ops.worker (kind, host, pid, started_at, heartbeat_at, stopped_at) values ('worker', 'here', 1, now(), now(), now()) returning worker_id`.execute(
    bank.db,
  );
  const gone = rows[0]?.worker_id ?? "";
  expect((await reserveMany(bank.db, [creditRequest({ accountId, workerId: gone })], clock))[0]).toBeUndefined();
  expect(await account.state()).toMatchObject({ remaining: 100, ...nothingHeld });
});

test("a call of a dead worker for a slice is recorded as one without a reply, unless its end is on record already", async () => {
  const account = await bank.account();
  const { accountId, clock } = account;
  const start = { kind: "sync", workerId: null, account: "", asOf: today, datasets: [], maxCredits: null } as const;
  const run = await openRun(bank.db, start, clock.now());
  const slices = await insertSlices(bank.db, run, [draft(), draft({ window: august(18) })], clock.now());
  for (const sliceId of slices)
    await reserveMany(bank.db, [creditRequest({ accountId, workerId: dead, cost: 10, sliceId })], clock);
  clock.move(10);
  await sql`
    insert into ops.request (account_id, slice_id, attempt, page, class, operation, params, error_code, cost, duration_ms, byte_count, worker_id, received_at)
    values (${accountId}, ${slices[0]}, 1, 0, 'daily', 'any', '{}', 'timeout', 0, 10, 0, ${dead}, ${new Date(clock.now())})`.execute(
    bank.db,
  );
  await release(account);
  const { rows } = await sql`
    select slice_id, error_code from ops.request where account_id = ${accountId} order by request_id`.execute(bank.db);
  expect(rows).toEqual([
    { slice_id: slices[0], error_code: "timeout" },
    { slice_id: slices[1], error_code: "process_died" },
  ]);
});
