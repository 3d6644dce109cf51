import { expect, test } from "vitest";
import { z } from "zod";
import { schemaWords } from "../../src/core/schema-words.ts";

const said = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: schemaWords }).error?.issues[0]?.message;

test.each([
  [z.string(), 7, "must be text, not a number"],
  [z.number(), "7", "must be a number, not text"],
  [z.number(), Number.NaN, "must be a number"],
  [z.coerce.number().int(), "abc", "must be a number"],
  [z.int(), 1.5, "must be a whole number"],
  [z.int(), "1", "must be a number, not text"],
  [z.boolean(), null, "must be true or false, not null"],
  [z.array(z.string()), {}, "must be a list, not an object with keys"],
  [z.object({}), [], "must be an object with keys, not a list"],
  [z.record(z.string(), z.string()), "a", "must be an object with keys, not text"],
  [z.object({ a: z.string() }), {}, "is missing"],
  [z.enum(["a", "b"]), "c", "must be one of a, b"],
  [z.literal(true), false, "must be true"],
  [z.number().min(0), -1, "must be at least 0"],
  [z.number().positive(), 0, "must be more than 0"],
  [z.number().max(5), 6, "must be at most 5"],
  [z.number().lt(5), 5, "must be less than 5"],
  [z.number().multipleOf(5), 6, "must be a multiple of 5"],
  [z.string().min(1), "", "must not be empty"],
  [z.string().min(3), "a", "must have at least 3 characters"],
  [z.string().max(1), "ab", "must have at most 1 character"],
  [z.array(z.string()).min(1), [], "must have at least 1 item"],
  [z.array(z.string()).max(2), ["a", "b", "c"], "must have at most 2 items"],
  [z.string().regex(/^a$/), "b", "must match /^a$/"],
  [z.ipv4(), "b", "must be of the form ipv4"],
  [z.strictObject({}), { a: 1 }, "has a key that is not known: a"],
  [z.union([z.string(), z.number()]), true, "must be text or a number, not true or false"],
  [
    z.union([z.string().min(2), z.string().regex(/b/)]),
    "a",
    "has none of the allowed forms: must have at least 2 characters, or must match /b/",
  ],
  [
    z.union([z.object({ a: z.int() }), z.string()]),
    { a: "1" },
    "has none of the allowed forms: a must be a number, not text, or must be text, not an object with keys",
  ],
])("of %o, %o is said in words that stand behind a name: %s", (schema, value, words) => {
  expect(said(schema, value)).toBe(words);
});

test("words of a schema's own stay", () => {
  expect(said(z.string("a name is text"), 1)).toBe("a name is text");
});

test("no value is repeated, since it may be a secret", () => {
  const secret = "do-not-repeat-me";
  for (const schema of [z.number(), z.enum(["a"]), z.string().max(2), z.string().regex(/^a$/), z.array(z.string())])
    expect(said(schema, secret)).not.toContain(secret);
});
