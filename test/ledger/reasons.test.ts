import { expect, test } from "vitest";
import { oneDay } from "../../src/core/window.ts";
import { readReasons } from "../../src/ledger/reasons.ts";
import { draft, ledgerForTests, today } from "../support/ledger-stage.ts";
import { sql } from "../../src/postgres/sql.ts";

const ledger = ledgerForTests();

test("slices that are pending or running have no error of an earlier attempt as a reason, and others have theirs", async () => {
  const { db, inState, run } = ledger.stage;
  const of = (app: string) => draft({ dataset: "chart", scope: { store: "ios", app }, window: oneDay(today) });
  await inState(await run(), "pending", ledger.worker, of("1"));
  await inState(await run(), "running", ledger.worker, of("2"));
  await inState(await run(), "failed", ledger.worker, of("3"));
  await sql`update ops.slice set error_code = 'server_error', error_message = 'run \`storehouse retry\`'`.execute(db);
  const groups = ["1", "2", "3"].map(
    (trackId) => ({ dataset: "chart", store: "ios", trackId, country: null }) as const,
  );
  expect(await readReasons(db, { groups, window: oneDay(today) })).toMatchObject([
    { state: "failed", code: "server_error", message: "run `storehouse retry`", slices: 1 },
    { state: "pending", code: null, message: null, slices: 1 },
    { state: "running", code: null, message: null, slices: 1 },
  ]);
});
