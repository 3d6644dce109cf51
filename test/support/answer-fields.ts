import { z } from "zod";
import type { Operation } from "../../src/api/define-operation.ts";
import { readAnswer } from "../../src/api/read-answer.ts";
import type { Slice } from "../../src/core/slice.ts";
import type { Dataset } from "../../src/datasets/shared/define-dataset.ts";

/** A schema as JSON Schema has it, as far as fields are found by it. */
type Shape = {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: Shape | boolean;
  readonly anyOf?: readonly Shape[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
};

/** The fields of an operation's answer, `[].shares[].slotShares{}`: every leaf of its schema. */
export function fieldsOf({ answer }: Operation): readonly string[] {
  const shape = z.toJSONSchema(answer, { unrepresentable: "any", io: "input" }) as Shape;
  const fields = [...new Set(leavesOf(shape, ""))].sort();
  // where a schema has several forms, one of them may end where another goes on
  return fields.filter(
    (field) =>
      !fields.some((other) => other !== field && /^[.[{]/.test(other.slice(field.length)) && other.startsWith(field)),
  );
}

/** An answer of an operation with every field, for one that was never answered with any. */
export function sampleOf({ answer }: Operation): unknown {
  return valueOf(z.toJSONSchema(answer, { unrepresentable: "any", io: "input" }) as Shape);
}

function valueOf({ type, properties, items, additionalProperties, anyOf, enum: known }: Shape): unknown {
  if (anyOf !== undefined) return valueOf(anyOf[0] ?? {});
  if (known !== undefined) return known[0];
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([name, own]) => [name, valueOf(own)]));
  if (items !== undefined) return [valueOf(items)];
  if (typeof additionalProperties === "object") return { US: valueOf(additionalProperties) };
  const [kind] = [type].flat();
  return kind === "string" ? "one" : kind === "boolean" ? true : 3;
}

function leavesOf(shape: Shape, path: string): readonly string[] {
  const { properties, items, additionalProperties, anyOf = [] } = shape;
  const below = [
    ...Object.entries(properties ?? {}).flatMap(([name, own]) => leavesOf(own, `${path}.${name}`)),
    ...(items === undefined ? [] : leavesOf(items, `${path}[]`)),
    ...(typeof additionalProperties === "object" && properties === undefined
      ? leavesOf(additionalProperties, `${path}{}`)
      : []),
    ...anyOf.flatMap((one) => leavesOf(one, path).filter((leaf) => leaf !== path)),
  ];
  return below.length === 0 ? [path.replace(/^\./, "")] : below;
}

/** An answer of a dataset that was loaded. */
export type Loaded = {
  readonly dataset: Dataset;
  readonly operation: Operation;
  readonly slice: Slice;
  readonly bodies: readonly Buffer[];
};

/** True where the rows of an answer, or what of it does not fit the request, change with a field of it. */
export function isRead(loaded: Loaded, field: string): boolean {
  const { values, before } = readOf(loaded);
  return values.some((value, page) =>
    variants(value, stepsOf(field)).some((changed) => {
      const after = outcomeOf(loaded, values.with(page, changed));
      return after !== null && after !== before;
    }),
  );
}

/** The shortened pages of an answer and what they lead to, read once for all fields. */
function readOf(loaded: Loaded): { readonly values: readonly unknown[]; readonly before: string | null } {
  let read = reads.get(loaded);
  if (read === undefined) {
    const values = loaded.bodies.map((body) => shortened(readAnswer(loaded.operation, body).value));
    reads.set(loaded, (read = { values, before: outcomeOf(loaded, values) }));
  }
  return read;
}
const reads = new WeakMap<Loaded, ReturnType<typeof readOf>>();

/** A value with the first items of each of its lists: enough to see each field, and quick to load again and again. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, mostItems).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner)]));
}

/** Rows and misfits as one text; null where an altered answer does not fit the contract any more. */
function outcomeOf({ dataset, operation, slice }: Loaded, values: readonly unknown[]): string | null {
  try {
    const pages = values.map((value) => {
      const payload = operation.envelope === "data" ? { data: value, success: true } : value;
      const read = readAnswer(operation, Buffer.from(JSON.stringify(payload)));
      if (read.invalid.length > 0) throw new Error("an item does not fit");
      return read.value;
    });
    return JSON.stringify(dataset.normalise(slice, pages, []));
  } catch {
    return null;
  }
}

type Step = string | typeof any;
const any = Symbol("any item of a list, any value of a map");

function stepsOf(field: string): readonly Step[] {
  return [...field.matchAll(/\[\]|\{\}|[^.[\]{}]+/g)].map(([text]) => (text === "[]" || text === "{}" ? any : text));
}

/** A value with the field that the steps lead to changed, in each way that may show: another value, none, one of each kind. */
function* variants(value: unknown, [step, ...rest]: readonly Step[]): Generator {
  if (step === undefined) {
    yield* others(value);
    return;
  }
  const known = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const names = step === any ? Object.keys(known).slice(0, mostItems) : [step];
  for (const name of names) for (const inner of variants(known[name], rest)) yield put(known, name, inner);
  if (names.length === 0)
    for (const inner of variants(undefined, rest)) {
      yield [inner];
      yield { DE: inner };
    }
}

/** Items of a list that are altered one by one: an optional field may be missing in the first ones. */
const mostItems = 4;
const gone = Symbol("left out");

function put(value: object, name: string, inner: unknown): unknown {
  if (Array.isArray(value)) return inner === gone ? value.toSpliced(Number(name), 1) : value.with(Number(name), inner);
  const { [name]: _, ...left } = value as Record<string, unknown>;
  return inner === gone ? left : { ...value, [name]: inner };
}

/** What a field may hold instead. */
function others(value: unknown): readonly unknown[] {
  const same =
    typeof value === "number"
      ? [value + 1, value / 2]
      : typeof value === "boolean"
        ? [!value]
        : typeof value === "string"
          ? [`${value}x`, `${value}1`, "2001-01-01T00:00:00", value.toLowerCase()]
          : [];
  return [...same, gone, "2001-02-03", "IPAD", "PAID", "US", 7, 0.5, true, ["DE"], [7], { DE: 7 }, [{ DE: 7 }]];
}
