import { expect, test } from "vitest";
import { createSlicesInHand } from "../../src/ingest/slices-in-hand.ts";

test("counts slices on their way, and rows of those that wait for their commit", () => {
  const inHand = createSlicesInHand();
  for (const slice of ["1", "2", "3"]) inHand.take(slice);
  expect([inHand.coming(), inHand.rows()]).toEqual([3, 0]);
  inHand.hold("1", 700);
  inHand.hold("2", 0);
  // an answer without rows counts too
  expect([inHand.coming(), inHand.rows()]).toEqual([1, 800]);
  inHand.drop("1");
  inHand.drop("3");
  expect([inHand.coming(), inHand.rows(), inHand.ids()]).toEqual([0, 100, ["2"]]);
});

test("a slice that is tried again is on its way again, and one that nobody took counts nowhere", () => {
  const inHand = createSlicesInHand();
  inHand.take("1");
  inHand.hold("1", 500);
  inHand.hold("1", 500);
  inHand.take("1");
  inHand.hold("9", 500);
  expect([inHand.coming(), inHand.rows(), inHand.ids()]).toEqual([1, 0, ["1"]]);
});

test("tells of every change", async () => {
  const inHand = createSlicesInHand();
  inHand.take("1");
  for (const change of [() => inHand.hold("1", 1), () => inHand.drop("1")]) {
    const changed = inHand.changed();
    change();
    await changed;
  }
  expect(inHand.ids()).toEqual([]);
});
