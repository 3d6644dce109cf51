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
  test("have the state of the newest slice that requested them", () => {
    const cells = cellsByDay({
      items: ["a", "b"],
      covered: [
        { items: ["a", "b"], window: window(one, three), state: "failed" },
        { items: ["b"], window: window(two, three), state: "loaded" },
      ],
      stale: [],
      drafts: [],
      within: {},
    });
    expect([...cells]).toEqual([
      [one, { failed: 2 }],
      [two, { failed: 1, loaded: 1 }],
    ]);
  });

  test("are missing where they were never requested and a plan would request them", () => {
    const cells = cellsByDay({
      items: ["a", "b"],
      covered: [{ items: ["a"], window: window(one, two), state: "empty" }],
      stale: [],
      drafts: [{ items: ["a", "b"], window: window(one, three) }],
      within: {},
    });
    expect([...cells]).toEqual([
      [one, { empty: 1, missing: 1 }],
      [two, { missing: 2 }],
    ]);
  });

  test("are stale only where they were answered", () => {
    const covered = [
      { items: null, window: window(one, two), state: "loaded" as const },
      { items: null, window: window(two, three), state: "empty" as const },
      { items: null, window: window(three, four), state: "failed" as const },
    ];
    const cells = cellsByDay({
      items: null,
      covered,
      drafts: [],
      stale: [{ items: null, window: window(one, four) }],
      within: {},
    });
    expect([...cells.values()]).toEqual([{ stale: 1 }, { stale: 1 }, { failed: 1 }]);
  });

  test("are not missing today where an older snapshot is stale", () => {
    const draft = { items: ["a", "b"], window: window(three, four), class: "snapshot" as const };
    const cells = cellsByDay({
      items: ["a", "b"],
      covered: [{ items: ["a"], window: window(one, two), state: "loaded" }],
      stale: [{ items: ["a"], window: window(one, two) }],
      drafts: [draft],
      within: {},
    });
    expect([...cells]).toEqual([
      [one, { stale: 1 }],
      [three, { missing: 1 }],
    ]);
  });

  test("are only those of the checked days and of items in the portfolio", () => {
    const cells = cellsByDay({
      items: ["a"],
      covered: [{ items: ["a", "gone"], window: window(one, four), state: "loaded" }],
      stale: [],
      drafts: [],
      within: { start: two, end: three },
    });
    expect([...cells]).toEqual([[two, { loaded: 1 }]]);
  });

  test("add up state by state", () => {
    expect(sumOfCells([{ loaded: 2, failed: 1 }, { loaded: 3 }, {}])).toEqual({ loaded: 5, failed: 1 });
  });
});
