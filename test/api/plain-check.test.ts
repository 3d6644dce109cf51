import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { driftIn, type Drift } from "../../src/api/drift.ts";
import { operations } from "../../src/api/operations/all.ts";
import { plainCheck } from "../../src/api/plain-check.ts";
import { androidKeywordRanking } from "../../src/api/operations/keyword.ts";

function driftOf(schema: z.ZodType, value: unknown): readonly Drift[] {
  const drift: Drift[] = [];
  driftIn(schema, value, "", drift);
  return drift;
}

const entry = { trackId: "com.example.a", keyword: "a", countryCode: "US", date: 1_790_000_000_000, rank: 3 };
const odd = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    1,
    -1,
    0.5,
    2 ** 53,
    Number.NaN,
    null,
    undefined,
    "",
    "US",
    "IPHONE",
    "2026-08-01",
    true,
    [],
    {},
  ),
  fc.jsonValue(),
);
/** Answers of which some fields are missing, invalid or unknown. */
const entries = fc.array(
  fc
    .record(
      Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, fc.oneof(fc.constant(value), odd)])),
      { requiredKeys: [], noNullPrototype: true },
    )
    .chain((record) => fc.constantFrom<object>(record, { ...entry, ...record }, entry, { ...entry, more: 1 })),
);

describe("the quick check of an answer", () => {
  test("takes an answer as the contract has it", () => {
    expect(plainCheck(androidKeywordRanking.answer)([entry, { ...entry, rank: null }])).toBe(true);
  });

  /** What the quick check passes of a value: nothing, or what zod gives back, with no drift. */
  const passed = (answer: z.ZodType, value: unknown) =>
    plainCheck(answer)(value) ? { success: true, data: value, drift: [] } : null;
  const byZod = (answer: z.ZodType, value: unknown) =>
    plainCheck(answer)(value) ? { ...answer.safeParse(value), drift: driftOf(answer, value) } : null;

  test("passes only what zod gives back unchanged and in which every field is known", () => {
    const { answer } = androidKeywordRanking;
    const check = fc.property(entries, (value) => isDeepStrictEqual(passed(answer, value), byZod(answer, value)));
    expect(() => fc.assert(check, { numRuns: 500 })).not.toThrow();
  });

  test.for(operations.map((operation) => [operation.id, operation.answer] as const))(
    "passes nothing that zod would refuse of %s",
    ([, answer]) => {
      const values = fc.oneof(odd, fc.array(odd));
      const check = fc.property(values, (value) => isDeepStrictEqual(passed(answer, value), byZod(answer, value)));
      expect(() => fc.assert(check, { numRuns: 100 })).not.toThrow();
    },
  );

  test.for([
    ["a field that nobody knows", z.object({ a: z.string() }), { a: "", b: 1 }],
    ["a field that is missing", z.object({ a: z.unknown() }), {}],
    ["a number beyond an exclusive bound", z.number().gt(1), 1],
    ["a text that is changed", z.string().trim(), " a"],
    ["a value that a refinement refuses", z.object({ a: z.int() }).refine(({ a }) => a > 1), { a: 1 }],
    ["half a number", z.int(), 0.5],
  ] as const)("leaves %s to zod", ([, schema, value]) => {
    expect(plainCheck(schema)(value)).toBe(false);
  });
});
