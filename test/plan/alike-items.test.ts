import fc from "fast-check";
import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import type { FetchOption } from "../../src/core/fetch-option.ts";
import { scopeKey } from "../../src/core/slice.ts";
import { alikeItems } from "../../src/plan/alike-items.ts";
import { cellsByDay } from "../../src/plan/cell-states.ts";
import { planDataset } from "../../src/plan/plan-dataset.ts";
import { staleCells } from "../../src/plan/stale-cells.ts";
import { byDay, byHistory, byList, covered, daysAgo, series, today } from "../support/plan-timing.ts";

test("items that the same lists name stand for one another; those that no list names as well", () => {
  const items = ["a", "b", "c", "d", "e", "f"];
  const all = ["a", "b", "c", "d"];
  const lists = [all, ["b"], all, ["c", "d", "x"]].map((list) => covered({ items: list }));
  expect(alikeItems(items, { covered: lists, tracked: [] })).toEqual({
    items: ["a", "b", "c", "e"],
    counts: [1, 1, 2, 2],
  });
  expect(alikeItems(items, { covered: [], tracked: [] })).toEqual({ items: ["a"], counts: [6] });
  expect(alikeItems([], { covered: lists, tracked: all })).toEqual({ items: [], counts: [] });
});

test("what the account tracks, and what a comma would split, stands for itself: other calls bring it", () => {
  expect(alikeItems(["a", "b", "c", "d,e"], { covered: [], tracked: ["b"] })).toEqual({
    items: ["a", "b", "d,e"],
    counts: [2, 1, 1],
  });
});

const names = ["a", "b", "c", "d", "e,e", "f,f", "g", "h"];
const timing = series({ lookbackDays: 3, historyDays: 20 });

/** Slices of a few lists, with a few of one item: some were refused. */
const slices = fc
  .array(fc.subarray(names, { minLength: 1 }), { minLength: 3, maxLength: 3 })
  .chain((lists) =>
    fc.array(
      fc.record({
        items: fc.constantFrom(...lists, ["c"], null),
        back: fc.integer({ min: 1, max: 25 }),
        days: fc.integer({ min: 1, max: 5 }),
        state: fc.constantFrom("loaded", "failed", "empty", "deferred", "skipped", "lost"),
        age: fc.nat(4),
        refused: fc.boolean(),
      }),
      { maxLength: 12 },
    ),
  )
  .map((all) =>
    all.map(({ back, days, age, refused, ...slice }) => {
      const end = addDays(daysAgo(back), days);
      const isRefused = refused && slice.state === "skipped" && slice.items?.length === 1;
      return covered({ ...slice, window: { start: daysAgo(back), end }, asOf: addDays(end, age), refused: isRefused });
    }),
  );

test("a partition has the same cells, whether all of its items are planned and counted or one of each group", () => {
  fc.assert(
    fc.property(slices, fc.subarray(names), fc.boolean(), (before, tracked, hasHistory) => {
      const options: readonly FetchOption[] = [byDay, byList(tracked), ...(hasHistory ? [byHistory] : [])];
      const request = { timing, today, bounds: {} };
      const cellsOf = (items: readonly string[], counts: readonly number[]) => {
        const partition = { scope: {}, items, fingerprint: "", fetchOptions: options };
        const plan = planDataset({
          ...request,
          dataset: "d",
          partitions: [partition],
          covered: new Map([[scopeKey({}), before]]),
          reprocess: "missing",
        });
        const stale = staleCells({ request, partition, covered: before });
        const within = { start: daysAgo(30), end: today };
        return [...cellsByDay({ items, counts, covered: before, stale, drafts: plan.slices, within })];
      };
      const alike = alikeItems(names, { covered: before, tracked });
      expect(cellsOf(alike.items, alike.counts)).toEqual(cellsOf(names, []));
    }),
  );
});
