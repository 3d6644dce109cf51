import { describe, expect, test } from "vitest";
import { checkRows } from "../../src/load/check-rows.ts";
import { defineTable, type ColumnKind, type Row } from "../../src/load/table.ts";

/** What fits a column of each kind, and what does not. */
const samples: Record<ColumnKind, { fit: readonly Row[string][]; invalid: readonly Row[string][] }> = {
  app: { fit: ["ios:1", "android:a.b", "ios:\n"], invalid: ["1", "ios:", "ios", "web:1", 1, true] },
  keyword: { fit: ["habit", "", "NULL", "\0"], invalid: [1, false] },
  country: { fit: ["US", "ZZ", "ALL"], invalid: ["us", "USA", "U", "", "US\n", 840] },
  device: { fit: ["IPHONE", "IPAD", "ALL"], invalid: ["iphone", "WATCH", "", 1] },
  day: {
    fit: ["2026-02-28", "2028-02-29"],
    invalid: ["0001-01-01", "1969-12-31", "2200-01-01", "2026-02-29", "2026-2-1", "2026-02-01T00:00:00", "", 20260201],
  },
  text: { fit: ["", "any \u{1F600}"], invalid: [0, false] },
  int: { fit: [0, -5, 2_147_483_647], invalid: [2_147_483_648, 1.5, Number.NaN, "1", true] },
  bigint: { fit: [0, 2 ** 53 - 1, -(2 ** 53 - 1)], invalid: [2 ** 53, 0.1, "1"] },
  number: { fit: [0, 0.1, 1e21, -5e-324], invalid: [Number.NaN, Number.POSITIVE_INFINITY, "1"] },
  boolean: { fit: [true, false], invalid: ["true", 1, 0] },
  timestamp: {
    fit: ["2026-08-02T00:45:18", "2026-08-02 00:45:18.123", "2028-02-29T23:59:59"],
    invalid: [
      "2026-08-02",
      "2026-08-02T24:00:00",
      "2026-02-30T00:00:00",
      "soon",
      "infinity",
      "2026-08-02T00:45:18,x",
      0,
    ],
  },
  timestamptz: {
    fit: ["2026-08-02T00:45:18Z", "2026-08-02T00:45:18.123Z"],
    invalid: ["2026-08-02T00:45:18", "2026-08-02T00:45:18+02:00", "2026-02-30T00:00:00Z", "Z", 0],
  },
  date: { fit: ["2026-02-28"], invalid: ["2026-02-29", "2026-02", 20260228] },
  json: { fit: ["null", "[]", '{"a":"\u{1F600}"}', "1"], invalid: ["", "{", "nul", '"\\u0000"', 1] },
};

const kinds = Object.entries(samples).map(([kind, { fit, invalid }]) => ({ kind: kind as ColumnKind, fit, invalid }));

/** A table of a numbered key and one column that may be null. */
function tableOf(kind: ColumnKind) {
  return defineTable({
    name: "core.fact_any",
    columns: { id: "int", value: kind },
    key: ["id"],
    load: { kind: "upsert" },
    partitioned: false,
  });
}

const keyed = defineTable({
  name: "core.fact_keyed",
  columns: { app_key: "app", keyword_key: "keyword", label: "text" },
  key: ["app_key", "keyword_key"],
  load: { kind: "upsert" },
  partitioned: false,
});

const differs = "a second row with the same key";

describe("checkRows", () => {
  test.each(kinds)("takes what a $kind may be, and null", ({ kind, fit }) => {
    const rows = [...fit, null].map((value, id) => ({ id, value }));
    expect(checkRows(tableOf(kind), rows)).toMatchObject({ fit: rows, invalid: [] });
  });

  test.each(kinds)("refuses what is no $kind, and says so", ({ kind, invalid }) => {
    const rows = invalid.map((value, id) => ({ id, value }));
    expect(checkRows(tableOf(kind), rows)).toMatchObject({
      fit: [],
      invalid: rows.map((item) => ({ reason: `value is not a valid ${kind}`, item })),
    });
  });

  test("refuses a row without its whole key, null or left out", () => {
    const rows = [{ app_key: null, keyword_key: "a" }, { app_key: "ios:1" }];
    expect(checkRows(keyed, rows).invalid.map(({ reason }) => reason)).toEqual([
      "app_key is missing",
      "keyword_key is missing",
    ]);
  });

  test("takes a row that equals another for that one, and for no reject", () => {
    const row = { app_key: "ios:1", keyword_key: "a", label: null };
    const same = [row, { ...row }, { app_key: "ios:1", keyword_key: "a" }];
    expect(checkRows(keyed, same)).toMatchObject({ fit: [row], invalid: [] });
    const other = { ...row, label: "other" };
    expect(checkRows(keyed, [row, other, other, row])).toMatchObject({
      fit: [row],
      invalid: [other, other].map((item) => ({ reason: differs, item })),
    });
  });

  test("keeps the first of two rows that differ under one key", () => {
    const rows = [
      { app_key: "ios:1", keyword_key: "a", label: "first" },
      { app_key: "ios:1", keyword_key: "a", label: "second" },
      { app_key: "ios:1", keyword_key: "A", label: "another" },
    ];
    expect(checkRows(keyed, rows)).toMatchObject({
      fit: [rows[0], rows[2]],
      invalid: [{ reason: differs, item: rows[1] }],
    });
  });

  test("takes keys for one that Postgres cannot distinguish", () => {
    const rows = ["ab", "a\0b", "x\uD800", "x\uFFFD"].map((keyword_key) => ({ app_key: "ios:1", keyword_key }));
    expect(checkRows(keyed, rows).fit).toEqual([rows[0], rows[2]]);
  });

  test("does not take two keys for one because of where one part ends and the next begins", () => {
    const rows = [
      { app_key: "ios:1\u0001", keyword_key: "a" },
      { app_key: "ios:1", keyword_key: "\u0001a" },
    ];
    expect(checkRows(keyed, rows).invalid).toEqual([]);
  });

  test("refuses a key that no index could hold, and takes a text of any length", () => {
    const long = "漢".repeat(900);
    const rows = [
      { app_key: "ios:1", keyword_key: long, label: null },
      { app_key: "ios:1", keyword_key: "a", label: long },
    ];
    expect(checkRows(keyed, rows)).toMatchObject({
      fit: [rows[1]],
      invalid: [{ reason: "keyword_key is too long for a key", item: rows[0] }],
    });
    const values = [{ id: 1, value: long }];
    expect(checkRows(tableOf("keyword"), values).invalid[0]?.reason).toBe("value is too long for a key");
    expect(checkRows(tableOf("text"), values).invalid).toEqual([]);
  });

  test("refuses a key whose texts are too long together, though each is short enough", () => {
    const table = defineTable({
      ...keyed,
      columns: { ...keyed.columns, term: "text", group: "text" },
      key: ["app_key", "term", "group"],
    });
    const row = { app_key: "ios:1", keyword_key: "a", label: null };
    const rows = [
      { ...row, term: "漢".repeat(500), group: "x".repeat(1_200) },
      { ...row, term: "漢".repeat(500), group: "" },
      { ...row, term: "", group: "x".repeat(1_200) },
    ];
    expect(checkRows(table, rows)).toMatchObject({
      fit: [rows[1], rows[2]],
      invalid: [{ reason: "term, group together are too long for a key", item: rows[0] }],
    });
  });
});
