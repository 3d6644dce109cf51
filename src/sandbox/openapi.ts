import { withStoreWords, type StoreWords } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import { jsonSchemaOf, parameterSchema, type JsonSchema } from "../api/parameter-schema.ts";

/** The API as OpenAPI 3.1, made from the same operations that it serves; paths are in the words of a deployment. */
export function openApiOf(operations: readonly Operation[], words: StoreWords): JsonSchema {
  const calls = operations.flatMap((operation) =>
    pathsOf(operation, words).map((path) => ({ path, method: operation.method.toLowerCase(), operation })),
  );
  const paths = [...Map.groupBy(calls, ({ path }) => path)].map(([path, here]) => {
    const methods = [...Map.groupBy(here, ({ method }) => method)].map(([method, same]) => [
      method,
      described(
        { path, words },
        same.map(({ operation }) => operation),
      ),
    ]);
    return [path, Object.fromEntries(methods) as JsonSchema] as const;
  });
  return {
    openapi: "3.1.0",
    info: { title: "Mobile app market intelligence, as the sandbox serves it", version: "1" },
    security: [{ token: [] }],
    paths: Object.fromEntries(paths),
    components: { securitySchemes: { token: { type: "apiKey", in: "query", name: "token" } } },
  };
}

/** The path of an operation, and the shorter one if its last parameter may be left out. */
function pathsOf(operation: Operation, words: StoreWords): readonly string[] {
  const path = withStoreWords(operation.path, words);
  const short = path.slice(0, path.lastIndexOf("/"));
  const last = /\{(\w+)\}$/.exec(path)?.[1];
  return last !== undefined && operation.params[last]?.required === false ? [path, short] : [path];
}

type Place = { readonly path: string; readonly words: StoreWords };

/** One call; if several operations share it, each of them is an alternative. */
function described(place: Place, operations: readonly Operation[]): JsonSchema {
  const bodies = operations.map((operation) => bodyOf(operation, place.words)).filter((body) => body !== null);
  return {
    operationId: operations.map(({ id }) => id).join("|") + (isShort(place.path, operations) ? ".short" : ""),
    summary: operations.map(({ name }) => name).join(" or "),
    description: operations.map(({ summary }) => summary).join(" "),
    "x-credits": operations.map(({ cost }) => cost)[0],
    parameters: parametersOf(place, operations),
    ...(bodies.length === 0
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: anyOf(bodies) } } } }),
    responses: {
      "200": {
        description: "The answer.",
        content: { "application/json": { schema: anyOf(operations.flatMap(answersOf)) } },
      },
    },
  };
}

function isShort(path: string, operations: readonly Operation[]): boolean {
  return operations.some((operation) => operation.path.split("/").length > path.split("/").length);
}

function parametersOf({ path, words }: Place, operations: readonly Operation[]): readonly JsonSchema[] {
  const all = operations.flatMap(({ params }) => Object.entries(params)).filter(([, param]) => param.in !== "body");
  return [...Map.groupBy(all, ([name]) => name)]
    .map(([name, same]) => ({ name, params: same.map(([, param]) => param) }))
    .filter(({ name, params }) => params[0]?.in === "query" || path.includes(`{${name}}`))
    .map(({ name, params }) => ({
      name,
      in: params[0]?.in,
      required:
        params[0]?.in === "path" || (params.length === operations.length && params.every(({ required }) => required)),
      description: params[0]?.doc,
      ...(params[0]?.in === "query" ? { style: "form", explode: false } : {}),
      schema: anyOf(params.map((param) => parameterSchema(param, words))),
    }));
}

/** The schema of a JSON body, null for an operation without one. */
function bodyOf({ params }: Operation, words: StoreWords): JsonSchema | null {
  const fields = Object.entries(params).filter(([, param]) => param.in === "body");
  const [only] = fields;
  if (only === undefined) return null;
  if (fields.length === 1 && only[0] === "body") return jsonSchemaOf(only[1].schema);
  return {
    type: "object",
    properties: Object.fromEntries(
      fields.map(([name, param]) => [name, { ...parameterSchema(param, words), description: param.doc }]),
    ),
    required: fields.filter(([, { required }]) => required).map(([name]) => name),
    additionalProperties: false,
  };
}

/** The schemas of an answer in its envelope; both if the contract does not say. */
function answersOf({ envelope, answer }: Operation): readonly JsonSchema[] {
  const bare = jsonSchemaOf(answer);
  const wrapped = {
    type: "object",
    properties: { data: bare, success: { type: "boolean" } },
    required: ["data", "success"],
  };
  if (envelope === "either") return [wrapped, bare];
  return envelope === "data" ? [wrapped] : [bare];
}

function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return different.length === 1 ? (different[0] ?? {}) : { anyOf: different };
}
