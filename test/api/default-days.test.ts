import { expect, test } from "vitest";
import { withDefaultDays } from "../../src/api/default-days.ts";
import { operations } from "../../src/api/operations/all.ts";
import { dailyKeywordRankings } from "../../src/api/operations/dashboard.ts";
import { iosFeaturing } from "../../src/api/operations/featuring.ts";
import { iosKeywordRanking, iosTopKeywords } from "../../src/api/operations/keyword.ts";
import { day } from "../../src/core/day.ts";

const today = day("2026-03-01");

test("a day that is left out is the one that the contract names", () => {
  expect(withDefaultDays(dailyKeywordRankings, { trackId: "1" }, today)).toEqual({ trackId: "1", date: "2026-03-01" });
  expect(withDefaultDays(iosKeywordRanking, {}, today)).toEqual({ date: "2026-02-28" });
  expect(withDefaultDays(iosFeaturing, {}, today)).toEqual({ startDate: "2026-02-28", endDate: "2026-03-01" });
});

test("a day that is named stays, and the start of a range follows its end", () => {
  expect(withDefaultDays(dailyKeywordRankings, { date: "2026-01-05" }, today)).toEqual({ date: "2026-01-05" });
  const range = (given: object) => withDefaultDays(iosFeaturing, { ...given }, today);
  expect(range({ endDate: "2026-01-05" })).toEqual({ startDate: "2026-01-04", endDate: "2026-01-05" });
  expect(range({ startDate: "2026-01-05" })).toEqual({ startDate: "2026-01-05", endDate: "2026-03-01" });
  expect(withDefaultDays(iosTopKeywords, { trackId: "1" }, today)).toEqual({ trackId: "1" });
});

test("every parameter whose words name such a day has it", () => {
  const says = /(today|yesterday|the day before the end) when left out/;
  const params = operations.flatMap((operation) => Object.values(operation.params));
  expect(params.filter(({ doc }) => says.test(doc)).length).toBeGreaterThan(0);
  for (const { doc, defaultDay } of params) expect([doc, defaultDay !== undefined]).toEqual([doc, says.test(doc)]);
});
