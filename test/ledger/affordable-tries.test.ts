import { expect, test } from "vitest";
import { affordableTries, type DueTry } from "../../src/ledger/failed-retries.ts";

const due = (sliceId: string, credits: number, planId: string | null = null): DueTry => ({
  sliceId,
  credits,
  planId,
  dataset: "keyword_rank",
  class: "daily",
  app: "",
  slices: 1,
  requests: 1,
});
const chosen = (credits: number, tries: readonly DueTry[], plans: Record<string, number> = {}) =>
  affordableTries(tries, { credits, plans: new Map(Object.entries(plans)) }).map(({ sliceId }) => sliceId);

test("failed slices are requested again in their turn as far as the credits of the day go", () => {
  expect(chosen(6, [due("1", 3), due("2", 3), due("3", 3)])).toEqual(["1", "2"]);
  expect(chosen(0, [due("1", 3)])).toEqual([]);
});

test("one that is too dear does not stand in the way of cheaper ones", () => {
  expect(chosen(6, [due("1", 10), due("2", 3)])).toEqual(["2"]);
});

test("a slice of a plan is requested again only within what is left of the price of its plan", () => {
  const tries = [due("1", 3, "7"), due("2", 3, "7"), due("3", 3, "8"), due("4", 3)];
  expect(chosen(100, tries, { "7": 5 })).toEqual(["1", "4"]);
});
