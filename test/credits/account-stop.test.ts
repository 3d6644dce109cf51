import { expect, test } from "vitest";
import {
  claimBalanceCheck,
  isStopped,
  liftStop,
  readStop,
  recordStop,
  stoppingOperations,
} from "../../src/credits/account-stop.ts";
import { sql } from "../../src/postgres/sql.ts";
import { openBank } from "../support/credits-account.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);

const refusal = { code: "forbidden", operation: "ios.keyword-ranking", dataset: "keyword_rank", message: "refused" };
const intervals = { firstMs: 0, longestMs: 0 };
const checksOf = async (accountId: string) =>
  (
    await sql<{ checks: number }>`
    select check_count as checks from ops.account_stop where account_id = ${accountId}`.execute(bank.db)
  ).rows[0]?.checks;

test("a refusal that comes back soon after a check lifted it is the same one, and one after hours is new", async () => {
  const accountId = "refused";
  const record = () => recordStop(bank.db, accountId, refusal, intervals);
  expect([await record(), await record()]).toEqual([true, false]);
  expect(await claimBalanceCheck(bank.db, accountId, intervals)).toBe(true);
  await liftStop(bank.db, accountId);
  expect(await readStop(bank.db, accountId)).toBeNull();
  expect([await record(), await checksOf(accountId)]).toEqual([false, 1]);
  await liftStop(bank.db, accountId);
  await sql`update ops.account_stop set lifted_at = lifted_at - interval '3 hours'`.execute(bank.db);
  expect([await record(), await checksOf(accountId)]).toEqual([true, 0]);
});

test("operations that are refused meanwhile share the checks of the account, and a stop says why it stands now", async () => {
  const accountId = "refused in several";
  const hourly = { firstMs: 3_600_000, longestMs: 3_600_000 };
  await recordStop(bank.db, accountId, refusal, intervals);
  await recordStop(bank.db, accountId, { ...refusal, operation: "ios.app-simple" }, hourly);
  expect([
    await claimBalanceCheck(bank.db, accountId, hourly),
    await claimBalanceCheck(bank.db, accountId, hourly),
  ]).toEqual([true, false]);
  const { rows } = await sql`
    select operation, check_count as checks from ops.account_stop where account_id = ${accountId} order by 1`.execute(
    bank.db,
  );
  expect(rows).toEqual([
    { operation: "ios.app-simple", checks: 1 },
    { operation: "ios.keyword-ranking", checks: 1 },
  ]);
  await recordStop(bank.db, accountId, { ...refusal, code: "unauthorized" }, hourly);
  expect(await readStop(bank.db, accountId)).toMatchObject({ code: "unauthorized", operation: refusal.operation });
});

test("a stop has stood since its first refusal, also where tries were refused again in the meantime", async () => {
  const accountId = "refused for long";
  const ago = (column: string, hours: number) =>
    sql`update ops.account_stop set ${sql.ref(column)} = clock_timestamp() - ${hours} * interval '1 hour' where account_id = ${accountId}`.execute(
      bank.db,
    );
  const hours = async () => {
    const since = (await readStop(bank.db, accountId))?.since;
    return Math.round((Date.now() - (since?.getTime() ?? 0)) / 3_600_000);
  };
  await recordStop(bank.db, accountId, refusal, intervals);
  await ago("first_stopped_at", 5);
  await liftStop(bank.db, accountId);
  await recordStop(bank.db, accountId, refusal, intervals);
  expect(await hours()).toBe(5);
  // a balance check that is refused too
  await ago("stopped_at", 1);
  await recordStop(bank.db, accountId, { ...refusal, operation: "account.remaining-credits", dataset: "" }, intervals);
  expect(await readStop(bank.db, accountId)).toMatchObject({ operation: "account.remaining-credits" });
  expect(await hours()).toBe(1);
  await liftStop(bank.db, accountId);
  await ago("lifted_at", 3);
  await recordStop(bank.db, accountId, refusal, intervals);
  expect(await hours()).toBe(0);
});

test("a stop is of one account: others have none, and neither check nor lift it", async () => {
  const [refused, other] = ["refused alone", "never refused"];
  await recordStop(bank.db, refused, refusal, intervals);
  const found = async (accountId: string) => ({
    isStopped: (await sql<{ is: boolean }>`select ${isStopped(accountId)} as is`.execute(bank.db)).rows[0]?.is,
    operation: (await readStop(bank.db, accountId))?.operation,
    operations: await stoppingOperations(bank.db, accountId),
  });
  const none = { isStopped: false, operation: undefined, operations: [] };
  expect([await found(other), await claimBalanceCheck(bank.db, other, intervals)]).toEqual([none, false]);
  await liftStop(bank.db, other);
  const stopped = { isStopped: true, operation: refusal.operation, operations: [refusal.operation] };
  expect(await found(refused)).toEqual(stopped);
  expect(await recordStop(bank.db, other, refusal, intervals)).toBe(true);
  await liftStop(bank.db, other);
  expect([await found(other), await found(refused)]).toEqual([none, stopped]);
});
