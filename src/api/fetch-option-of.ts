import type { FetchOption } from "../core/fetch-option.ts";
import type { Operation } from "./define-operation.ts";
import { daysFromAnyStart } from "./range.ts";

/** What a call of an operation can carry, at the documented or the learned cost. */
export function fetchOptionOf(operation: Operation, learned: ReadonlyMap<string, number>): FetchOption {
  const lists = Object.values(operation.params).filter(({ maxItems }) => maxItems !== undefined);
  const inBody = lists.length > 0 && lists.every((list) => list.in === "body");
  return {
    operation: operation.id,
    credits: learned.get(operation.id) ?? operation.cost,
    maxDays: operation.range === null ? 1 : (daysFromAnyStart(operation.range) ?? Number.POSITIVE_INFINITY),
    maxItems: Math.max(1, ...lists.map(({ maxItems = 1 }) => maxItems)),
    ...(inBody ? { splitsAtComma: false } : {}),
  };
}
