import { expect, test } from "vitest";
import { onlyNew, subjectKey, type Fire } from "../../src/alerts/fire.ts";
import { day } from "../../src/core/day.ts";

const fire = (on: string, comparedDay: string | null, keyword = "plan"): Fire => ({
  subject: { track_id: "1", keyword },
  label: "Ours",
  day: day(on),
  comparedDay: comparedDay === null ? null : day(comparedDay),
  values: { keyword_rank: 12 },
  before: null,
});
const keyOf = ({ subject, day: on, comparedDay }: Fire) => ({ subject: subjectKey(subject), day: on, comparedDay });
const days = (fires: readonly Fire[]) => fires.map(({ day: on }) => on);

test("a fire of a subject and day is one, however often it is found", () => {
  const one = fire("2026-08-08", null);
  expect(onlyNew([one, { ...one, values: { keyword_rank: 13 } }], [])).toEqual([one]);
  expect(onlyNew([one], [keyOf(one)])).toEqual([]);
  expect(onlyNew([fire("2026-08-08", null, "habit")], [keyOf(one)])).toHaveLength(1);
});

test("a change over a gap is the same change when the days between come later", () => {
  const overGap = keyOf(fire("2026-08-08", "2026-08-05"));
  expect(onlyNew([fire("2026-08-06", "2026-08-05"), fire("2026-08-07", "2026-08-06")], [overGap])).toEqual([]);
  expect(days(onlyNew([fire("2026-08-05", "2026-08-04"), fire("2026-08-09", "2026-08-08")], [overGap]))).toEqual([
    "2026-08-05",
    "2026-08-09",
  ]);
});

test("a change that a week's comparison sees on seven days fires on the first", () => {
  const week = Array.from({ length: 10 }, (_, at) => fire(`2026-08-${10 + at}`, `2026-08-0${3 + Math.min(at, 6)}`));
  expect(days(onlyNew(week.toReversed(), []))).toEqual(["2026-08-10"]);
});

test("the order of the columns of a subject does not matter", () => {
  expect(subjectKey({ b: 1, a: "x" })).toBe(subjectKey({ a: "x", b: 1 }));
});
