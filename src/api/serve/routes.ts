import { withStoreWords, type StoreWords } from "../address.ts";
import type { Operation } from "../define-operation.ts";

/** One method and path shape, with all its operations: most have one, for others the values decide. */
export type Route = {
  readonly method: Operation["method"];
  /** The path for the router, its parameters named by position: `p0`, `p1` ... */
  readonly url: string;
  readonly operations: readonly [Operation, ...Operation[]];
  readonly words: StoreWords;
};

/** The routes of all operations, in the words of a deployment. */
export function routesOf(operations: readonly Operation[], words: StoreWords): readonly Route[] {
  const routes = new Map<string, Route>();
  for (const operation of operations) {
    for (const url of shapesOf(operation, words)) {
      const key = `${operation.method} ${url}`;
      const known = routes.get(key);
      const here = known ? ([...known.operations, operation] as const) : ([operation] as const);
      routes.set(key, { method: operation.method, url, operations: here, words });
    }
  }
  return [...routes.values()];
}

/** Path values by the names of the operation, from those by position; a store gets the name that Storehouse uses. */
export function pathValues(
  operation: Operation,
  byPosition: Readonly<Record<string, string>>,
  words: StoreWords,
): Record<string, string> {
  const given = pathNames(operation).flatMap((name, index) => {
    const value = byPosition[`p${index}`];
    return value === undefined ? [] : [[name, storeNamed(operation, name, value, words)] as const];
  });
  return Object.fromEntries(given);
}

/** In a deployment with its own words, the neutral words and ours are not stores. */
function storeNamed(operation: Operation, name: string, value: string, words: StoreWords): string {
  if (operation.params[name]?.storeWord !== true) return value;
  if (value === words.ios) return "ios";
  return value === words.android ? "android" : "";
}

/** The path of a request with decoded values: only for people and logs, since a value may contain a slash. */
export function readablePath(route: Route, byPosition: Readonly<Record<string, string>>): string {
  return route.url.replaceAll(/:(p\d+)/g, (_, position: string) => byPosition[position] ?? "");
}

/** The shape of the path, and a shorter one if its last parameter may be left out. */
function shapesOf(operation: Operation, words: StoreWords): readonly string[] {
  const whole = shapeOf(withStoreWords(operation.path, words));
  const last = pathNames(operation).at(-1) ?? "";
  return operation.params[last]?.required === false ? [whole, whole.slice(0, whole.lastIndexOf("/"))] : [whole];
}

function shapeOf(template: string): string {
  let position = 0;
  return template.replaceAll(/\{\w+\}/g, () => `:p${position++}`);
}

function pathNames(operation: Operation): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}
