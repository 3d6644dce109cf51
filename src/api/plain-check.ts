import { z } from "zod";

/** True for a value that a schema returns unchanged and whose fields it all knows; false if that is not certain. */
export type PlainCheck = (value: unknown) => boolean;

const known = new WeakMap<z.ZodType, PlainCheck>();

/**
 * The quick check for a schema. Nearly every answer is exactly as in the contract, and checking that takes a fraction of the time and
 * memory that zod needs for a copy. Anything else is left to zod, which also reports why.
 */
export function plainCheck(schema: z.ZodType): PlainCheck {
  const check = known.get(schema) ?? made(schema);
  known.set(schema, check);
  return check;
}

function made(schema: z.ZodType): PlainCheck {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const none = schema instanceof z.ZodOptional ? undefined : null;
    const inner = plainCheck(schema.unwrap() as z.ZodType);
    return (value) => value === none || inner(value);
  }
  const { checks = [] } = schema.def as { readonly checks?: readonly z.core.$ZodCheck[] };
  if (schema instanceof z.ZodNumber && checks.every(isBound)) return within(schema);
  if (checks.length > 0) return byZod(schema);
  if (schema instanceof z.ZodObject) return fieldsOf(schema);
  if (schema instanceof z.ZodArray) {
    const item = plainCheck(schema.element as z.ZodType);
    return (value) => Array.isArray(value) && value.every(item);
  }
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map((option) => plainCheck(option as z.ZodType));
    return (value) => {
      for (const option of options) if (option(value)) return true;
      return false;
    };
  }
  if (schema instanceof z.ZodString && schema.format === null) return (value) => typeof value === "string";
  return byZod(schema);
}

function fieldsOf(schema: z.ZodObject): PlainCheck {
  const fields = new Map(
    Object.entries(schema.shape).map(([name, field]) => {
      return [name, { check: plainCheck(field as z.ZodType), isNeeded: !(field instanceof z.ZodOptional) }];
    }),
  );
  const needed = [...fields.values()].filter(({ isNeeded }) => isNeeded).length;
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    let missing = needed;
    // objects from JSON.parse have only own names
    for (const name in value) {
      const field = fields.get(name);
      if (field === undefined || !field.check(value[name as keyof typeof value])) return false;
      if (field.isNeeded) missing -= 1;
    }
    return missing === 0;
  };
}

const bounds: ReadonlySet<string> = new Set(["number_format", "greater_than", "less_than"]);

function isBound({ _zod: { def } }: z.core.$ZodCheck): boolean {
  // the minimum and maximum of the schema do not show whether a bound is exclusive
  return bounds.has(def.check) && !("inclusive" in def && def.inclusive === false);
}

function within({ minValue, maxValue, isInt }: z.ZodNumber): PlainCheck {
  const [least, most] = [minValue ?? Number.NEGATIVE_INFINITY, maxValue ?? Number.POSITIVE_INFINITY];
  return (value) =>
    typeof value === "number" &&
    (isInt ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
    value >= least &&
    value <= most;
}

/** Neighbouring rows mostly share app, country and device: a value that was just found plain is not checked again. */
function byZod(schema: z.ZodType): PlainCheck {
  let plain: unknown;
  return (value) => {
    if (value === plain && plain !== undefined) return true;
    // a list or an object may have changed by then, and zod makes new ones anyway
    if (typeof value === "object" && value !== null) return false;
    const result = schema.safeParse(value);
    if (!result.success || result.data !== value) return false;
    plain = value;
    return true;
  };
}
