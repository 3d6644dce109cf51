import { expect, test } from "vitest";
import { recordStop } from "../../src/credits/account-stop.ts";
import { endAttempt } from "../../src/ledger/slices.ts";
import { readWaitingElsewhere, takeWaiting } from "../../src/ledger/waiting-elsewhere.ts";
import { draft, ending, now, openLedgerStage } from "../support/ledger-stage.ts";

const intervals = { firstMs: 60_000, longestMs: 3_600_000 };
const balanceCheck = "account.remaining-credits";
const refusal = { code: "forbidden", dataset: "search_ads_report", message: "" };

test("a right is missing for an operation or for an organisation, until its token is replaced", async () => {
  await using stage = await openLedgerStage();
  const { db, pool } = stage;
  const acme = await stage.run({ account: "acme", kind: "schedule" });
  await pool.query(
    `insert into ops.account (account) values ('acme') on conflict do nothing;
     insert into ops.worker (kind, host, pid, started_at, heartbeat_at, account) values ('worker', 'there', 1, now(), now(), 'acme');
     insert into ops.credit_account (account_id, account, pace_per_second, next_start_at) values ('a1', 'acme', 1, now()), ('a2', 'acme', 1, now())`,
  );
  const report = (org: string) =>
    draft({ operation: "search_ads", dataset: "search_ads_report", scope: { org_id: org } });
  const ofApp = (app: string) => draft({ operation: "app", dataset: "app_rating", scope: { store: "ios", app } });
  const names = ["org 7", "org 8", "app 1", "app 2"];
  const ids = await stage.insert(acme, report("7"), report("8"), ofApp("1"), ofApp("2"));
  const taken = async () => {
    const datasets = ["search_ads_report", "app_rating"];
    const waiting = await readWaitingElsewhere(db, { account: "", datasets, balanceCheck, now });
    return waiting.map(({ sliceId }) => names[ids.indexOf(sliceId)]).sort();
  };
  expect(await taken()).toEqual([]);
  // of a command, which is for no dataset either
  await recordStop(db, "a1", { ...refusal, dataset: "", operation: "find" }, intervals);
  expect(await taken()).toEqual([]);
  await recordStop(db, "a1", { ...refusal, operation: "search_ads", subject: "7" }, intervals);
  expect(await taken()).toEqual(["org 7"]);
  await recordStop(db, "a1", { ...refusal, operation: "app", subject: "1" }, intervals);
  expect(await taken()).toEqual(["app 1", "app 2", "org 7"]);
  await recordStop(db, "a1", { ...refusal, dataset: "", operation: balanceCheck }, intervals);
  expect(await taken()).toEqual(["app 1", "app 2", "org 7", "org 8"]);
  await pool.query("update ops.credit_account set observed_at = now() + interval '1 minute' where account_id = 'a2'");
  expect(await taken()).toEqual([]);
});

test("a slice that another account takes over keeps its error, unless the API refused the former account", async () => {
  await using stage = await openLedgerStage();
  const worker = await stage.alive();
  const refusals = ["redirected", "unauthorised", "forbidden"];
  const codes = [...refusals, "server_error"];
  const drafts = codes.map((code) => draft({ scope: { store: "ios", app: code } }));
  const ids = await stage.insert(await stage.run({ account: "acme" }), ...drafts);
  for (const [place, id] of ids.entries()) {
    const error = { code: codes[place] ?? "", message: "why" };
    await endAttempt(stage.db, await stage.claimed(id, worker), { ...ending, state: "pending", error }, now);
  }
  expect(await takeWaiting(stage.db, await stage.run(), ids)).toBe(ids.length);
  expect(await stage.slices("error_code, error_message")).toEqual([
    ...refusals.map(() => ({ error_code: null, error_message: null })),
    { error_code: "server_error", error_message: "why" },
  ]);
});
