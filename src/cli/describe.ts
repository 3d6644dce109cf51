import { withStoreWords, type StoreWords } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import type { Dataset } from "../datasets/define-dataset.ts";

/** An operation as data, for `storehouse operations --json` and the README. */
export function describeOperation(operation: Operation, words: StoreWords) {
  const { id, name, store, method, cost, range, paging, summary } = operation;
  const parameters = Object.entries(operation.params).map(([parameter, param]) => ({
    name: parameter,
    in: param.in,
    required: param.required,
    maxItems: param.maxItems ?? null,
    doc: param.doc,
  }));
  const itemLimit = parameters.find((parameter) => parameter.maxItems !== null);
  return {
    id,
    name,
    store,
    method,
    path: withStoreWords(operation.path, words),
    parameters,
    cost,
    longestRangeDays: range?.days ?? null,
    rangeEndInclusive: range?.endInclusive ?? null,
    paging,
    itemLimit: itemLimit === undefined ? null : { parameter: itemLimit.name, items: itemLimit.maxItems },
    summary,
  };
}

/** A dataset as data, for `storehouse datasets --json` and the README. */
export function describeDataset(dataset: Dataset) {
  const { name, summary, on, why, stage, timing } = dataset;
  return {
    name,
    summary,
    on,
    why,
    stage,
    timing,
    tables: dataset.tables.map((table) => table.name),
    operations: dataset.operations.map(({ id }) => id),
  };
}

/** When a dataset is asked for, in words. */
export function timingWords(timing: Dataset["timing"]): string {
  if (timing.kind === "snapshot") return timing.refreshDays === 1 ? "daily" : `every ${timing.refreshDays} days`;
  const lookback = timing.lookbackDays > 0 ? `, the last ${timing.lookbackDays} again` : "";
  return `each day, ${timing.historyDays} back${lookback}`;
}
