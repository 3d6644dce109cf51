import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scopeKey, type Covered } from "../../../src/core/slice.ts";
import type { FetchOption } from "../../../src/core/fetch-option.ts";
import type { Timing } from "../../../src/core/timing.ts";
import { daysOf, type Window } from "../../../src/core/window.ts";
import { planDataset } from "../../../src/plan/plan-dataset.ts";
import { byDay, covered, daysAgo, series, today } from "../../support/plan-timing.ts";

const scope = { store: "ios", app: "42" };
const endless: FetchOption = { operation: "figures", credits: 1, maxDays: Number.POSITIVE_INFINITY, maxItems: 1 };
const restated = series({ lookbackDays: 7, historyDays: 30 });

function plan(
  held: readonly Covered[],
  fetchOptions: readonly FetchOption[] = [endless],
  timing: Timing = restated,
  bounds: Partial<Window> = {},
) {
  const items = fetchOptions.some(({ maxItems }) => maxItems > 1) ? ["a"] : null;
  return planDataset({
    dataset: "some_dataset",
    timing,
    partitions: [{ scope, items, fingerprint: "", fetchOptions }],
    covered: new Map([[scopeKey(scope), held]]),
    today,
    bounds,
    reprocess: "missing",
  }).slices.map(({ window, class: creditClass, credits }) => ({ window, class: creditClass, credits }));
}

/** Everything up to yesterday, requested a day later. */
const upToYesterday = covered({
  window: { start: daysAgo(31), end: daysAgo(1) },
  operation: "figures",
  asOf: daysAgo(1),
});

describe("new days and restated ones", () => {
  test("are requested in one call where that costs less, and it counts as the newest day does", () => {
    expect(plan([upToYesterday])).toEqual([{ window: { start: daysAgo(8), end: today }, class: "daily", credits: 1 }]);
  });

  test("are requested apart where one call returns no more than one of them", () => {
    const held = { ...upToYesterday, items: ["a"], operation: "by_day" };
    const slices = plan([held], [byDay]);
    expect(slices.map((slice) => slice.class)).toEqual(["daily", ...Array.from({ length: 7 }, () => "lookback")]);
  });

  describe("of which some lie far back", () => {
    const late = { ...upToYesterday, window: { start: daysAgo(20), end: daysAgo(1) } };
    const window = { start: daysAgo(30), end: today };

    test("count as the newest day does if that day alone would cost as much", () => {
      expect(plan([late])).toEqual([{ window, class: "daily", credits: 1 }]);
    });

    test("count as a backfill if that day alone would cost less, or is not among them", () => {
      const dearer = { ...endless, credits: 3 };
      const aDay = { ...endless, operation: "a_day", maxDays: 1 };
      expect(plan([late], [dearer, aDay])).toEqual([{ window, class: "history", credits: 3 }]);
      const newest = covered({ window: { start: daysAgo(1), end: today }, operation: "figures", asOf: today });
      expect(plan([late, newest])).toMatchObject([{ class: "history" }]);
    });

    test("count as a backfill if days were named", () => {
      expect(plan([late], [endless], restated, { start: daysAgo(25) })).toMatchObject([{ class: "history" }]);
    });

    test("are compared with the pages of the newest day, if these are known", () => {
      const paged = { ...endless, isPaged: true };
      expect(plan([late], [paged])).toMatchObject([{ class: "history" }]);
      expect(plan([late], [{ ...paged, pages: { count: 1, days: 4 } }])).toMatchObject([{ class: "daily" }]);
      expect(plan([late], [{ ...paged, pages: { count: 3, days: 30 } }])).toMatchObject([{ class: "history" }]);
    });
  });

  describe("of items that lack a day before the newest one too", () => {
    const history: FetchOption = { ...endless, operation: "by_item" };
    const listed = (operation: string, item: string, days: [number, number]) =>
      covered({ window: { start: daysAgo(days[0]), end: daysAgo(days[1]) }, operation, items: [item], asOf: today });
    const classes = (items: readonly string[], fetchOptions: readonly FetchOption[], held: readonly Covered[]) =>
      planDataset({
        dataset: "some_dataset",
        timing: series({ historyDays: 30 }),
        partitions: [{ scope, items, fingerprint: "", fetchOptions }],
        covered: new Map([[scopeKey(scope), held]]),
        today,
        bounds: {},
        reprocess: "missing",
      }).slices.map((slice) => [slice.items?.join(" "), slice.class]);
    const upTo = (day: number, ...items: string[]) => items.map((item) => listed("by_item", item, [31, day]));

    test("go by their share of a call that could carry them with others", () => {
      expect(classes(["a", "b"], [history, byDay], upTo(2, "a", "b"))).toEqual([
        ["a", "history"],
        ["b", "history"],
      ]);
      expect(classes(["a", "b"], [history], upTo(2, "a", "b"))).toEqual([
        ["a", "daily"],
        ["b", "daily"],
      ]);
    });

    test("go by their own call where no other can carry them", () => {
      const list = { ...byDay, operation: "list", maxItems: Number.POSITIVE_INFINITY, tracked: new Set(["b"]) };
      expect(classes(["a,b"], [history, byDay, list], upTo(2, "a,b"))).toEqual([["a,b", "daily"]]);
    });

    test("go by their own days in a call of many items and days", () => {
      const block = { ...history, maxItems: 2 };
      const held = [
        ...upTo(1, "a", "b"),
        ...upTo(20, "c", "d"),
        ...["c", "d"].map((item) => listed("by_item", item, [19, 0])),
      ];
      expect(classes(["a", "b", "c", "d"], [block], held)).toEqual([
        ["a b", "daily"],
        ["c d", "history"],
      ]);
    });
  });

  test("that are restated alone are a lookback", () => {
    const all = { ...upToYesterday, window: { start: daysAgo(31), end: today }, asOf: daysAgo(1) };
    expect(plan([all])).toMatchObject([{ class: "lookback" }]);
  });

  test("are each requested, and never for more than they cost apart", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 20 }), fc.nat(10)), { maxLength: 4 }),
        fc.integer({ min: 1, max: 30 }),
        (requested, maxDays) => {
          const held = requested.map(([from, length, age]) =>
            covered({
              window: { start: daysAgo(from + length), end: daysAgo(from) },
              operation: "figures",
              asOf: daysAgo(Math.min(age, from)),
            }),
          );
          const option = { ...endless, maxDays };
          const slices = plan(held, [option]);
          const days = new Set(slices.flatMap(({ window }) => daysOf(window)));
          // a call over several days may hold some that are not wanted, a call a day holds none
          for (const { window } of plan(held, [{ ...option, maxDays: 1 }])) expect(days).toContain(window.start);
          const fresh = plan(held, [option], series({ lookbackDays: 0 }));
          const answered = fresh.map(({ window }) => covered({ window, operation: "figures", asOf: today }));
          const again = plan([...held, ...answered], [option]);
          expect(slices.length).toBeLessThanOrEqual(fresh.length + again.length);
        },
      ),
    );
  });
});

describe("an answer of nothing that may mean not yet", () => {
  const heldWhenEmpty = series({ historyDays: 30, emptyHoldsDays: 7 });
  const nothing = (state: Covered["state"], age: number) =>
    covered({ window: { start: daysAgo(31), end: daysAgo(20) }, operation: "figures", state, asOf: daysAgo(age) });
  const rest = covered({ window: { start: daysAgo(20), end: today }, operation: "figures", asOf: today });

  test.each(["empty", "skipped"] as const)("is requested again once it is so many days old: %s", (state) => {
    expect(plan([nothing(state, 2), rest], [endless], heldWhenEmpty)).toEqual([]);
    expect(plan([nothing(state, 7), rest], [endless], heldWhenEmpty)).toMatchObject([
      { window: { start: daysAgo(30), end: daysAgo(20) } },
    ]);
  });

  test("is final where nothing is said of it, and an answer with something always", () => {
    expect(plan([nothing("empty", 18), rest], [endless], series({ historyDays: 30 }))).toEqual([]);
    expect(plan([nothing("loaded", 18), rest], [endless], heldWhenEmpty)).toEqual([]);
  });

  test("is requested again for so many days only where that is said, and the next day is no exception then", () => {
    const brief = series({ historyDays: 30, emptyHoldsDays: 3, emptyUntilDays: 6 });
    const recent = (age: number) =>
      covered({
        window: { start: daysAgo(20), end: daysAgo(age) },
        operation: "figures",
        state: "empty",
        asOf: daysAgo(age),
      });
    const older = covered({ window: { start: daysAgo(31), end: daysAgo(20) }, operation: "figures", asOf: today });
    const newer = (age: number) =>
      covered({ window: { start: daysAgo(age), end: today }, operation: "figures", asOf: today });
    const requested = (age: number) =>
      plan([older, recent(age), newer(age)], [endless], brief).map(({ window }) => window);
    expect([1, 2].map(requested)).toEqual([[], []]);
    expect(requested(3)).toEqual([{ start: daysAgo(6), end: daysAgo(3) }]);
    expect(requested(6)).toEqual([]);
  });

  test("gives fetch option to a later answer", () => {
    const later = { ...nothing("loaded", 1), window: { start: daysAgo(31), end: daysAgo(25) } };
    expect(plan([nothing("empty", 9), later, rest], [endless], heldWhenEmpty)).toMatchObject([
      { window: { start: daysAgo(25), end: daysAgo(20) } },
    ]);
  });
});
