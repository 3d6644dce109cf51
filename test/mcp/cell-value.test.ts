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
  [NUMERIC, "12.5000000000000000", 12.5],
  [NUMERIC, "9007199254740991.000", 9_007_199_254_740_991],
  [NUMERIC, "-900719925474099.123", "-900719925474099.123"],
  [NUMERIC, "0.00000000000000000012", 1.2e-19],
  [NUMERIC, `0.${"0".repeat(399)}1`, `0.${"0".repeat(399)}1`],
  [NUMERIC, `0.${"0".repeat(319)}123456789`, `0.${"0".repeat(319)}123456789`],
  [NUMERIC, "0.000", 0],
  [FLOAT8, "1e+15", 1e15],
  [FLOAT8, "1.234567890123456e+15", 1_234_567_890_123_456],
  [FLOAT8, "0.30000000000000004", 0.1 + 0.2],
  [FLOAT8, "Infinity", "Infinity"],
  [NUMERIC, "NaN", "NaN"],
  [FLOAT8, "1.5e-7", 1.5e-7],
  [TEXT, "007", "007"],
  [DATE, "2026-08-01", "2026-08-01"],
  [JSONB, '{"a": [1]}', { a: [1] }],
  [INT8, null, null],
])("of type %i %s is read as %s", (type, text, expected) => {
  expect(cellReader(type)(text)).toEqual(expected);
});
