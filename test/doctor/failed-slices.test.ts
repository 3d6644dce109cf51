import { expect, test } from "vitest";
import { checkFailedSlices } from "../../src/doctor/ledger-checks.ts";
import { august, draft, openLedgerStage } from "../support/ledger-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openLedgerStage);

test("failed slices of another account are named as its own, with the command that requests them", async () => {
  await stage.reset();
  const worker = await stage.alive();
  const found = (account: string) => checkFailedSlices(stage.db, { switchedOff: [], account });
  const [own, other] = [await stage.run(), await stage.run()];
  await stage.pool.query("update ops.run set account = 'acme' where run_id = $1", [other]);
  await stage.inState(other, "failed", worker, draft());
  await stage.pool.query("update ops.slice set error_code = 'server_error'");
  const show = "`storehouse failures` shows the errors; ";
  expect(await found("")).toMatchObject({
    found: "1 of keyword_rank (server_error, account acme)",
    next: `${show}\`STOREHOUSE_ACCOUNT=acme storehouse retry\` (account acme) requests them now`,
  });
  expect(await found("acme")).toMatchObject({
    found: "1 of keyword_rank (server_error)",
    next: `${show}\`storehouse retry\` requests them now`,
  });
  await stage.inState(own, "failed", worker, draft({ window: august(1) }));
  await stage.pool.query("update ops.slice set error_code = 'server_error'");
  expect(await found("acme")).toMatchObject({
    found: "1 of keyword_rank (server_error, the account of API_TOKEN), 1 of keyword_rank (server_error)",
    next: `${show}\`storehouse retry\` without STOREHOUSE_ACCOUNT (the account of API_TOKEN) and \`storehouse retry\` request them now`,
  });
});
