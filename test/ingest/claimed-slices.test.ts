import { expect, test } from "vitest";
import { createClaimedSlices } from "../../src/ingest/claimed-slices.ts";

test("counts slices on their way, and rows of those that wait for their commit", () => {
  const claimedSlices = createClaimedSlices();
  for (const slice of ["1", "2", "3"]) claimedSlices.start(slice);
  expect([claimedSlices.coming(), claimedSlices.rows()]).toEqual([3, 0]);
  claimedSlices.ready("1", 700);
  claimedSlices.ready("2", 0);
  // an answer without rows counts too
  expect([claimedSlices.coming(), claimedSlices.rows()]).toEqual([1, 800]);
  claimedSlices.end("1");
  claimedSlices.end("3");
  expect([claimedSlices.coming(), claimedSlices.rows(), claimedSlices.ids()]).toEqual([0, 100, ["2"]]);
});

test("a slice that is tried again is on its way again, and one that nobody took counts nowhere", () => {
  const claimedSlices = createClaimedSlices();
  claimedSlices.start("1");
  claimedSlices.ready("1", 500);
  claimedSlices.ready("1", 500);
  claimedSlices.start("1");
  claimedSlices.ready("9", 500);
  expect([claimedSlices.coming(), claimedSlices.rows(), claimedSlices.ids()]).toEqual([1, 0, ["1"]]);
});

test("reports every change", async () => {
  const claimedSlices = createClaimedSlices();
  claimedSlices.start("1");
  for (const change of [() => claimedSlices.ready("1", 1), () => claimedSlices.end("1")]) {
    const changed = claimedSlices.changed();
    change();
    await changed;
  }
  expect(claimedSlices.ids()).toEqual([]);
});

test("answers are read in turn, and no further ones while so many rows are in memory", async () => {
  const claimedSlices = createClaimedSlices();
  for (const slice of ["1", "2", "3", "4"]) claimedSlices.start(slice);
  claimedSlices.ready("1", 30_000);
  const read: string[] = [];
  const reading = ["2", "3", "4", "9"].map((slice) => claimedSlices.readable(slice).then(() => read.push(slice)));
  await Promise.resolve();
  expect([read, claimedSlices.coming(), claimedSlices.rows()]).toEqual([[], 3, 30_000]);
  claimedSlices.ready("1", 29_800);
  await Promise.all(reading.slice(0, 2));
  expect([read, claimedSlices.coming(), claimedSlices.rows()]).toEqual([["2", "3"], 3, 30_000]);
  claimedSlices.end("1");
  await Promise.all(reading);
  // one that nobody took counts nowhere
  expect([read, claimedSlices.coming(), claimedSlices.rows()]).toEqual([["2", "3", "4", "9"], 3, 300]);
  claimedSlices.ready("2", 700);
  claimedSlices.start("3");
  expect([claimedSlices.coming(), claimedSlices.rows()]).toEqual([2, 800]);
});
