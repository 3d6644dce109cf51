import { expect, test } from "vitest";
import type { CreditClass } from "../../src/core/slice.ts";
import type { DueTry } from "../../src/ledger/failed-retries.ts";
import { affordableTries } from "../../src/ledger/retry-limits.ts";

const due = (
  sliceId: string,
  credits: number,
  { planId = null, of = "daily" }: { planId?: string | null; of?: CreditClass } = {},
): DueTry => ({
  sliceId,
  credits,
  planId,
  dataset: "keyword_rank",
  class: of,
  app: "",
  slices: 1,
  requests: 1,
});
const ids = (tries: readonly DueTry[]) => tries.map(({ sliceId }) => sliceId);
const chosen = (
  ofDay: number,
  tries: readonly DueTry[],
  {
    plans = {},
    credits = Number.POSITIVE_INFINITY,
    isOff = false,
  }: { plans?: Record<string, number>; credits?: number; isOff?: boolean } = {},
) => {
  const paid = affordableTries(tries, { credits, ofDay, isOff, plans: new Map(Object.entries(plans)) });
  return { now: ids(paid.tries), nextDay: ids(paid.ofNextDay) };
};

test("failed slices are requested again in their turn as far as the credits of the day go, and the others on the next day", () => {
  expect(chosen(6, [due("1", 3), due("2", 3), due("3", 3)])).toEqual({ now: ["1", "2"], nextDay: ["3"] });
  expect(chosen(0, [due("1", 3)])).toEqual({ now: [], nextDay: ["1"] });
});

test("one that is too dear does not stand in the way of cheaper ones", () => {
  expect(chosen(6, [due("1", 10), due("2", 3)])).toEqual({ now: ["2"], nextDay: ["1"] });
});

test("snapshots, which are lost with the day, are counted by its limit and never refused by it", () => {
  const tries = [due("1", 3, { of: "snapshot" }), due("2", 3, { of: "snapshot" }), due("3", 1)];
  expect(chosen(4, tries)).toEqual({ now: ["1", "2"], nextDay: ["3"] });
  expect(chosen(-20, tries)).toEqual({ now: ["1", "2"], nextDay: ["3"] });
  expect(chosen(0, tries, { isOff: true })).toEqual({ now: [], nextDay: ["1", "2", "3"] });
});

test("the limit that a person set for a sync holds for snapshots as well, and puts nothing off", () => {
  const tries = [due("1", 3, { of: "snapshot" }), due("2", 3, { of: "snapshot" }), due("3", 3)];
  expect(chosen(100, tries, { credits: 5 })).toEqual({ now: ["1"], nextDay: [] });
});

test("a slice of a plan is requested again only within what is left of the price of its plan", () => {
  const tries = [due("1", 3, { planId: "7" }), due("2", 3, { planId: "7" }), due("3", 3, { planId: "8" }), due("4", 3)];
  expect(chosen(100, tries, { plans: { "7": 5 } })).toEqual({ now: ["1", "4"], nextDay: [] });
});
