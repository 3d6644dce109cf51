import { expect, test } from "vitest";
import type { Relation } from "../../src/postgres/relations.ts";
import { clickHouseType } from "../../src/publish/column-type.ts";
import { createTable, literal, partitionOf, quoted } from "../../src/publish/statements.ts";

test.each([
  ["numeric", false, "Decimal(38, 18)"],
  ["numeric(12,4)", true, "Nullable(Decimal(12, 4))"],
  ["bigint", true, "Nullable(Int64)"],
  ["timestamp with time zone", false, "DateTime64(6, 'UTC')"],
  ["jsonb", true, "Nullable(String)"],
] as const)("a column of type %s, null or not (%s), is %s", (type, isNullable, expected) => {
  expect(clickHouseType({ type, isNullable })).toBe(expected);
});

test("quotes what could end a name or a text", () => {
  expect(quoted("a`b\\c")).toBe("`a\\`b\\\\c`");
  expect(literal("it's a \\ ")).toBe("'it\\'s a \\\\ '");
});

test("a month is a partition, a table without months is one, and rows without a day are in one of their own", () => {
  expect(["2026-04", "", "none"].map(partitionOf)).toEqual(["202604", "tuple()", "190001"]);
});

test("a table is cut by the months of its day, sorted by its key, and keeps the newest answer of a key", () => {
  const column = (name: string, type: string, isNullable = false) => ({
    name,
    type,
    comment: `The ${name}.`,
    isNullable,
  });
  const relation: Relation = {
    name: "core.fact_x",
    schema: "core",
    table: "fact_x",
    isView: false,
    comment: "X.",
    columns: [
      column("app_key", "bigint"),
      column("date_day", "date"),
      column("fetched_at", "timestamp with time zone"),
    ],
    key: ["app_key", "date_day"],
    foreignKeys: [],
    checks: [],
  };
  const text = createTable(relation).replaceAll(/\s+/g, " ");
  expect(text).toContain(
    "engine = ReplacingMergeTree(`fetched_at`) partition by toYYYYMM(`date_day`) order by (`app_key`, `date_day`)",
  );
  expect(text).toContain("`app_key` Int64 comment 'The app_key.'");
  const optional = createTable({ ...relation, columns: [column("date_day", "date", true)], key: [] });
  expect(optional).toContain("partition by toYYYYMM(ifNull(`date_day`, toDate32('1900-01-01')))");
  expect(optional).toContain("order by tuple()");
});
