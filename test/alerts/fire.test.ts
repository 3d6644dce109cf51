import { expect, test } from "vitest";
import { alertsIn } from "../../src/alerts/alert.ts";
import { onlyNew, subjectKey, type Fire, type FireKey } from "../../src/alerts/fire.ts";
import { isFurtherChange } from "../../src/alerts/further-change.ts";
import { day } from "../../src/core/day.ts";
import { settingsWith } from "../support/alert-stage.ts";

const fire = (on: string, comparedDay: string | null, keyword = "plan"): Fire => ({
  subject: { track_id: "1", keyword },
  label: "Ours",
  day: day(on),
  comparedDay: comparedDay === null ? null : day(comparedDay),
  values: { keyword_rank: 12 },
  before: null,
});
const keyOf = ({ subject, ...rest }: Fire): FireKey => ({ ...rest, subject: subjectKey(subject) });
const alertOf = (given: object) => {
  const [alert] = alertsIn(settingsWith({ given }));
  if (alert === undefined) throw new Error("no alert");
  return alert;
};
const fell = alertOf({ kind: "keyword_fell", by: 5, days: 7 });
const newOf = (found: readonly Fire[], fired: readonly FireKey[]) => onlyNew(found, fired, fell);
const days = (fires: readonly Fire[]) => fires.map(({ day: on }) => on);

test("a fire of a subject and day is one, however often it is found", () => {
  const one = fire("2026-08-08", null);
  expect(newOf([one, { ...one, values: { keyword_rank: 13 } }], [])).toEqual([one]);
  expect(newOf([one], [keyOf(one)])).toEqual([]);
  expect(newOf([fire("2026-08-08", null, "habit")], [keyOf(one)])).toHaveLength(1);
});

test("a change over a gap is the same change when the days between come later", () => {
  const overGap = keyOf(fire("2026-08-08", "2026-08-05"));
  expect(newOf([fire("2026-08-06", "2026-08-05"), fire("2026-08-07", "2026-08-06")], [overGap])).toEqual([]);
  expect(days(newOf([fire("2026-08-05", "2026-08-04"), fire("2026-08-09", "2026-08-08")], [overGap]))).toEqual([
    "2026-08-05",
    "2026-08-09",
  ]);
});

test("a change that a week's comparison sees on seven days fires on the first", () => {
  const week = Array.from({ length: 10 }, (_, at) => fire(`2026-08-${10 + at}`, `2026-08-0${3 + Math.min(at, 6)}`));
  expect(days(newOf(week.toReversed(), []))).toEqual(["2026-08-10"]);
});

test("a further fall within the days of a comparison fires again, one that is less does not", () => {
  const ranked = (on: string, compared: string, rank: number | null): Fire => ({
    ...fire(on, compared),
    values: { keyword_rank: rank },
  });
  const first = ranked("2026-08-10", "2026-08-03", 20);
  const later = [
    ranked("2026-08-11", "2026-08-04", 24),
    ranked("2026-08-12", "2026-08-05", 50),
    ranked("2026-08-13", "2026-08-06", 54),
    ranked("2026-08-14", "2026-08-07", null),
    ranked("2026-08-15", "2026-08-08", null),
  ];
  expect(days(newOf([first, ...later], []))).toEqual(["2026-08-10", "2026-08-12", "2026-08-14"]);
  expect(days(newOf(later, [keyOf(first)]))).toEqual(["2026-08-12", "2026-08-14"]);
});

test.each([
  [{ keyword_rank: { rises_past: 10 } }, { keyword_rank: 12 }, { keyword_rank: 30 }, false],
  [{ keyword_rank: { rises_past: 10 } }, { keyword_rank: 9 }, { keyword_rank: null }, true],
  [{ keyword_rank: { rises_by: 5 } }, { keyword_rank: null }, { keyword_rank: null }, false],
  [{ keyword_rank: { falls_by: 5 }, is_ranked: { is: true } }, { keyword_rank: 9 }, { keyword_rank: 4 }, true],
  [{ keyword_rank: { at_least: 5 } }, { keyword_rank: 5 }, { keyword_rank: 50 }, false],
])("conditions %o that fired with %o hold again with %o: %s", (when, before, values, again) => {
  expect(isFurtherChange(alertOf({ mart: "keyword_rank_daily", when }), { before, values })).toBe(again);
});

test.each([
  [{ falls_by: 0.1 }, 4.5, 4.4, true],
  [{ falls_by: 0.1 }, 4.5, 4.41, false],
  [{ falls_past: 4 }, 4, 3.9, true],
  [{ falls_by_percent: 30 }, 1.1, 0.77, true],
  [{ falls_by_percent: 30 }, 0, -1, false],
  [{ rises_by_percent: 10 }, 100, 110, true],
])("rating %o that fired with %d holds again with %d: %s", (rating, before, now, again) => {
  const alert = alertOf({ mart: "app_overview_daily", when: { rating } });
  expect(isFurtherChange(alert, { before: { rating: before }, values: { rating: now } })).toBe(again);
});

test("a text that changes again is a further change", () => {
  const alert = { ...fell, conditions: { title: { changes: true } } } as const;
  const against = (before: string) => isFurtherChange(alert, { before: { title: before }, values: { title: "b" } });
  expect([against("a"), against("b")]).toEqual([true, false]);
});

test("the order of the columns of a subject does not matter", () => {
  expect(subjectKey({ b: 1, a: "x" })).toBe(subjectKey({ a: "x", b: 1 }));
});
