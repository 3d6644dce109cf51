import { hash } from "node:crypto";
import type { Params } from "./address.ts";
import type { Operation, Param } from "./define-operation.ts";

/** Half of a SHA-256 is enough that two different calls never share one. */
const digits = 32;

/**
 * A call as a short text that is equal for equal calls: whatever the order of parameters and of lists, and whether a default is
 * named or left out. `account` sets calls of an account apart (not that of API_TOKEN). Hexadecimal digits of a hash over method, path and values, without address and token.
 */
export function questionOf(operation: Operation, params: Params, account = ""): string {
  const { method, path, paging } = operation;
  const all = Object.entries(operation.params).map(([name, param]): Value => {
    const first = paging?.param === name ? paging.first : undefined;
    return { name, param, text: textOf(params[name] ?? param.default ?? first) };
  });
  const given = new Map(all.map((value) => [value.name, value]));
  // operations that share a path differ in their values, not by a name that the service does not know
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => JSON.stringify(given.get(name)?.text ?? null));
  const sent = all
    .filter(({ param, text }) => param.in !== "path" && text !== undefined)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, param, text }) => [param.in, name, text]);
  const text = JSON.stringify([method, filled, sent, ...(account === "" ? [] : [account])]);
  return hash("sha256", text).slice(0, digits);
}

type Value = { readonly name: string; readonly param: Param; readonly text: string | undefined };

/** A value as text: 5 and "5" travel alike, and so do lists in any order. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return textOfList(value);
  if (typeof value !== "object") return typeof value === "string" ? value : JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => [name, textOf(field)] as const);
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Calls about many days name one list of keywords. */
const known = new WeakMap<readonly unknown[], string>();

function textOfList(list: readonly unknown[]): string {
  const text = known.get(list) ?? JSON.stringify(list.map(textOf).sort());
  // what may still change is read again
  if (Object.isFrozen(list)) known.set(list, text);
  return text;
}
