import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { cleanText } from "../../src/core/text.ts";
import { checkRows } from "../../src/load/check-rows.ts";
import { defineTable } from "../../src/load/table.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const value = defineTable({
  name: "core.fact_value",
  columns: {
    row_id: "int",
    keyword_key: "keyword",
    words: "text",
    amount: "number",
    count: "bigint",
    yes: "boolean",
    day: "day",
    at: "timestamp",
  },
  key: ["row_id"],
  load: { kind: "upsert" },
  partitioned: false,
});

const nothing = { keyword_key: null, words: null, amount: null, count: null, yes: null, day: null, at: null };

const awkward = [
  "",
  " ",
  "NULL",
  "null",
  '"quoted"',
  "it's",
  "back\\slash \\n \\\\",
  "{brace,comma}",
  "}{",
  "a,b",
  "line\nbreak\r\nand\ttab",
  "$1 $$ %s :name",
  "タスク",
  "\u{1F600}\u{1F468}\u200D\u{1F469}",
  "e\u0301 and é",
  "\u202Ertl",
  "\uFFFF",
  "x".repeat(100_000),
];

describe("a value on its way into a table", () => {
  const stage = forTests(openWarehouseStage);

  beforeAll(async () => {
    await stage.create(value);
  });

  /** What comes out of SQL for what goes in, row by row. */
  async function roundTrip(column: keyof typeof nothing, values: readonly (string | number | boolean | null)[]) {
    await stage.empty(value);
    await stage.load({ table: value, rows: values.map((one, row_id) => ({ row_id, ...nothing, [column]: one })) });
    return (await stage.rows(value, `row_id, ${column} as out`)).map(({ out }) => out);
  }

  test("any text comes out as it went in", async () => {
    expect(await roundTrip("words", awkward)).toEqual(awkward);
  });

  test("null is null and not the word", async () => {
    expect(await roundTrip("words", [null, "NULL", null])).toEqual([null, "NULL", null]);
  });

  test("text that Postgres cannot hold loses only what it cannot hold, and no other row", async () => {
    expect(await roundTrip("words", ["a\0b", "half \uD83D", "\uDE00 half", "\0", "whole"])).toEqual([
      "ab",
      "half \uFFFD",
      "\uFFFD half",
      "",
      "whole",
    ]);
  });

  test("texts of a key that no index holds together are left out, and the rows beside them are there", async () => {
    const table = defineTable({
      ...value,
      name: "core.fact_terms",
      key: ["words", "keyword_key", "note"],
      columns: { ...value.columns, note: "text" },
    });
    await stage.create(table);
    // what repeats itself would be compressed
    const noise = Array.from({ length: 40 }, (_, index) =>
      createHash("sha256").update(String(index)).digest("hex"),
    ).join("");
    const rows = [noise.slice(0, 1_300), ""].flatMap((words) =>
      [noise.slice(-1_200), noise.slice(-1_400), ""].map((note, row_id) => ({
        row_id,
        ...nothing,
        keyword_key: "k",
        words,
        note,
      })),
    );
    await stage.load({ table, rows: checkRows(table, rows).fit });
    expect(
      (await stage.rows(table, "length(words) as words, length(note) as note")).map((one) => Object.values(one)),
    ).toEqual([
      [0, 0],
      [0, 1_200],
      [0, 1_400],
      [1_300, 0],
      [1_300, 1_200],
    ]);
  });

  test("keywords come out of the dimension as they went in", async () => {
    const keywords = [...awkward.filter((text) => text.length < 1_000), "a\0b \uD83D"];
    await stage.empty(value);
    await stage.load({
      table: value,
      rows: keywords.map((keyword_key, row_id) => ({ row_id, ...nothing, keyword_key })),
    });
    const { rows } = await stage.pool.query<{ keyword: string }>(
      "select keyword from core.fact_value join core.dim_keyword using (keyword_key) order by row_id",
    );
    expect(rows.map(({ keyword }) => keyword)).toEqual(keywords.map(cleanText));
  });

  test("numbers keep every digit", async () => {
    const numbers = [0.1, 0.1 + 0.2, 1e21, 5e-324, -0.5, 0, 123_456_789.123_456_7];
    expect((await roundTrip("amount", numbers)).map(Number)).toEqual(numbers);
    expect(await roundTrip("amount", [0.1, 1e21])).toEqual(["0.1", "1000000000000000000000"]);
  });

  test("whole numbers keep every digit", async () => {
    const counts = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 0];
    expect(await roundTrip("count", counts)).toEqual(counts.map(String));
  });

  test("booleans, days and zoneless times come out as they went in, in any time zone", async () => {
    expect(await roundTrip("yes", [true, false, null])).toEqual([true, false, null]);
    expect(await roundTrip("day", ["2026-03-29", "1999-12-31", null])).toEqual(["2026-03-29", "1999-12-31", null]);
    expect(await roundTrip("at", ["2026-03-29T02:30:00", "2026-08-02T00:45:18.123", null])).toEqual([
      "2026-03-29 02:30:00",
      "2026-08-02 00:45:18.123",
      null,
    ]);
  });
});
