import { expect, test } from "vitest";
import { z } from "zod";
import { driftIn, type Drift } from "../../src/api/drift.ts";

function found(schema: z.ZodType, value: unknown): Drift[] {
  const drift: Drift[] = [];
  driftIn(schema, value, "", drift);
  return drift;
}

const known = z.object({ a: z.int(), b: z.string().nullish() });

test("an unknown field is reported with its path and kind", () => {
  const value = { a: 1, b: null, t: "x", n: 1, o: {}, l: [], z: null, f: false };
  expect(found(known, value)).toEqual([
    { path: "t", kind: "string" },
    { path: "n", kind: "number" },
    { path: "o", kind: "object" },
    { path: "l", kind: "array" },
    { path: "z", kind: "null" },
    { path: "f", kind: "boolean" },
  ]);
});

test("each path is reported once, however many items have it", () => {
  expect(
    found(z.array(known), [
      { a: 1, c: 1 },
      { a: 2, c: "x", d: 1 },
      { a: 3, c: 1 },
    ]),
  ).toEqual([
    { path: "[].c", kind: "number" },
    { path: "[].d", kind: "number" },
  ]);
});

test("fields are found in objects, lists and maps inside one another", () => {
  const schema = z.object({
    one: known.optional(),
    list: z.array(z.object({ inner: z.array(known) })).nullable(),
    map: z.record(z.string(), z.array(known)).nullish(),
  });
  const x = { a: 1, x: 1 };
  expect(found(schema, { one: x, list: [{ inner: [x] }], map: { US: [x], JP: [x] } }).map(({ path }) => path)).toEqual([
    "one.x",
    "list[].inner[].x",
    "map{}[].x",
  ]);
  expect(found(z.record(z.string(), known), { US: x })).toEqual([{ path: "{}.x", kind: "number" }]);
});

test("what is known, left out or null is no drift", () => {
  const schema = z.object({ one: known.nullish(), list: z.array(known).nullish(), any: z.unknown() });
  for (const value of [{}, { one: null, list: null, any: { x: 1 } }, { one: { a: 1 }, list: [{ a: 1 }] }])
    expect(found(schema, value)).toEqual([]);
});

test("names that all objects have are unknown fields like others", () => {
  const value = JSON.parse('{"a":1,"constructor":1,"__proto__":{}}') as unknown;
  expect(found(known, value).map(({ path }) => path)).toEqual(["constructor", "__proto__"]);
});
