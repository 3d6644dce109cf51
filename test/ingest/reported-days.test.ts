import { describe, expect, test } from "vitest";
import { addDays, day } from "../../src/core/day.ts";
import type { Slice } from "../../src/core/slice.ts";
import type { Timing } from "../../src/core/timing.ts";
import type { Dataset } from "../../src/datasets/shared/define-dataset.ts";
import { tailOf, withoutTail } from "../../src/ingest/reported-days.ts";
import { defineTable, type Row } from "../../src/load/table.ts";

const today = day("2026-08-20");
const start = day("2026-08-01");
const timing: Timing = { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 90 };

/** The tail of an answer about 1 to 18 August with rows on these days, as `19 late`; "" for none. */
function tail(
  days: readonly number[],
  {
    slice = {},
    dataset = {},
    invalid = [],
  }: { slice?: Partial<Slice>; dataset?: Partial<Dataset>; invalid?: readonly unknown[] } = {},
): string {
  const found = tailOf(
    { timing, reportedBy: { column: "date_day" }, ...dataset },
    { window: { start, end: day("2026-08-20") }, asOf: today, class: "history", ...slice },
    {
      rows: days.map((at) => ({ date_day: addDays(start, at - 1) })),
      invalid: invalid.map((item) => ({ reason: "does not fit", item })),
    },
  );
  return found === null ? "" : `${Number(found.window.start.slice(8))}${found.isLate ? " late" : ""}`;
}

describe("the tail of an answer", () => {
  test("is every day after the newest one that a row reports", () => {
    expect(tail([1, 5, 3])).toBe("6");
    expect(tail([19])).toBe("");
  });

  test("is none where nothing at all is reported, or days beyond the window are", () => {
    expect(tail([])).toBe("");
    expect(tail([-3, 0])).toBe("");
    expect(tail([2, 20])).toBe("");
  });

  test("is none for what answers about the present, or by datasets whose rows have no days of their own", () => {
    expect(tail([1], { slice: { class: "snapshot" } })).toBe("");
    expect(tail([1], { dataset: { reportedBy: undefined } as never })).toBe("");
    const rows: readonly Row[] = [{ date_day: null }];
    expect(
      tailOf(
        { timing, reportedBy: { column: "date_day" } },
        { window: { start, end: today }, asOf: today, class: "history" },
        { rows, invalid: [] },
      ),
    ).toBeNull();
  });

  test("begins after an item that did not fit but names its day, and does not wait for one that names none", () => {
    expect(tail([1], { invalid: [{ date: "2026-08-07T10:00:00", rank: "first" }] })).toBe("8");
    expect(tail([1], { invalid: [{ versionDate: Date.UTC(2026, 7, 9) }] })).toBe("10");
    expect(tail([1], { invalid: [{ date_day: "2026-08-11" }] })).toBe("12");
    expect(tail([1], { invalid: [{ date: "soon" }, null, "x", { units: 20260811 }] })).toBe("2");
  });

  test("is late where only the newest published day is missing, and early where more is", () => {
    expect(tail([18])).toBe("19 late");
    expect(tail([17])).toBe("18");
  });

  test("is late as far as the plan requests late days again", () => {
    const late: Timing = { ...timing, emptyHoldsDays: 3, emptyUntilDays: 6 };
    const until = [13, 14, 15, 16, 17, 18].map((at) => tail([at], { dataset: { timing: late } }));
    expect(until).toEqual(["14", "15", "16", "17 late", "18 late", "19 late"]);
  });

  test("is never late where it is the rest of a tail", () => {
    expect(tail([18], { slice: { tailOf: "7" } })).toBe("19");
  });

  test("is none where so many days without rows are ordinary", () => {
    const quiet = { reportedBy: { column: "date_day", quietDays: 3 } };
    expect(tail([16], { dataset: quiet })).toBe("");
    expect(tail([15], { dataset: quiet })).toBe("16");
  });
});

describe("rows of a tail", () => {
  const cut = { window: { start: day("2026-08-05"), end: today }, isLate: false };
  const table = defineTable({
    name: "core.fact_any",
    columns: { date_day: "day" },
    key: ["date_day"],
    load: { kind: "upsert" },
    partitioned: false,
  });
  const rows = ["2026-08-04", "2026-08-05", "2026-08-06"].map((date_day) => ({ date_day }));

  test("are left out, with anything behind them", () => {
    expect(withoutTail(table, rows, cut)).toEqual(rows.slice(0, 1));
    expect(withoutTail(table, rows, null)).toBe(rows);
  });

  test("stay where rows stand for no day", () => {
    const events = defineTable({
      name: "core.event",
      columns: { happened_at: "timestamp" },
      key: ["happened_at"],
      load: { kind: "upsert" },
      partitioned: false,
    });
    const own = [{ happened_at: "2026-08-06T00:00:00" }];
    expect(withoutTail(events, own, cut)).toBe(own);
  });
});
