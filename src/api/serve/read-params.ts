import { z } from "zod";
import type { StoreWords } from "../address.ts";
import { isObject } from "../../core/is-object.ts";
import type { Operation, Param } from "../define-operation.ts";
import type { Query } from "./query.ts";
import { Refusal } from "./refusal.ts";
import { schemaWords } from "../../core/schema-words.ts";

/** What one request sent for an operation, decoded but not yet checked. */
export type SentParams = {
  /** Path parameters by name. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Uint8Array;
  /** The deployment's words for the stores in a path. */
  readonly words: StoreWords;
};

/** How values are read. `anyCase`: a word that fits only in upper or lower case is read in that case. */
type ReadOptions = { readonly anyCase?: boolean };

/** The checked values of a request by parameter name. Refuses, with 400, values that the operation does not name or allow. */
export function readParams(operation: Operation, sent: SentParams, options: ReadOptions = {}): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const all = Object.entries(operation.params);
  const read = (params: typeof all, rawOf: (name: string, param: Param) => unknown): void => {
    for (const [name, param] of params) {
      const raw = rawOf(name, param);
      if (raw === "" && param.storeWord === true)
        throw new Refusal(400, `${name}: must be one of ${sent.words.ios}, ${sent.words.android}`);
      if (raw !== undefined)
        values[name] = fit(name, param, options.anyCase === true ? inFittingCase(param.schema, raw) : raw);
      else if (param.required) throw new Refusal(400, `${name} is required`);
    }
  };
  try {
    // first: the path says most about which of several operations is meant
    read(
      all.filter(([, param]) => param.in === "path"),
      (name) => sent.path[name],
    );
    refuseOdd(operation, sent.query);
    const fields = bodyFields(operation, sent.body);
    read(
      all.filter(([, param]) => param.in !== "path"),
      (name, param) => (param.in === "body" ? fields[name] : sent.query.values.get(name)?.[0]),
    );
    return values;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.status, error.message, error.headers, Object.keys(values).length);
  }
}

function refuseOdd(operation: Operation, query: Query): void {
  if (query.malformed !== null) throw new Refusal(400, `${query.malformed} is not percent-encoded UTF-8`);
  for (const [name, values] of query.values) {
    if (name !== "token" && operation.params[name]?.in !== "query")
      throw new Refusal(400, `${name} is not a query parameter of ${operation.name}`);
    if (values.length > 1) throw new Refusal(400, `${name} is given more than once`);
  }
}

function fit(name: string, param: Param, raw: unknown): unknown {
  // the service decodes first and then splits, so an encoded comma separates items too
  const value = isList(param) && typeof raw === "string" ? raw.split(",") : raw;
  if (param.maxItems !== undefined && Array.isArray(value) && value.length > param.maxItems)
    throw new Refusal(400, `${name} holds ${value.length} items, at most ${param.maxItems} are allowed`);
  const plain = param.schema.safeParse(value, { error: schemaWords });
  if (plain.success) return plain.data;
  const typed =
    param.in === "body"
      ? plain
      : param.schema.safeParse(Array.isArray(value) ? value.map(scalar) : scalar(value), { error: schemaWords });
  if (typed.success) return typed.data;
  const [asText, asTyped] = [plain.error.issues[0], typed.error.issues[0]];
  // that a number is text in an address is no reason
  const issue = asText?.code === "invalid_type" ? asTyped : asText;
  throw new Refusal(400, `${name}: ${issue?.message ?? "is invalid"}`);
}

/** A text unchanged if it fits the schema, otherwise in the case that fits; a list in an address is one text here. */
function inFittingCase(schema: z.ZodType, raw: unknown): unknown {
  if (schema instanceof z.ZodArray && Array.isArray(raw))
    return raw.map((item) => inFittingCase(schema.element as z.ZodType, item));
  if (schema instanceof z.ZodObject && isObject(raw)) {
    const { shape } = schema as z.ZodObject<Readonly<Record<string, z.ZodType>>>;
    return Object.fromEntries(
      Object.entries(raw).map(([name, value]) => {
        const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
        return [name, field === undefined ? value : inFittingCase(field, value)];
      }),
    );
  }
  if (typeof raw !== "string") return raw;
  const forms = [raw, raw.toUpperCase(), raw.toLowerCase()];
  const fits = (form: string) =>
    [form, scalar(form)].some((one) => schema.safeParse(schema instanceof z.ZodArray ? form.split(",") : one).success);
  return forms.find(fits) ?? raw;
}

function isList(param: Param): boolean {
  return param.in !== "body" && (param.maxItems !== undefined || param.schema instanceof z.ZodArray);
}

/** Text in a URL as the number or boolean that it spells; anything else is unchanged. */
function scalar(value: unknown): unknown {
  if (value === "true" || value === "false") return value === "true";
  return typeof value === "string" && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value) ? Number(value) : value;
}

/** A single parameter named `body` is the whole JSON body; otherwise the body is an object of the parameters. */
function bodyFields(operation: Operation, body: Uint8Array): Readonly<Record<string, unknown>> {
  const names = Object.keys(operation.params).filter((name) => operation.params[name]?.in === "body");
  if (body.length === 0) return {};
  if (names.length === 0) throw new Refusal(400, `${operation.name} takes no body`);
  const value = readJson(body);
  if (names.length === 1 && names[0] === "body") return { body: value };
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new Refusal(400, "the body is not a JSON object");
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Refusal(400, `${unknown} is not a field of the body of ${operation.name}`);
  return { ...value };
}

/** Reads a JSON body; refuses anything else. */
export function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new Refusal(400, "the body is not JSON");
  }
}
