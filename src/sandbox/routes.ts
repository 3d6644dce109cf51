import type { Operation } from "../api/define-operation.ts";

/** One method and path shape, with every operation that lives there: most have one, some tell theirs apart by the values. */
export type Route = {
  readonly method: Operation["method"];
  /** The path for the router, its parameters named by position: `p0`, `p1` ... */
  readonly url: string;
  readonly operations: readonly [Operation, ...Operation[]];
};

/** The words that stand for the two stores in the paths of a deployment. */
export type StoreWords = { readonly ios: string; readonly android: string };

/** The routes of all operations, in the words of a deployment. */
export function routesOf(operations: readonly Operation[], words: StoreWords): readonly Route[] {
  const routes = new Map<string, Route>();
  for (const operation of operations) {
    const url = shapeOf(operation.path, words);
    const key = `${operation.method} ${url}`;
    const known = routes.get(key);
    routes.set(key, {
      method: operation.method,
      url,
      operations: known ? [...known.operations, operation] : [operation],
    });
  }
  return [...routes.values()];
}

/** Path values by the operation's own names, from those by position. */
export function pathValues(operation: Operation, byPosition: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(pathNames(operation).map((name, index) => [name, byPosition[`p${index}`] ?? ""]));
}

/** The path that a request asked for, its values decoded: for people and logs, since a value may hold a slash. */
export function readablePath(route: Route, byPosition: Readonly<Record<string, string>>): string {
  return route.url.replaceAll(/:(p\d+)/g, (_, position: string) => byPosition[position] ?? "");
}

function shapeOf(template: string, words: StoreWords): string {
  let position = 0;
  return template
    .split(/(\{\w+\})/)
    .map((part) =>
      part.startsWith("{")
        ? `:p${position++}`
        : part.replaceAll(/iosstore|androidstore/g, (word) => (word === "iosstore" ? words.ios : words.android)),
    )
    .join("");
}

function pathNames(operation: Operation): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}
