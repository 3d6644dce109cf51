import { describe, expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import type { Covered } from "../../src/core/slice.ts";
import type { Timing } from "../../src/core/timing.ts";
import { oneDay } from "../../src/core/window.ts";
import { staleCells } from "../../src/plan/stale-cells.ts";

const today = day("2026-08-20");
const ago = (days: number) => addDays(today, -days);

function covered(slice: Partial<Covered> & Pick<Covered, "window" | "asOf">): Covered {
  return { scope: {}, operation: "", items: null, state: "loaded", fingerprint: "", refused: false, ...slice };
}

function stale(timing: Timing, slices: readonly Covered[], items: readonly string[] | null = null) {
  const partition = { items, fingerprint: "" };
  return staleCells({ request: { timing, today, bounds: {} }, partition, covered: slices });
}

const series = { kind: "series", settleDays: 1, lookbackDays: 2, historyDays: 10 } as const;

describe("a day of a series is stale", () => {
  test("when it was requested while the source still restated it, and not when it was requested today", () => {
    const window = { start: ago(6), end: ago(1) };
    // requested on the day after: of the last two days the source still restated both
    expect(stale(series, [covered({ window, asOf: ago(1) })])).toEqual([
      { items: null, window: { start: ago(3), end: ago(1) } },
    ]);
    expect(stale(series, [covered({ window, asOf: today })])).toEqual([]);
  });

  test("not when an open slice holds it, and not before a sync would request it", () => {
    const window = oneDay(ago(2));
    const answer = covered({ window, asOf: ago(1) });
    expect(stale(series, [answer, covered({ window, asOf: ago(1), state: "deferred" })])).toEqual([]);
    expect(stale({ ...series, historyDays: 1 }, [answer])).toEqual([]);
    expect(stale({ ...series, keptFrom: ago(1) }, [answer])).toEqual([]);
  });

  test("item by item", () => {
    const window = oneDay(ago(2));
    const slices = [
      covered({ window, asOf: ago(1), items: ["a", "b"] }),
      covered({ window, asOf: today, items: ["a"] }),
    ];
    expect(stale(series, slices, ["a", "b"])).toEqual([{ items: ["b"], window }]);
  });
});

test("a period is stale as a whole", () => {
  const timing = { kind: "period", grid: { days: 7 }, settleDays: 1, lookbackDays: 3, historyDays: 21 } as const;
  const window = { start: day("2026-08-10"), end: day("2026-08-17") };
  expect(stale(timing, [covered({ window, asOf: day("2026-08-18") })])).toEqual([{ items: null, window }]);
  expect(stale(timing, [covered({ window, asOf: day("2026-08-20") })])).toEqual([]);
});

describe("a snapshot is stale", () => {
  const timing = { kind: "snapshot", refreshDays: 3 } as const;
  const [old, young] = [
    covered({ window: oneDay(ago(3)), asOf: ago(3) }),
    covered({ window: oneDay(ago(2)), asOf: ago(2) }),
  ];

  test("when its newest answer is past the days after which it is requested again", () => {
    expect(stale(timing, [old])).toEqual([{ items: null, window: oneDay(ago(3)) }]);
    expect(stale(timing, [old, young])).toEqual([]);
  });

  test("when it was requested under another fingerprint, and a miss leaves the answer before it valid", () => {
    expect(stale(timing, [{ ...young, fingerprint: "other" }])).toEqual([{ items: null, window: oneDay(ago(2)) }]);
    expect(stale(timing, [old, { ...young, state: "failed" }])).toEqual([{ items: null, window: oneDay(ago(3)) }]);
    expect(stale(timing, [old, { ...young, state: "pending" }])).toEqual([]);
  });
});
