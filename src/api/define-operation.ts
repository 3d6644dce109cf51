import type { z } from "zod";
import type { Store } from "../core/store.ts";
import type { Paging } from "./paging.ts";

/** One parameter of an operation: where it travels, whether it must be given, and what fits. */
export type Param<S extends z.ZodType = z.ZodType, R extends boolean = boolean> = {
  /** An optional path parameter stands last: without it the path ends before it. */
  readonly in: "path" | "query" | "body";
  readonly required: R;
  readonly schema: S;
  readonly doc: string;
  /** Set on lists that are limited: the largest number of items a call may carry. */
  readonly maxItems?: number;
  /** What the service takes when the parameter is left out, where that is a plain value. */
  readonly default?: string | number | boolean;
  /** True where the value is a store, which travels in the deployment's own word for it. */
  readonly storeWord?: true;
};

/** The days that one call may span, and how its two ends are written. */
export type Range = {
  readonly start: string;
  readonly end: string;
  /**
   * True when the end day is inclusive in the API; in Storehouse's own windows it never is. Null where the contract does not say: then it is
   * sent as if it were inclusive, as in most operations that do say, and rows that have a day of their own are best requested in
   * windows that overlap by one.
   */
  readonly endInclusive: boolean | null;
  /** The most days that one call may span, null where the contract names no limit in days. */
  readonly days: number | null;
  /** The most calendar months that one call may span, where the limit is named in months. */
  readonly months?: number;
};

/** One endpoint of the API for one store: the single truth for client, sandbox, prices and docs. */
export type Operation<P extends Record<string, Param> = Record<string, Param>, A extends z.ZodType = z.ZodType> = {
  readonly id: string;
  readonly name: string;
  readonly store: Store | null;
  readonly method: "GET" | "POST" | "DELETE";
  /** Path template: `{name}` stands for a path parameter, `iosstore` and `androidstore` for the deployment's words. */
  readonly path: string;
  readonly params: P;
  /** Why values that each fit cannot go together, null when they can; left out where there is nothing of the kind. */
  readonly together?: (values: Readonly<Record<string, unknown>>) => string | null;
  /** Credits a call costs by the contract; 0 where it is known to be free. */
  readonly cost: number;
  readonly range: Range | null;
  readonly paging: Paging | null;
  /** How the answer is wrapped: as it is, as `{ data, success }`, or `either` where two places of the contract differ. */
  readonly envelope: "bare" | "data" | "either";
  /** Where the lists of rows stand inside the unwrapped answer (see `listsAt`); null when the answer is one thing. */
  readonly items: readonly string[] | null;
  /** The unwrapped answer. */
  readonly answer: A;
  /** True where the answer may come as bare text instead of JSON. */
  readonly mayBeText?: true;
  /** True where a call changes something at the service: its answer is never given to another call. */
  readonly changes?: true;
  readonly summary: string;
};

/** Freezes an operation. The arguments say it all; ids are `<store>.<name>` or `<group>.<name>`. */
export function defineOperation<const P extends Record<string, Param>, A extends z.ZodType>(
  operation: Operation<P, A>,
): Operation<P, A> {
  return Object.freeze(operation);
}

/** What a parameter may have beside its schema. */
type More = Pick<Param, "maxItems" | "default" | "storeWord">;

/** A path segment. */
export function inPath<S extends z.ZodType>(schema: S, doc: string, more: More = {}): Param<S, true> {
  return { in: "path", required: true, schema, doc, ...more };
}

/** A last path segment that may be left out, its slash with it. */
export function maybeInPath<S extends z.ZodType>(schema: S, doc: string, more: More = {}): Param<S, false> {
  return { in: "path", required: false, schema, doc, ...more };
}

/** A query parameter that must be given; a list travels comma-separated. */
export function inQuery<S extends z.ZodType>(schema: S, doc: string): Param<S, true> {
  return { in: "query", required: true, schema, doc };
}

/** A query parameter that may be left out; a list travels comma-separated. */
export function maybeInQuery<S extends z.ZodType>(schema: S, doc: string, more: More = {}): Param<S, false> {
  return { in: "query", required: false, schema, doc, ...more };
}

/** A comma-separated query list of at most `maxItems` items. */
export function listInQuery<S extends z.ZodArray>(schema: S, maxItems: number, doc: string): Param<S, true> {
  return { in: "query", required: true, schema, doc, maxItems };
}

/** A field of the JSON body; a single one that is named `body` is the whole of it. */
export function inBody<S extends z.ZodType>(schema: S, doc: string, more: More = {}): Param<S, true> {
  return { in: "body", required: true, schema, doc, ...more };
}

/** A field of the JSON body that may be left out. */
export function maybeInBody<S extends z.ZodType>(schema: S, doc: string, more: More = {}): Param<S, false> {
  return { in: "body", required: false, schema, doc, ...more };
}
