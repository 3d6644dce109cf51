import { hash } from "node:crypto";
import type { Params } from "./address.ts";
import type { Operation } from "./define-operation.ts";

/** Half of a SHA-256 is enough that two different calls never share one. */
const digits = 32;

/**
 * A call as a short text that is equal for equal calls: regardless of the order of parameters and of lists, and of whether a default is
 * named or left out. `account` sets calls of an account apart (not that of API_TOKEN). Hexadecimal digits of a hash over method, path and
 * values, without address and token.
 */
export function questionOf(operation: Operation, params: Params, account = ""): string {
  const { method, path, paging } = operation;
  const valueOf = (name: string): unknown => {
    const first = paging?.param === name ? paging.first : undefined;
    return params[name] ?? operation.params[name]?.default ?? first;
  };
  // operations that share a path differ in their values, not by a name that the service does not know
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => JSON.stringify(textOf(valueOf(name)) ?? null));
  const sent: string[] = [];
  for (const { name, start } of sentBy(operation)) {
    const text = quoted(valueOf(name));
    if (text !== undefined) sent.push(`${start}${text}]`);
  }
  const end = account === "" ? "" : `,${JSON.stringify(account)}`;
  // JSON in parts: what the keywords of a call make of it is long, and mostly known
  return hash("sha256", `[${JSON.stringify([method, filled]).slice(1, -1)},[${sent.join(",")}]${end}]`).slice(
    0,
    digits,
  );
}

/** A parameter beside the path, and how it begins in the text that is hashed. */
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

/** A value as text: 5 and "5" travel alike, and so do lists in any order. */
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
  // what may still change is read again
  if (Object.isFrozen(value)) knownLists.set(value, text);
  return text;
}
