import { hash } from "node:crypto";
import type { Params } from "./address.ts";
import type { Operation } from "./define-operation.ts";

/** Half of a SHA-256: enough to keep different calls apart. */
const digits = 32;

/**
 * A hash of a call, equal for equal calls: the order of parameters and lists does not matter, nor whether a default is named
 * or left out. `account` separates the calls of an account (empty for that of API_TOKEN). Hexadecimal digits of a hash over method, path
 * and values, without address and token.
 */
export function callHashOf(operation: Operation, params: Params, account = ""): string {
  const { method, path, paging } = operation;
  const valueOf = (name: string): unknown => {
    const first = paging?.param === name ? paging.first : undefined;
    return params[name] ?? operation.params[name]?.default ?? first;
  };
  // operations that share a path differ in their values, not in their names, which the service does not know
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => JSON.stringify(textOf(valueOf(name)) ?? null));
  const sent: string[] = [];
  for (const { name, start } of sentBy(operation)) {
    const text = quoted(valueOf(name));
    if (text !== undefined) sent.push(`${start}${text}]`);
  }
  const end = account === "" ? "" : `,${JSON.stringify(account)}`;
  // JSON in parts: the part with the keywords of a call is long, and mostly cached
  return hash("sha256", `[${JSON.stringify([method, filled]).slice(1, -1)},[${sent.join(",")}]${end}]`).slice(
    0,
    digits,
  );
}

/** A parameter outside the path, and its start in the text that is hashed. */
type Sent = { readonly name: string; readonly start: string };

const known = new WeakMap<Operation, readonly Sent[]>();

function sentBy(operation: Operation): readonly Sent[] {
  const sent =
    known.get(operation) ??
    Object.entries(operation.params)
      .filter(([, param]) => param.in !== "path")
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, param]) => ({ name, start: `${JSON.stringify([param.in, name]).slice(0, -1)},` }));
  known.set(operation, sent);
  return sent;
}

/** A value as text: 5 and "5" are sent alike, and lists are sorted. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return textOfList(value);
  if (typeof value !== "object") return typeof value === "string" ? value : JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => [name, textOf(field)] as const);
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function textOfList(list: readonly unknown[]): string {
  return JSON.stringify(list.map(textOf).sort());
}

/** Calls about many days name one list of keywords. */
const knownLists = new WeakMap<readonly unknown[], string>();

/** The text of a value as JSON. */
function quoted(value: unknown): string | undefined {
  if (!Array.isArray(value)) return JSON.stringify(textOf(value));
  const text = knownLists.get(value) ?? JSON.stringify(textOfList(value));
  // a list that may still change is not cached
  if (Object.isFrozen(value)) knownLists.set(value, text);
  return text;
}
