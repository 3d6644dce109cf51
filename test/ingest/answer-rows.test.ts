import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { review } from "../../src/datasets/review.ts";
import { rowsOfAnswer } from "../../src/ingest/answer-rows.ts";
import type { Fetched } from "../../src/ingest/read-pages.ts";
import { sliceOf } from "../support/ingest-slice.ts";

const slice = sliceOf({
  dataset: "review",
  operation: "ios.reviews-v2",
  scope: { store: "ios", app: "42", source: "v2", regions: "portfolio" },
  items: ["US"],
  window: { start: day("2026-08-01"), end: day("2026-08-11") },
});
const content = [{ reviewId: 1, date: "2026-08-02T05:00:00", rating: 5 }];

/** The rows of an answer with one review, on the second of ten days. */
const rowsOf = (fetched: Partial<Fetched> = {}) =>
  rowsOfAnswer(review, slice, { pages: [{ content }], invalid: [], drift: [], fetchedAt: 0, ...fetched });

test("days after the last one that an answer reports are its tail, unless pages of it were not requested", () => {
  expect(rowsOf().tail?.window).toEqual({ start: "2026-08-03", end: "2026-08-11" });
  expect(rowsOf({ isCut: true }).tail).toBeNull();
});

test("an answer shows what is gone only if it came as a whole and all of its items fit", () => {
  const shown = (fetched: Partial<Fetched> = {}) =>
    rowsOf(fetched).loads.map(({ complete, isCut }) => [complete, isCut]);
  expect(shown()).toEqual([[true, false]]);
  expect(shown({ isCut: true })).toEqual([[false, true]]);
  expect(shown({ invalid: [{ reason: "rating: is missing", item: {}, index: 1, page: 0 }] })).toEqual([[false, false]]);
  expect(shown({ invalid: [{ reason: "the list changed while its pages were read", item: null }] })).toEqual([
    [false, true],
  ]);
});
