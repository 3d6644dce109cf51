import { expect, test } from "vitest";
import { type BatchPrices, searchDays } from "../../../src/plan/cover/day-search.ts";

const prices: BatchPrices = { day: 3, window: 5, windowDays: 14 };

/** A line an item, a sign a day: 1 where the day is missing. The first sweep over these days ends one credit above the last. */
const rows = [
  "100100001000100000100001000000010100100001001011000001111111100",
  "100111100100110100010010011000110101010010000010100010001010100",
  "100000100010010000011101000011001100001010100001011010001000001",
  "011001011001001001000000000001100001000011000010000000000000101",
  "000100010000100010000001010000011000000010000000001000001000101",
  "000101000011001000101100000111001000000000110100101111001000100",
  "011010010001000000011000000001000000000100100000000101100001010",
].map((line) => Uint8Array.from(line, Number));

/** What the days cost, and windows for what they leave. */
function costOf(days: Uint8Array): number {
  let cost = days.reduce((sum, bought) => sum + bought * prices.day, 0);
  for (const row of rows)
    for (let day = 0; day < row.length; day += 1)
      if (row[day] === 1 && days[day] !== 1) {
        cost += prices.window;
        day += prices.windowDays - 1;
      }
  return cost;
}

test("sweeps again from the days found, until no sweep finds cheaper ones", () => {
  const found = searchDays(rows, new Uint8Array(63), prices);
  expect(costOf(found)).toBe(134);
  expect(costOf(searchDays(rows, found, prices))).toBe(134);
});
