import type { z } from "zod";
import type { Store } from "../core/store.ts";

/** One parameter of an operation: where it travels, whether it must be given, and what fits. */
export type Param<S extends z.ZodType = z.ZodType, R extends boolean = boolean> = {
  readonly in: "path" | "query" | "body";
  readonly required: R;
  readonly schema: S;
  readonly doc: string;
  /** Set on comma-separated lists: the largest number of items a call may carry. */
  readonly maxItems?: number;
};

/** The days that one call may span, and how its two ends are spelled. */
export type Range = {
  readonly start: string;
  readonly end: string;
  /** True when the API counts the end day in; Storehouse's own windows never do. */
  readonly endInclusive: boolean;
  /** The most days that one call may span, null where the contract names no limit. */
  readonly days: number | null;
};

/** How an answer that does not fit one call goes on. */
type Paging = {
  /** The query parameter that carries the page number. */
  readonly param: string;
  /** The number of the first page. */
  readonly first: 0 | 1;
  /** Items on a full page. */
  readonly size: number;
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
  /** Credits a call costs by the contract; 0 where it is known to be free. */
  readonly cost: number;
  readonly range: Range | null;
  readonly paging: Paging | null;
  /** How the answer is wrapped: as it is, or as `{ data, success }`. */
  readonly envelope: "bare" | "data";
  /** Where the list of rows stands inside the unwrapped answer: a path of keys, null when the answer is one thing. */
  readonly items: readonly string[] | null;
  /** The unwrapped answer. */
  readonly answer: A;
  readonly summary: string;
};

/** Freezes an operation. The arguments say it all; ids are `<store>.<name>` or `<group>.<name>`. */
export function defineOperation<const P extends Record<string, Param>, A extends z.ZodType>(
  operation: Operation<P, A>,
): Operation<P, A> {
  return Object.freeze(operation);
}

/** A path segment. */
export function inPath<S extends z.ZodType>(schema: S, doc: string): Param<S, true> {
  return { in: "path", required: true, schema, doc };
}

/** A query parameter that must be given. */
export function inQuery<S extends z.ZodType>(schema: S, doc: string): Param<S, true> {
  return { in: "query", required: true, schema, doc };
}

/** A query parameter that may be left out. */
export function maybeInQuery<S extends z.ZodType>(schema: S, doc: string): Param<S, false> {
  return { in: "query", required: false, schema, doc };
}

/** A comma-separated query list of at most `maxItems` items. */
export function listInQuery<S extends z.ZodArray>(schema: S, maxItems: number, doc: string): Param<S, true> {
  return { in: "query", required: true, schema, doc, maxItems };
}
