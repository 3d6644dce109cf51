import { expect, test } from "vitest";
import { wasRequestedBefore } from "../../src/ledger/held-answers.ts";
import { now, openLedgerStage } from "../support/ledger-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openLedgerStage);
const operation = "dashboard.delete-keywords";
const params = { trackId: "1", countryCode: "US" };
const before = (account: string) => wasRequestedBefore(stage.db, { operation, params, account, at: now });

test("a list was cut down on request if a person or a caller of the gateway did that in the same account", async () => {
  await stage.pool.query(`
    insert into ops.credit_account (account_id, account, pace_per_second, next_start_at)
    values ('first', '', 1, now()), ('of acme', 'acme', 1, now())`);
  const request = (accountId: string, creditClass: string) =>
    stage.pool.query(
      `insert into ops.request (account_id, attempt, page, class, operation, params, status, cost, duration_ms, byte_count, received_at)
       values ($1, 1, 0, $2, $3, '{"trackId": 1, "countryCode": "US"}', 200, 0, 1, 1, $4)`,
      [accountId, creditClass, operation, new Date(now - 1_000)],
    );
  await request("of acme", "person");
  expect([await before(""), await before("acme")]).toEqual([false, true]);
  await request("first", "daily");
  expect(await before("")).toBe(true);
});
