import { pageParams } from "../api/paging.ts";
import { withDefaultDays } from "../api/default-days.ts";
import type { Operation } from "../api/define-operation.ts";
import { callHashOf } from "../api/call-hash.ts";
import { dayParams, windowOfCall } from "../api/range.ts";
import { addDays, type Day } from "../core/day.ts";
import type { Slice } from "../core/slice.ts";
import type { Timing } from "../core/timing.ts";
import { oneDay, type Window } from "../core/window.ts";
import { callsOf, isWholeList, type Dataset, type Partition } from "../datasets/shared/define-dataset.ts";
import { mayRequest } from "../plan/missing.ts";
import { timingWith } from "../planner/dataset-settings.ts";
import { partitionsOf, type DatasetPlanning } from "../planner/plan-chunks.ts";
import type { Call } from "./gateway-parts.ts";

/*
 * Finds the slice of which a call would be a page if a plan of this configuration had made it. The dataset needs no code for this: its
 * partitions are turned into calls, as in a plan, and compared without days, items and page. Then the days and items of the call are put
 * into the slice, and the resulting call must equal the given one.
 */

/** The slice of a dataset that a call answers, not in the ledger yet. `expected`: the portfolio says that there is data. */
export type KnownCall = { readonly dataset: Dataset; readonly slice: Slice; readonly expected: boolean };

/** The calls that the partitions of one dataset make, by operation and by the rest of the call without days, items and page. */
type DatasetCalls = {
  readonly planning: DatasetPlanning;
  readonly byCall: ReadonlyMap<string, readonly PartitionCall[]>;
  /** The parameters that name items, by operation. */
  readonly itemNames: ReadonlyMap<string, readonly string[]>;
};

/** A session reads the portfolio again after this long. */
export const knownForMs = 60_000;

/** A call of a partition, by its number; partitions that differ only in their days, such as weeks and months, make equal ones. */
type PartitionCall = { readonly partition: Partition; readonly call: number };

/** Finds the slice that a call answers. */
export type KnownCalls = (call: Call) => KnownCall | null;

/** Creates the finder for the calls of these datasets on a day; calls of operations that no caller requests are never computed. */
export function knownCalls(plannings: readonly DatasetPlanning[], today: Day): KnownCalls {
  const made = new Map<string, readonly DatasetCalls[]>();
  const callsOfOperation = (operation: Operation) => {
    const known = made.get(operation.id) ?? plannings.flatMap((planning) => callsFor(planning, operation, today));
    made.set(operation.id, known);
    return known;
  };
  return (call) => {
    for (const calls of callsOfOperation(call.operation)) {
      const found = sliceFor(calls, call, today);
      if (found !== null) return { dataset: calls.planning.dataset, ...found };
    }
    return null;
  };
}

function callsFor(planning: DatasetPlanning, operation: Operation, today: Day): readonly DatasetCalls[] {
  const { dataset } = planning;
  if (!dataset.operations.includes(operation)) return [];
  const byCall = new Map<string, PartitionCall[]>();
  const itemNames = new Map<string, readonly string[]>();
  for (const partition of partitionsOf(planning)) {
    const able = [...dataset.operationsFor(partition.scope), dataset.wholeList?.operation];
    if (!able.includes(operation)) continue;
    const sample = sampleOf(dataset, partition, { operation, window: oneDay(today) });
    const names = itemNames.get(operation.id) ?? namesOfItems(dataset, sample);
    itemNames.set(operation.id, names);
    for (let call = 0; call < callsOf(dataset, sample); call += 1) {
      const rest = partOf({ operation, params: dataset.request(sample, call) }, names);
      const alike = byCall.get(rest);
      if (alike === undefined) byCall.set(rest, [{ partition, call }]);
      else alike.push({ partition, call });
    }
  }
  return byCall.size === 0 ? [] : [{ planning, byCall, itemNames }];
}

/** The rest of a call without days, items and page, as a text. */
function partOf({ operation, params }: Call, itemNames: readonly string[]): string {
  const without = new Set([...dayParams(operation), ...itemNames, operation.paging?.param]);
  return callHashOf(operation, Object.fromEntries(Object.entries(params).filter(([name]) => !without.has(name))));
}

/** The parameters of a call that differ when the slice has no items. */
function namesOfItems(dataset: Dataset, sample: Slice): readonly string[] {
  if (sample.items === null || isWholeList(dataset, sample)) return [];
  const [some, none] = [dataset.request(sample), dataset.request({ ...sample, items: [] })];
  return Object.keys(some).filter((name) => JSON.stringify(some[name]) !== JSON.stringify(none[name]));
}

function sampleOf(
  dataset: Dataset,
  { scope, items, tracked, fingerprint = "" }: Partition,
  { operation, window }: { readonly operation: Operation; readonly window: Window },
): Slice {
  const slice = { scope, operation: operation.id };
  return {
    ...slice,
    dataset: dataset.name,
    items: items !== null && isWholeList(dataset, slice) ? [...(tracked ?? [])].sort() : items,
    window,
    class: "daily",
    requests: 1,
    credits: operation.cost,
    asOf: window.start,
    fingerprint,
    sliceId: "0",
    runId: "0",
    attempt: 0,
  };
}

function sliceFor(calls: DatasetCalls, wanted: Call, today: Day): Pick<KnownCall, "slice" | "expected"> | null {
  const names = calls.itemNames.get(wanted.operation.id) ?? [];
  for (const { partition, call } of calls.byCall.get(partOf(wanted, names)) ?? []) {
    const slice = sliceOf(calls.planning, { partition, call }, { wanted, names, today });
    if (slice !== null) return { slice, expected: partition.expected === true };
  }
  return null;
}

function sliceOf(
  { dataset, settings }: DatasetPlanning,
  { partition, call }: PartitionCall,
  { wanted, names, today }: { readonly wanted: Call; readonly names: readonly string[]; readonly today: Day },
): Slice | null {
  const { operation, params } = wanted;
  const timing = timingWith(partition.timing ?? dataset.timing, settings, today);
  const { paging } = operation;
  const page = paging === null ? call : Number(params[paging.param] ?? paging.first) - paging.first;
  // a plan may leave out a day that the call names
  const callHashOn = (given: Call["params"]) => callHashOf(operation, withDefaultDays(operation, given, today));
  const callHash = callHashOn(params);
  for (const window of windowsOf(wanted, today).filter((one) => mayRequest(timing, one, today))) {
    const whole = sampleOf(dataset, partition, { operation, window });
    for (const items of itemsIn(whole.items, wanted, names)) {
      const slice: Slice = { ...whole, items, class: classOf(timing), asOf: today };
      const same = { ...dataset.request(slice, page), ...pageParams(operation, page) };
      if (callHashOn(same) === callHash) return slice;
    }
  }
  return null;
}

/**
 * The windows that a call may be for. If the contract does not say whether an end is inclusive, datasets request one more day: the shorter
 * window is tried first, because the answer may lack that day.
 */
function windowsOf({ operation, params }: Call, today: Day): readonly Window[] {
  const window = windowOfCall(operation, params);
  if (window === null) return [oneDay(today)];
  const shorter = { start: window.start, end: addDays(window.end, -1) };
  return shorter.end > shorter.start ? [shorter, window] : [window];
}

/** The items that a call may be for: those that it names, if they belong to the partition, or all of the partition's. */
function itemsIn(
  all: readonly string[] | null,
  { params }: Call,
  names: readonly string[],
): readonly (readonly string[] | null)[] {
  if (all === null) return [null];
  const own = new Set(all);
  const named = names.length === 1 ? [params[names[0] ?? ""]].flat().map(String) : [];
  const isOwn = named.length > 0 && named.every((item) => own.has(item));
  return isOwn ? [[...new Set(named)].sort()] : all.length === 0 ? [] : [all];
}

function classOf({ kind }: Timing): Slice["class"] {
  return kind === "snapshot" ? "snapshot" : "daily";
}
