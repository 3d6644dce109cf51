import pg from "pg";
import { expect, test } from "vitest";
import { cellReader } from "../../src/mcp/cell-value.ts";

const { BOOL, INT8, NUMERIC, FLOAT8, TEXT, JSONB, DATE } = pg.types.builtins;

test.each([
  [BOOL, "t", true],
  [INT8, "42", 42],
  [INT8, "9007199254740993", "9007199254740993"],
  [NUMERIC, "0.250", 0.25],
  [NUMERIC, "-12345.678901", -12345.678901],
  [NUMERIC, "0.1234567890123456789", "0.1234567890123456789"],
  [NUMERIC, "1.00000000000000000001", "1.00000000000000000001"],
  [NUMERIC, "12.00000000000000000000", 12],
  [FLOAT8, "1e+15", 1e15],
  [NUMERIC, "NaN", "NaN"],
  [FLOAT8, "1.5e-7", 1.5e-7],
  [TEXT, "007", "007"],
  [DATE, "2026-08-01", "2026-08-01"],
  [JSONB, '{"a": [1]}', { a: [1] }],
  [INT8, null, null],
])("of type %i %s is read as %s", (type, text, expected) => {
  expect(cellReader(type)(text)).toEqual(expected);
});
