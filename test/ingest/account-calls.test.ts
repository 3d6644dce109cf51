import { expect, test } from "vitest";
import { remainingCredits } from "../../src/api/operations/account.ts";
import { dailyKeywordRankings, dashboardApps } from "../../src/api/operations/dashboard.ts";
import { operationById } from "../../src/api/operations/all.ts";
import { questionOf } from "../../src/api/question.ts";
import { questionIn } from "../../src/ingest/account-calls.ts";

test.each([dashboardApps, dailyKeywordRankings, remainingCredits])(
  "an answer to $id is of one account, and no other is given it",
  (operation) => {
    const of = (account: string) => questionIn(account, operation, {});
    expect(new Set(["", "acme", "globex"].map(of)).size).toBe(3);
    // as in a warehouse with one account
    expect(of("")).toBe(questionOf(operation, {}));
  },
);

test("facts are the same for all", () => {
  const ranks = operationById("ios.keyword-ranking");
  expect(questionIn("acme", ranks, { country: "US" })).toBe(questionIn("", ranks, { country: "US" }));
});
