import { z } from "zod";

/** A field that the contract does not name: its path and its kind, that of its first value other than null if there is one. */
export type Drift = { readonly path: string; readonly kind: string };

/** Collects fields that a schema does not know, each path once. `[]` means any item, `{}` any key of a map. */
export function driftIn(schema: z.ZodType, value: unknown, path: string, found: Drift[]): void {
  const bare = optionFor(unwrapOptional(schema), value);
  if (bare instanceof z.ZodObject) objectDrift(bare, value, path, found);
  else if (bare instanceof z.ZodArray && Array.isArray(value)) {
    for (const item of value) driftIn(bare.element as z.ZodType, item, `${path}[]`, found);
  } else if (bare instanceof z.ZodRecord && typeof value === "object" && value !== null) {
    for (const item of Object.values(value)) driftIn(bare.valueType as z.ZodType, item, `${path}{}`, found);
  }
}

function objectDrift(schema: z.ZodObject, value: unknown, path: string, found: Drift[]): void {
  if (typeof value !== "object" || value === null) return;
  const shape: Readonly<Record<string, unknown>> = schema.shape;
  // no list of names and no path for known plain fields, which are nearly all
  for (const name of Object.keys(value)) {
    const inner: unknown = value[name as keyof typeof value];
    const known = shape[name];
    const plain = known instanceof z.ZodType && (typeof inner !== "object" || inner === null);
    if (plain) continue;
    const at = path === "" ? name : `${path}.${name}`;
    if (known instanceof z.ZodType) driftIn(known, inner, at, found);
    else noteDrift(at, inner, found);
  }
}

/** Adds a field to those found, unless its path is there already. */
export function noteDrift(path: string, value: unknown, found: Drift[]): void {
  const at = found.findIndex((drift) => drift.path === path);
  if (at === -1) found.push({ path, kind: kindOf(value) });
  else if (value !== null && found[at]?.kind === "null") found[at] = { path, kind: kindOf(value) };
}

function unwrapOptional(schema: z.ZodType): z.ZodType {
  let bare: z.ZodType = schema;
  while (bare instanceof z.ZodOptional || bare instanceof z.ZodNullable) bare = bare.unwrap() as z.ZodType;
  return bare;
}

/** For a union, the first shape that fits; otherwise the schema itself. */
function optionFor(schema: z.ZodType, value: unknown): z.ZodType {
  if (!(schema instanceof z.ZodUnion) || typeof value !== "object") return schema;
  const options = schema.options as readonly z.ZodType[];
  return options.find((option) => option.safeParse(value).success) ?? schema;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
