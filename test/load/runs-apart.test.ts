import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { runsApart, type Filled } from "../../src/load/runs-apart.ts";
import { defineTable } from "../../src/load/table.ts";

const table = defineTable({
  name: "core.fact_estimated",
  columns: { app_key: "app", date_day: "day", kind: "text", reach: "int" },
  key: ["app_key", "date_day", "kind"],
  load: { kind: "upsert" },
  partitioned: false,
});

/** A load of two days of an app, for one kind or one for each day. */
function loadOf(sliceId: string, app: number, ...kinds: readonly string[]): Filled {
  const encoded = new Map([
    ["app_key", { constant: true, elements: String(app) }],
    ["date_day", { constant: false, elements: "2026-08-01,2026-08-02" }],
    ["kind", { constant: kinds.length === 1, elements: kinds.map((kind) => JSON.stringify(kind)).join(",") }],
    ["reach", { constant: true, elements: "5" }],
  ]);
  const what = { table, rows: [], days: new Set<never>(), scope: {}, sums: null, complete: true };
  return { ...what, sliceId, count: 2, fetchedAt: 1_000, day: day("2026-08-01"), encoded };
}

const slicesOf = (...loads: readonly Filled[]) =>
  runsApart(table, loads).map((run) => run.map(({ sliceId }) => sliceId));

test("answers about the same days that differ in a text of their key share no cell", () => {
  expect(slicesOf(loadOf("1", 1, "now"), loadOf("2", 1, "history"), loadOf("3", 1, "a,b"))).toEqual([["1", "2", "3"]]);
});

test("answers with the same text may share a cell, and so may those whose text changes from row to row", () => {
  expect(slicesOf(loadOf("1", 1, "now"), loadOf("2", 2, "now"), loadOf("3", 1, "now"))).toEqual([["1", "2"], ["3"]]);
  expect(slicesOf(loadOf("1", 1, "now", "history"), loadOf("2", 1, "now"))).toEqual([["1"], ["2"]]);
});
