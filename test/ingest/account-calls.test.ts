import { expect, test } from "vitest";
import { withDefaultDays } from "../../src/api/default-days.ts";
import { remainingCredits } from "../../src/api/operations/account.ts";
import { dailyKeywordRankings, dashboardApps } from "../../src/api/operations/dashboard.ts";
import { operationById } from "../../src/api/operations/all.ts";
import { callHashOf } from "../../src/api/call-hash.ts";
import { callHashIn } from "../../src/ingest/account-calls.ts";
import { dayOf } from "../../src/core/day.ts";

const at = Date.parse("2026-08-20T02:00:00Z");

test.each([dashboardApps, dailyKeywordRankings, remainingCredits])(
  "an answer to $id is of one account, and no other is given it",
  (operation) => {
    const of = (account: string) => callHashIn(account, { operation, params: {} }, at);
    expect(new Set(["", "acme", "globex"].map(of)).size).toBe(3);
    // as in a warehouse with one account
    expect(of("")).toBe(callHashOf(operation, withDefaultDays(operation, {}, dayOf(at))));
  },
);

test("facts are the same for all", () => {
  const ranks = operationById("ios.keyword-ranking");
  const call = { operation: ranks, params: { country: "US" } };
  expect(callHashIn("acme", call, at)).toBe(callHashIn("", call, at));
});

test("a report of search ads is of one account unless it names organisations", () => {
  const of = (account: string, params: Readonly<Record<string, unknown>>) =>
    callHashIn(account, { operation: operationById("search-ads.reports"), params }, at);
  const whole = { reportType: "SUMMARY", reportLevel: "ACCOUNT" };
  for (const params of [whole, { ...whole, orgIds: null }]) expect(of("acme", params)).not.toBe(of("", params));
  expect(of("acme", { ...whole, orgIds: [7] })).toBe(of("", { ...whole, orgIds: [7] }));
});
