import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { creditOutlook, type CreditDemand } from "../../src/incidents/credit-outlook.ts";

const hour = 3_600_000;
const floors = { snapshot: 0.02, daily: 0.05, lookback: 0.1, history: 0.2 };
const well: CreditDemand = {
  total: 10_000,
  remaining: 8_000,
  held: 0,
  resetsAt: 240 * hour,
  spent: 480,
  spentHours: 24,
  isFirstDay: false,
  open: {},
  floors,
  nights: null,
  keptForNights: 0,
  keptNextPeriod: 0,
};
const outlookWith = (change: Partial<CreditDemand>) => creditOutlook({ ...well, ...change }, 0);

describe("the allowance", () => {
  test("lasts where the pace of the last day leaves something above the floor", () => {
    expect(outlookWith({})).toMatchObject({ usable: 7_500, wanted: 4_800, perHour: 20, short: 0, outAt: null });
  });

  test("is short by what the pace takes beyond that, and runs out at the pace", () => {
    expect(outlookWith({ remaining: 2_500 })).toMatchObject({
      usable: 2_000,
      wanted: 4_800,
      short: 2_800,
      outAt: 100 * hour,
    });
  });

  test("is short of what waits, however slow the pace was", () => {
    expect(outlookWith({ remaining: 1_000, spent: 0, open: { daily: 400, snapshot: 200 } })).toMatchObject({
      usable: 500,
      wanted: 600,
      short: 100,
      outAt: null,
    });
  });

  test("does not count twice what waits and the pace that it is part of", () => {
    expect(outlookWith({ remaining: 6_000, open: { daily: 4_000 } })).toMatchObject({ wanted: 4_800, short: 0 });
  });

  test("is not short because a backfill is larger than it: that stops at its floor", () => {
    expect(outlookWith({ spent: 60, open: { history: 1_000_000 } })).toMatchObject({
      usable: 1_500,
      wanted: 600,
      short: 0,
    });
  });

  test("is short where a backfill may take what the days to come need", () => {
    expect(outlookWith({ open: { history: 1_000_000 } })).toMatchObject({ usable: 1_500, short: 3_300 });
  });

  test("is not short where history leaves what the nights until the reset take", () => {
    const nights = [4, 28].map((at) => ({ startsAt: at * hour, credits: 1_500 }));
    const tight = { nights, keptForNights: 3_500, resetsAt: 48 * hour, open: { history: 1_000_000, daily: 500 } };
    expect(outlookWith(tight)).toMatchObject({
      wanted: 3_500,
      history: 4_000,
      historyForNights: 2_000,
      short: 0,
    });
    const short = { usable: 2_500, history: 0, historyForNights: 1_000, short: 1_000 };
    expect(outlookWith({ ...tight, remaining: 3_000 })).toMatchObject(short);
    // its floor keeps it from running, and no night does
    expect(outlookWith({ ...tight, remaining: 2_000 })).toMatchObject({ history: 0, historyForNights: 0 });
  });

  test("has history wait for a night that has begun and is not planned yet, and for ever if the next period's nights take everything", () => {
    const late = { nights: [], keptForNights: 7_500, resetsAt: 20 * hour, open: { history: 6_000 } };
    const waits = { nights: 0, history: 500, historyForNights: 5_500 };
    expect(outlookWith(late)).toMatchObject({ ...waits, isHistoryStarved: false });
    expect(outlookWith({ ...late, keptNextPeriod: 10_000 })).toMatchObject({ ...waits, isHistoryStarved: true });
    expect(outlookWith({ ...late, open: {}, keptNextPeriod: 10_000 })).toMatchObject({ isHistoryStarved: false });
  });

  test("is needed for the nights after a forecast that ends before the reset", () => {
    const nights = [-20, 4].map((at) => ({ startsAt: at * hour, credits: 100 }));
    expect(creditOutlook({ ...well, nights, resetsAt: 29 * hour }, 5 * hour)).toMatchObject({ nights: 1, wanted: 100 });
  });

  test("is not needed for a night that begins with the reset, which is known by whole seconds from when an answer came", () => {
    const nights = [216, 240].map((at) => ({ startsAt: at * hour, credits: 1_500 }));
    for (const off of [-700, 0, 300])
      expect(outlookWith({ nights, resetsAt: 240 * hour + off })).toMatchObject({ nights: 1, wanted: 1_500 });
  });

  test("is needed for the nights until the reset where they are forecast, at any pace before", () => {
    const nights = [-2, 4, 28, 52, 300].map((at) => ({ startsAt: at * hour, credits: 1_500 }));
    expect(outlookWith({ nights })).toMatchObject({ wanted: 4_500, nights: 3, short: 0, outAt: null });
    const tight = { nights, remaining: 2_500, open: { daily: 100 } };
    expect(outlookWith(tight)).toMatchObject({ wanted: 4_600, short: 2_600, outAt: 28 * hour });
    expect(outlookWith({ nights, remaining: 550, open: { daily: 100 } })).toMatchObject({ outAt: 0 });
  });

  test("takes days beyond those that are forecast for one of these", () => {
    const nights = [4, 28].map((at) => ({ startsAt: at * hour, credits: 100 }));
    expect(outlookWith({ nights })).toMatchObject({ wanted: 1_000, nights: 10 });
  });

  test("is nobody's guess after the reset", () => {
    expect(outlookWith({ resetsAt: 0 })).toBeNull();
  });

  test("never has less than nothing, and is never short by less", () => {
    const credits = fc.integer({ min: -1_000, max: 1_000_000 });
    const amounts = fc.record({
      total: credits,
      remaining: credits,
      held: fc.nat(1_000),
      spent: fc.nat(100_000),
      spentHours: fc.integer({ min: 1, max: 24 }),
      isFirstDay: fc.boolean(),
      resetsAt: fc.integer({ min: 1, max: 1_000 * hour }),
    });
    fc.assert(
      fc.property(amounts, (change) => {
        const outlook = outlookWith(change);
        expect(outlook?.usable).toBeGreaterThanOrEqual(0);
        expect(outlook?.short).toBeGreaterThanOrEqual(0);
        expect(outlook?.outAt ?? 0).toBeLessThanOrEqual(change.resetsAt);
      }),
    );
  });
});
