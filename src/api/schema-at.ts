import { z } from "zod";

/** The schema one step below another: a key, `[]` for an item of a list, `{}` for a value of a map; undefined if there is none. */
export function schemaAt(schema: unknown, step: string): unknown {
  const bare = bareOf(schema);
  if (step === "[]") return bare instanceof z.ZodArray ? bare.element : undefined;
  if (bare instanceof z.ZodRecord) return step === "{}" ? bare.valueType : undefined;
  if (!(bare instanceof z.ZodObject)) return undefined;
  // the first field of an object represents all of them
  return step === "{}" ? Object.values(bare.shape)[0] : bare.shape[step];
}

/** The schema of the items of the lists at a path; null if there is no list. */
export function itemSchema(answer: z.ZodType, path: readonly string[]): z.ZodType | null {
  const list = bareOf(path.reduce<unknown>(schemaAt, answer));
  return list instanceof z.ZodArray ? (list.element as z.ZodType) : null;
}

/** A schema without its optional and nullable wrappers. */
export function bareOf(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? bareOf(schema.unwrap()) : schema;
}
