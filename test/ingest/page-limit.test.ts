import { expect, test } from "vitest";
import { draft } from "../support/slice-draft.ts";
import { ledgerForTests } from "../support/ledger-stage.ts";
import type { SliceDraft } from "../../src/core/slice.ts";
import { pageLimitOf } from "../../src/ingest/page-limit.ts";

const ledger = ledgerForTests();

/** The most pages of an answer of which none is known, at a price by the documentation and one that is learned later. */
async function limitOf(change: Partial<SliceDraft>, documented: number, learned: number) {
  const { stage, worker } = ledger;
  const [id = ""] = await stage.insert(await stage.run(), draft(change));
  const slice = await stage.claimed(id, worker);
  const prices = new Map<string, number>();
  const limit = await pageLimitOf({ db: stage.db, learned: prices }, slice, documented);
  prices.set(slice.operation, learned);
  return limit();
}

test.each([
  ["at the price of the plan", { requests: 1, credits: 5 }, 5, 5, 100],
  ["at a price that rose while pages are read: no more credits than agreed to", { requests: 1, credits: 5 }, 5, 10, 50],
  ["at a higher price that was planned already", { requests: 2, credits: 20 }, 5, 10, 100],
  ["at a price that rose above the planned one", { requests: 2, credits: 20 }, 5, 40, 25],
  ["at a planned price below that of the documentation", { requests: 1, credits: 1 }, 5, 5, 100],
  ["at a lower price: no more pages", { requests: 1, credits: 5 }, 5, 1, 100],
  ["where nothing was planned to be charged", { requests: 1, credits: 0 }, 0, 1, 100],
] as const)("the most pages of an answer %s", async (_, plan, documented, learned, most) => {
  expect(await limitOf(plan, documented, learned)).toBe(most);
});

test("pages that the configuration sets hold at any price", async () => {
  const scope = { ...draft().scope, most_pages: "3" };
  expect(await limitOf({ scope }, 5, 500)).toBe(Number.POSITIVE_INFINITY);
});
