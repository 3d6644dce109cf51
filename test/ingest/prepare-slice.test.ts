import { expect, test } from "vitest";
import { outcomeOf } from "../../src/ingest/prepare-slice.ts";

const odd = { reason: "rank: is missing", item: {} };

test("an answer with rows is loaded, also if retention has dropped their months", () => {
  expect(outcomeOf({ rows: 1, invalid: [odd] })).toEqual({ state: "loaded", problem: null });
  expect(outcomeOf({ rows: 0, rowsGone: 1, invalid: [odd] })).toEqual({ state: "loaded", problem: null });
});

test("an answer without rows is empty if nothing in it is invalid, and failed otherwise", () => {
  expect(outcomeOf({ rows: 0, invalid: [] })).toEqual({ state: "empty", problem: null });
  expect(outcomeOf({ rows: 0, invalid: [odd] })).toMatchObject({ state: "failed", problem: { code: "unknown_shape" } });
});
