import { z } from "zod";
import type { StoreWords } from "./address.ts";
import type { Param } from "./define-operation.ts";

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON Schema of a parameter as sent, with its default; a store is one of the deployment's words. */
export function parameterSchema({ schema, default: taken, storeWord }: Param, words: StoreWords): JsonSchema {
  const fits = storeWord === true ? { type: "string", enum: [words.ios, words.android] } : jsonSchemaOf(schema);
  return taken === undefined ? fits : { ...fits, default: taken };
}

/** A schema as JSON Schema of its input, without the address of the dialect. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}
