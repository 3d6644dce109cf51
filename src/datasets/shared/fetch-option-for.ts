import type { Operation } from "../../api/define-operation.ts";
import type { FetchOption } from "../../core/fetch-option.ts";
import type { Dataset, Partition } from "./define-dataset.ts";
import { daysFromAnyStart } from "../../api/range.ts";

/** What a call of one of the dataset's operations can request for a partition, at the learned cost, or else the documented one. */
export function fetchOptionFor(
  dataset: Dataset,
  operation: Operation,
  partition: Pick<Partition, "scope" | "tracked">,
  learned: ReadonlyMap<string, number>,
): FetchOption {
  const { wholeList, itemsPerCall } = dataset;
  const option = fetchOptionOf(operation, learned);
  if (wholeList?.operation === operation)
    return {
      ...option,
      maxItems: Number.POSITIVE_INFINITY,
      tracked: setOf(partition.tracked ?? []),
      calls: wholeList.calls(partition.scope),
    };
  return option.maxItems > 1 || itemsPerCall === undefined ? option : { ...option, maxItems: itemsPerCall };
}

/**
 * The set of the last list: successive countries of an app may share one list, and keeping sets of all lists would take more memory than
 * the lists.
 */
let last: { readonly items: readonly string[]; readonly set: ReadonlySet<string> } | null = null;

function setOf(items: readonly string[]): ReadonlySet<string> {
  if (last?.items !== items) last = { items, set: new Set(items) };
  return last.set;
}

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
