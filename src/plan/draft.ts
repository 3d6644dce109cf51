import type { CreditClass, SliceDraft } from "../core/slice.ts";
import { isSplit, pagesExpected, type FetchOption } from "../core/fetch-option.ts";
import { windowLength } from "../core/window.ts";
import type { Piece } from "./cover/cheapest-cover.ts";
import type { DatasetPlan, PlanPartition, PlanRequest } from "./plan-request.ts";

/** The plan of one partition. */
export type PlanPart = Pick<DatasetPlan, "slices" | "naiveCredits">;

/** A piece of a plan as a priced slice. `requests` is given if the length of its window does not determine it. */
export function draft(
  request: PlanRequest,
  partition: PlanPartition,
  piece: Piece & { readonly requests?: number },
  creditClass: CreditClass,
): SliceDraft {
  const windows = piece.requests ?? Math.max(1, Math.ceil(windowLength(piece.window) / piece.option.maxDays));
  const requests = (piece.option.calls ?? 1) * windows * pagesExpected(piece.option, piece.window);
  return {
    dataset: request.dataset,
    operation: piece.option.operation,
    scope: partition.scope,
    items: partition.items === null ? null : piece.items,
    window: piece.window,
    class: creditClass,
    requests,
    credits: requests * piece.option.credits,
    asOf: request.today,
    fingerprint: partition.fingerprint,
  };
}

/**
 * Items in batches that one call may name, in the given order; an item that cannot be in a list has its own call. A partition without items
 * is one call.
 */
export function batchesFor(option: FetchOption, items: readonly string[] | null): readonly (readonly string[])[] {
  if (items === null) return [[]];
  const alone = items.filter((item) => option.maxItems > 1 && isSplit(option, item));
  const listed = items.filter((item) => !alone.includes(item));
  const batches: (readonly string[])[] = alone.map((item) => [item]);
  for (let from = 0; from < listed.length; from += option.maxItems)
    batches.push(listed.slice(from, from + option.maxItems));
  return batches;
}
