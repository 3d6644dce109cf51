import type { z } from "zod";
import type { Store } from "../core/store.ts";
import type { Paging } from "./paging.ts";

/** One parameter of an operation: where it is sent, whether it is required, and what fits. */
export type Param<S extends z.ZodType = z.ZodType, R extends boolean = boolean> = {
  /** An optional path parameter is the last one: without it the path ends before it. */
  readonly in: "path" | "query" | "body";
  readonly required: R;
  readonly schema: S;
  readonly doc: string;
  /** Set on lists that are limited: the largest number of items a call may carry. */
  readonly maxItems?: number;
  /** What the service uses if the parameter is left out, if that is a plain value. */
  readonly default?: string | number | boolean;
  /** The same for a day: it is so many days before the day of the call (UTC), or before that of another parameter. */
  readonly defaultDay?: { readonly days: number; readonly before: string };
  /** True if the value is a store, which is sent as the deployment's word for it. */
  readonly storeWord?: true;
};

/** The days that one call may span, and how its two ends are written. */
export type Range = {
  readonly start: string;
  readonly end: string;
  /**
   * True when the end day is inclusive in the API; in Storehouse's own windows it never is. Null if the contract does not say: then it is
   * sent as if it were inclusive, as in most operations that do say, and rows by day are best requested in windows that overlap by one day.
   */
  readonly endInclusive: boolean | null;
  /** The most days that one call may span, null if the contract names no limit in days. */
  readonly days: number | null;
  /** The most calendar months that one call may span, if the limit is in months. */
  readonly months?: number;
};

/** One endpoint of the API for one store: the single truth for client, sandbox, prices and docs. */
export type Operation<P extends Record<string, Param> = Record<string, Param>, A extends z.ZodType = z.ZodType> = {
  readonly id: string;
  readonly name: string;
  readonly store: Store | null;
  readonly method: "GET" | "POST" | "DELETE";
  /** Path template: `{name}` is a path parameter, `iosstore` and `androidstore` for the deployment's words. */
  readonly path: string;
  readonly params: P;
  /** Why values that each fit are not allowed together, null if they are; left out if there is no such rule. */
  readonly together?: (values: Readonly<Record<string, unknown>>) => string | null;
  /** Credits that a call costs according to the contract; 0 if it is known to be free. */
  readonly cost: number;
  readonly range: Range | null;
  readonly paging: Paging | null;
  /** How the answer is wrapped: not at all, as `{ data, success }`, or `either` if two places of the contract differ. */
  readonly envelope: "bare" | "data" | "either";
  /**
   * Path to the lists of rows inside the unwrapped answer (see `listsAt`), null if the answer is a single item. Invalid items are left out
   * of these lists and of those around them (`nestedLists`): `["groups", "[]", "members"]` covers `groups` too. Not the `items` of a
   * partition, which are what a call names.
   */
  readonly items: readonly string[] | null;
  /** The unwrapped answer. */
  readonly answer: A;
  /** True if the answer may come as plain text instead of JSON. */
  readonly mayBeText?: true;
  /** A parameter without which the answer is about everything that the account has, and differs between accounts. */
  readonly wholeAccountWithout?: string;
  /** True if a call changes something at the service: its answer is never reused for another call. */
  readonly changes?: true;
  readonly summary: string;
};

/** Freezes an operation. Ids are `<store>.<name>` or `<group>.<name>`. */
export function defineOperation<const P extends Record<string, Param>, A extends z.ZodType>(
  operation: Operation<P, A>,
): Operation<P, A> {
  return Object.freeze(operation);
}

/** What a parameter may have in addition to its schema. */
type More = Pick<Param, "maxItems" | "default" | "defaultDay" | "storeWord">;

/** A path segment. */
export function inPath<S extends z.ZodType>(schema: S, doc: string, more: More = {}): Param<S, true> {
  return { in: "path", required: true, schema, doc, ...more };
}

/** A last path segment that may be left out, together with its slash. */
export function maybeInPath<S extends z.ZodType>(schema: S, doc: string, more: More = {}): Param<S, false> {
  return { in: "path", required: false, schema, doc, ...more };
}

/** A required query parameter; a list is sent comma-separated. */
export function inQuery<S extends z.ZodType>(schema: S, doc: string): Param<S, true> {
  return { in: "query", required: true, schema, doc };
}

/** An optional query parameter; a list is sent comma-separated. */
export function maybeInQuery<S extends z.ZodType>(schema: S, doc: string, more: More = {}): Param<S, false> {
  return { in: "query", required: false, schema, doc, ...more };
}

/** A comma-separated query list of at most `maxItems` items. */
export function listInQuery<S extends z.ZodArray>(schema: S, maxItems: number, doc: string): Param<S, true> {
  return { in: "query", required: true, schema, doc, maxItems };
}

/** A field of the JSON body; if the only one is named `body`, it is the whole body. */
export function inBody<S extends z.ZodType>(schema: S, doc: string, more: More = {}): Param<S, true> {
  return { in: "body", required: true, schema, doc, ...more };
}

/** An optional field of the JSON body. */
export function maybeInBody<S extends z.ZodType>(schema: S, doc: string, more: More = {}): Param<S, false> {
  return { in: "body", required: false, schema, doc, ...more };
}
