import { describe, expect, test } from "vitest";
import { balanceDrop, judgePrice } from "../../src/credits/price-header.ts";

const accepted = { isAccepted: true, isShown: false };
const shown = { isAccepted: true, isShown: true };
const wrong = { isAccepted: false, isShown: false };

test.each([
  ["the documented price", { header: 3, drop: null }, accepted],
  ["the documented price, although others spent as well", { header: 3, drop: 90 }, accepted],
  ["a negative price", { header: -3, drop: null }, wrong],
  ["a negative price that the balance seems to show", { header: -3, drop: -3 }, wrong],
  ["nothing for what has a price", { header: 0, drop: null }, wrong],
  ["nothing, as the balance shows", { header: 0, drop: 0 }, shown],
  ["ten times the documented price", { header: 30, drop: null }, accepted],
  ["more than that", { header: 31, drop: null }, wrong],
  ["more than that, as the balance shows", { header: 31, drop: 31 }, shown],
  ["more than the balance fell by", { header: 5, drop: 4 }, wrong],
  ["less than the documented price, by which the balance fell", { header: 1, drop: 3 }, wrong],
  ["less than the balance fell by, since others spend as well", { header: 5, drop: 90 }, accepted],
])("%s", (_, { header, drop }, verdict) => {
  expect(judgePrice({ header, documented: 3, drop })).toEqual(verdict);
});

describe("the fall of the balance over a call", () => {
  const before = { remaining: 100, resetsAt: 3_600_000, inFlight: 1, overlapped: false };
  const after = { remaining: 97, resetsAt: 3_600_400 };
  test.each([
    ["is known of one that ran alone", {}, {}, 3],
    ["is not known while others run", { inFlight: 2 }, {}, null],
    ["is not known of one that began beside others", { overlapped: true }, {}, null],
    ["is not known without the balance before", { remaining: null }, {}, null],
    ["is not known without the balance after", {}, { remaining: null }, null],
    ["is not known over a reset", {}, { resetsAt: 90_000_000 }, null],
    ["is not known where the period is not", {}, { resetsAt: null }, null],
    ["is not known where credits were bought", {}, { remaining: 5_000 }, null],
  ])("%s", (_, was, is, drop) => {
    expect(balanceDrop({ ...before, ...was }, { ...after, ...is })).toBe(drop);
  });
});
