import fc from "fast-check";
import { expect, test } from "vitest";
import type { FetchOption } from "../../../src/core/fetch-option.ts";
import { addDays } from "../../../src/core/day.ts";
import { cheapestCover, naivePrice } from "../../../src/plan/cover/cheapest-cover.ts";
import { calendarOf } from "../../../src/plan/cover/gap-grid.ts";
import { unrequestedCover, type KnownShapes } from "../../../src/plan/cover/unrequested-cover.ts";
import { byDay, byHistory, byList, today } from "../../support/plan-timing.ts";

/** Some names, with and without a comma, and which of them the account tracks. */
const scope = fc.record({
  prefix: fc.constantFrom("a", "k", "z"),
  commas: fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }),
  untracked: fc.integer({ min: 0, max: 2 }),
  credits: fc.constantFrom(3, 4),
});

test("is the cover that each scope would get alone, also where one of its shape came before", () => {
  const calendar = calendarOf({ start: addDays(today, -32), end: today });
  let again = 0;
  fc.assert(
    fc.property(fc.array(scope, { minLength: 2, maxLength: 20 }), (scopes) => {
      const shapes: KnownShapes = new Map();
      for (const { prefix, commas, untracked, credits } of scopes) {
        const items = commas.map((comma, index) => `${prefix} ${index}${comma ? ", b" : ""}`);
        const fetchOptions: FetchOption[] = [
          { ...byDay, credits, maxItems: 2 },
          byHistory,
          byList(items.slice(untracked), { credits: 1 }),
        ];
        const grid = { calendar, rows: items.map((item) => ({ item, gaps: new Uint8Array(calendar.days).fill(1) })) };
        const before = shapes.size;
        expect(unrequestedCover(items, fetchOptions, { calendar, shapes })).toEqual({
          pieces: cheapestCover(grid, fetchOptions),
          naiveCredits: naivePrice(grid, fetchOptions),
        });
        if (shapes.size === before) again += 1;
      }
    }),
    { seed: 20_260_820, numRuns: 200 },
  );
  expect(again).toBeGreaterThan(50);
});

test("is nothing where there is nothing to request, and shares one list among the calls that carry the same", () => {
  const shapes: KnownShapes = new Map();
  const none = calendarOf({ start: today, end: today });
  expect(unrequestedCover(["a"], [byDay], { calendar: none, shapes })).toEqual({ pieces: [], naiveCredits: 0 });
  const calendar = calendarOf({ start: addDays(today, -3), end: today });
  const known: KnownShapes = new Map();
  unrequestedCover(["a", "b"], [byDay], { calendar, shapes: known });
  const { pieces } = unrequestedCover(["c", "d"], [byDay], { calendar, shapes: known });
  expect(pieces.map(({ items }) => items)).toEqual([
    ["c", "d"],
    ["c", "d"],
    ["c", "d"],
  ]);
  expect(new Set(pieces.map(({ items }) => items)).size).toBe(1);
});
