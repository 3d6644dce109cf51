import { afterEach, beforeEach, expect, test } from "vitest";
import { openIngest, type Ingest } from "../../src/open-ingest.ts";
import { observeBalance, readAccount } from "../../src/credits/account.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { reserveMany, type CallReceipt } from "../../src/credits/holds.ts";
import type { Landing } from "../../src/raw/store-answers.ts";
import { creditRequest } from "../support/credits-account.ts";
import { openStage, type Stage } from "../support/ingest-stage.ts";

let opened: AsyncDisposableStack;
let stage: Stage;
let ingest: Ingest;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  stage = opened.use(await openStage());
  const app = opened.use(await stage.open());
  ingest = opened.use(await openIngest(app, "foreground", createRunLimit(null)));
  const { db, accountId, clock } = ingest.parts;
  await observeBalance(db, accountId, { total: 100, remaining: 100, resetsAt: null, periodHours: 24 }, clock);
});
afterEach(() => opened[Symbol.asyncDispose]());

/** A reply that says what it cost and not what is left: what it is booked as shows in the balance. */
const receipt: CallReceipt = { charged: 3, remaining: null, resetsAt: null, tooFast: false, lost: false };

/** Holds of calls of three credits each. */
async function hold(count: number): Promise<readonly string[]> {
  const { db, accountId, workerId, clock } = ingest.parts;
  const requests = Array.from({ length: count }, () => creditRequest({ accountId, workerId, cost: 3 }));
  const grants = await reserveMany(db, requests, clock);
  return grants.map(({ holdId }) => holdId);
}

function landingOf(page: number): Landing {
  const { accountId, workerId, clock } = ingest.parts;
  const call = {
    sliceId: "1",
    runId: "1",
    attempt: 1,
    page,
    dataset: "keyword_rank",
    class: "daily",
    operation: "o",
    scope: { store: "ios", app: "1", country: "US" },
    params: {},
  };
  const reply = { status: 200, errorCode: null, cost: 3, remaining: null, durationMs: 1, byteCount: 2 };
  return { accountId, workerId, ...call, ...reply, receivedAt: clock.now(), body: Buffer.from("[]") };
}

async function books() {
  const account = await readAccount(ingest.parts.db, ingest.parts.accountId);
  const [stored] = await stage.query(`
    select (select count(*)::int from ops.request where slice_id = 1) as requests, (select count(*)::int from raw.answer) as answers,
           (select count(*)::int from ops.credit_hold) as holds`);
  return { ...stored, remaining: account?.remaining, held: account?.held, inFlight: account?.inFlight };
}

test("an answer is stored and its hold is settled in one transaction, of calls together", async () => {
  const holds = await hold(2);
  const alike = { ...receipt, remaining: 94, resetsAt: ingest.parts.clock.now() + 3_600_000 };
  const calls = holds.map((holdId, page) => ({ landing: landingOf(page), settlement: { holdId, receipt: alike } }));
  await Promise.all(calls.map((call) => ingest.parts.batched.land(call)));
  expect(await books()).toEqual({ requests: 2, answers: 2, holds: 0, remaining: 94, held: 0, inFlight: 0 });
  const [written] = await stage.query(`
    select count(distinct xmin::text)::int as transactions
    from  (select xmin from ops.request where slice_id = 1 union all select xmin from raw.answer union all select xmin from ops.credit_account) as all_rows`);
  expect(written).toEqual({ transactions: 1 });
});

test("a repeat of what was committed books nothing again, and one of what was not is booked", async () => {
  const [holdId = ""] = await hold(1);
  const landing = landingOf(0);
  const settlement = { holdId, receipt };
  const { land } = ingest.parts.batched;
  await land({ landing: { ...landing, isRepeat: true }, settlement });
  const once = { requests: 1, answers: 1, holds: 0, remaining: 97, held: 0, inFlight: 0 };
  expect(await books()).toEqual(once);
  await land({ landing: { ...landing, isRepeat: true }, settlement });
  expect(await books()).toEqual(once);
});
