import { describe, expect, test } from "vitest";
import { day, type Day } from "../../src/core/day.ts";
import { cellsByDay, sumOfCells } from "../../src/plan/cell-states.ts";

const window = (start: Day, end: Day) => ({ start, end });
const [one, two, three, four] = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"].map((text) => day(text)) as [
  Day,
  Day,
  Day,
  Day,
];

describe("the cells of a partition", () => {
  test("stand as the newest slice that asked for them", () => {
    const cells = cellsByDay({
      items: ["a", "b"],
      covered: [
        { items: ["a", "b"], window: window(one, three), state: "failed" },
        { items: ["b"], window: window(two, three), state: "loaded" },
      ],
      drafts: [],
      within: {},
    });
    expect([...cells]).toEqual([
      [one, { failed: 2 }],
      [two, { failed: 1, loaded: 1 }],
    ]);
  });

  test("are missing where nobody asked for them and a plan would", () => {
    const cells = cellsByDay({
      items: ["a", "b"],
      covered: [{ items: ["a"], window: window(one, two), state: "empty" }],
      drafts: [{ items: ["a", "b"], window: window(one, three), class: "backfill" }],
      within: {},
    });
    expect([...cells]).toEqual([
      [one, { empty: 1, missing: 1 }],
      [two, { missing: 2 }],
    ]);
  });

  test("are stale where they were answered and a plan asks again, because they are restated or because only now can be asked for", () => {
    const drafts = (["lookback", "snapshot", "backfill"] as const).map((creditClass, index) => ({
      items: null,
      window: window([one, two, three][index] ?? one, [two, three, four][index] ?? two),
      class: creditClass,
    }));
    const covered = [{ items: null, window: window(one, four), state: "loaded" as const }];
    const cells = cellsByDay({ items: null, covered, drafts, within: {} });
    expect([...cells.values()]).toEqual([{ stale: 1 }, { stale: 1 }, { loaded: 1 }]);
  });

  test("are only those of the days looked at and of items that are followed", () => {
    const cells = cellsByDay({
      items: ["a"],
      covered: [{ items: ["a", "gone"], window: window(one, four), state: "loaded" }],
      drafts: [],
      within: { start: two, end: three },
    });
    expect([...cells]).toEqual([[two, { loaded: 1 }]]);
  });

  test("add up state by state", () => {
    expect(sumOfCells([{ loaded: 2, failed: 1 }, { loaded: 3 }, {}])).toEqual({ loaded: 5, failed: 1 });
  });
});
