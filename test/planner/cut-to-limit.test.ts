import fc from "fast-check";
import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { creditClasses, type SliceDraft } from "../../src/core/slice.ts";
import { oneDay } from "../../src/core/window.ts";
import { limitCut } from "../../src/planner/cut-to-limit.ts";
import { draft, today } from "../support/slice-draft.ts";

/** A plan in chunks of two. */
async function* inChunks(slices: readonly SliceDraft[]) {
  for (let from = 0; from < slices.length; from += 2)
    yield { dataset: "any", stage: "market" as const, slices: slices.slice(from, from + 2), naiveCredits: 0 };
}

async function cut(slices: readonly SliceDraft[], mostCredits: number, newestFirst = false) {
  const { cut: cutAll, leftOut } = await limitCut(() => inChunks(slices), { mostCredits, newestFirst });
  const kept: SliceDraft[] = [];
  for await (const chunk of cutAll(inChunks(slices))) kept.push(...chunk.slices);
  return { kept, leftOut };
}

const slice = (back: number, credits: number, name: SliceDraft["class"] = "history") =>
  draft({ class: name, window: oneDay(addDays(today, -back)), credits });

test("takes classes in their order, and in each the oldest day first", async () => {
  const slices = [slice(1, 3), slice(2, 3), slice(3, 3), slice(9, 3, "daily"), slice(5, 3, "snapshot")];
  const { kept, leftOut } = await cut(slices, 9);
  expect(kept).toEqual([slices[2], slices[3], slices[4]]);
  expect(leftOut).toEqual({ slices: 2, credits: 6 });
});

test("takes the newest day first when the option says so", async () => {
  const slices = [slice(3, 3), slice(1, 3), slice(2, 3)];
  expect((await cut(slices, 6, true)).kept).toEqual([slices[1], slices[2]]);
});

test("goes by the last day of a window if the newest come first, else by its first day", async () => {
  const [long, short] = [
    [9, 1],
    [5, 3],
  ].map(([from = 0, to = 0]) => ({
    ...slice(from, 3),
    window: { start: addDays(today, -from), end: addDays(today, -to) },
  }));
  for (const newestFirst of [true, false]) expect((await cut([short!, long!], 3, newestFirst)).kept).toEqual([long]);
});

test("takes snapshots that are lost by tomorrow before those that can be requested then", async () => {
  const ofWeek = { ...slice(0, 3, "snapshot"), lastDay: addDays(today, 6) };
  const ofDay = { ...slice(0, 5, "snapshot"), lastDay: today };
  for (const newestFirst of [true, false]) expect((await cut([ofWeek, ofDay], 6, newestFirst)).kept).toEqual([ofDay]);
});

test("takes of equal snapshots the one that was requested longest ago, one that never was before all others", async () => {
  const [long, lately] = [40, 2].map((back) => ({ ...slice(0, 3, "snapshot"), lastRequested: addDays(today, -back) }));
  const never = slice(0, 5, "snapshot");
  if (long === undefined || lately === undefined) throw new Error("two are made");
  expect((await cut([lately, long, never], 8)).kept).toEqual([long, never]);
  expect((await cut([lately, long], 3)).kept).toEqual([long]);
});

test("takes slices of an operation that was refused lately after all others, as the queue does", async () => {
  const dear = { ...slice(0, 10, "snapshot"), operation: "ios.refused" };
  const slices = [dear, slice(1, 3, "daily"), slice(2, 3)];
  const refused = new Map([["ios.refused", new Set(["another app"])]]);
  const { cut: cutAll, leftOut } = await limitCut(() => inChunks(slices), {
    mostCredits: 12,
    newestFirst: true,
    refused,
  });
  const kept: SliceDraft[] = [];
  for await (const chunk of cutAll(inChunks(slices))) kept.push(...chunk.slices);
  expect({ kept, leftOut }).toEqual({ kept: slices.slice(1), leftOut: { slices: 1, credits: 10 } });
});

test("lets what is cheaper in where the next one no longer fits", async () => {
  const slices = [slice(3, 10), slice(2, 50), slice(1, 3)];
  expect(await cut(slices, 20)).toEqual({ kept: [slices[0], slices[2]], leftOut: { slices: 1, credits: 50 } });
});

test("takes the cheap slices of a day before the dear ones, since they bring more", async () => {
  const slices = [slice(3, 10), slice(3, 4), slice(3, 10), slice(3, 4), slice(3, 4)];
  const kept = [slices[1], slices[3], slices[4]];
  expect(await cut(slices, 13)).toEqual({ kept, leftOut: { slices: 2, credits: 20 } });
});

test("without a limit leaves everything in", async () => {
  const slices = [slice(3, 10), slice(2, 50)];
  expect(await cut(slices, Number.POSITIVE_INFINITY)).toEqual({ kept: slices, leftOut: { slices: 0, credits: 0 } });
});

test("never takes more than the limit, and nothing is lost between kept and left out", async () => {
  const any = fc.record({
    back: fc.integer({ min: 0, max: 6 }),
    credits: fc.constantFrom(0, 1, 3, 10, 50),
    name: fc.constantFrom(...creditClasses),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(any, { maxLength: 30 }), fc.nat(120), fc.boolean(), async (items, most, newestFirst) => {
      const slices = items.map(({ back, credits, name }) => slice(back, credits, name));
      const { kept, leftOut } = await cut(slices, most, newestFirst);
      const spent = kept.reduce((sum, { credits }) => sum + credits, 0);
      expect(spent).toBeLessThanOrEqual(most);
      expect(kept.length + leftOut.slices).toBe(slices.length);
      expect(spent + leftOut.credits).toBe(slices.reduce((sum, { credits }) => sum + credits, 0));
      // what was left out would not have fitted
      const cheapest = Math.min(...slices.filter((one) => !kept.includes(one)).map(({ credits }) => credits));
      expect(spent + cheapest).toBeGreaterThan(most);
    }),
  );
});
