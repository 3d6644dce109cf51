import { z } from "zod";

/** The keys that a schema has at a path of a value; none where the path leads to no object. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at: unknown = schema;
  for (const step of path) at = below(bare(at), step);
  const found = bare(at);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

function below(schema: unknown, step: PropertyKey): unknown {
  if (schema instanceof z.ZodObject) return (schema.shape as Record<PropertyKey, unknown>)[step];
  if (schema instanceof z.ZodArray) return schema.element;
  return schema instanceof z.ZodRecord ? schema.valueType : undefined;
}

function bare(schema: unknown): unknown {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return isWrapped ? bare(schema.unwrap()) : schema;
}

/** ", did you mean ...?" for the name that a mistyped one was most likely to be; empty when none is near. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const near = names
    .map((name) => ({ name, off: distance(plain(typed), plain(name)) }))
    .filter(({ name, off }) => off <= Math.max(1, Math.floor(name.length / 3)))
    .sort((a, b) => a.off - b.off)[0];
  return near === undefined ? "" : `, did you mean ${near.name}?`;
}

/** Letters and digits of any script; a name without any as it is, or it would be near every short one. */
function plain(name: string): string {
  const kept = name.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "");
  return kept === "" ? name : kept;
}

/** Letters to put in, take out or change, to make one word of the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (b[j - 1] === a[i - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
