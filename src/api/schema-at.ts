import { z } from "zod";

/** The schema one step below another: a key, `[]` for an item of a list, `{}` for a value of a map; undefined where there is none. */
export function schemaAt(schema: unknown, step: string): unknown {
  const bare = bareOf(schema);
  if (step === "[]") return bare instanceof z.ZodArray ? bare.element : undefined;
  if (bare instanceof z.ZodRecord) return step === "{}" ? bare.valueType : undefined;
  if (!(bare instanceof z.ZodObject)) return undefined;
  // of an object's fields the first stands for all
  return step === "{}" ? Object.values(bare.shape)[0] : bare.shape[step];
}

/** The schema of the items of the lists at a path; null where no list stands there. */
export function itemSchema(answer: z.ZodType, path: readonly string[]): z.ZodType | null {
  const list = bareOf(path.reduce<unknown>(schemaAt, answer));
  return list instanceof z.ZodArray ? (list.element as z.ZodType) : null;
}

/** A schema without what makes it optional. */
export function bareOf(schema: unknown): unknown {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? bareOf(schema.unwrap()) : schema;
}
