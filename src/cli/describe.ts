import { z } from "zod";
import { withStoreWords, type StoreWords } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import { parameterSchema } from "../api/parameter-schema.ts";
import { onceDays } from "../core/timing.ts";
import { countOf } from "../core/words.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { examplePartitions, timingsOf } from "../planner/example-partitions.ts";

/** An operation as data, for `storehouse operations --json` and the docs. */
export function describeOperation(operation: Operation, words: StoreWords) {
  const { id, name, store, method, cost, range, paging, summary } = operation;
  const parameters = Object.entries(operation.params).map(([parameter, param]) => ({
    name: parameter,
    in: param.in,
    required: param.required,
    maxItems: param.maxItems ?? null,
    /** How a list is sent: as one value with commas, or as a JSON list in the body; null if it is no list. */
    list: isList(param.schema) ? (param.in === "body" ? "json" : "comma") : null,
    default: param.default ?? null,
    schema: parameterSchema(param, words),
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
    longestRangeMonths: range?.months ?? null,
    range: range === null ? null : { start: range.start, end: range.end },
    rangeEndInclusive: range?.endInclusive ?? null,
    paging,
    envelope: operation.envelope,
    items: operation.items,
    itemLimit: itemLimit === undefined ? null : { parameter: itemLimit.name, items: itemLimit.maxItems },
    summary,
  };
}

/** The longest range of one call in words, and whether its end is inclusive; empty if a call has no range. */
export function rangeWords({ range }: Operation): string {
  if (range === null) return "";
  const length =
    range.months === undefined
      ? `${range.days ?? "any number of"} days`
      : `${range.months} ${range.months === 1 ? "month" : "months"}`;
  const end = { true: "inclusive", false: "exclusive", null: "not documented" }[String(range.endInclusive)];
  return `${length}, end ${end ?? ""}`;
}

function isList(schema: z.ZodType): boolean {
  return schema instanceof z.ZodNullable ? isList(schema.unwrap() as z.ZodType) : schema instanceof z.ZodArray;
}

/** A dataset as data, for `storehouse datasets --json` and the docs. */
export function describeDataset(dataset: Dataset) {
  const { name, summary, on, why, stage, timing } = dataset;
  return {
    name,
    summary,
    on,
    why,
    stage,
    timing,
    requested: timesRequested(dataset),
    tables: dataset.tables.map((table) => table.name),
    operations: dataset.operations.map(({ id }) => id),
  };
}

/** When a dataset is requested with its default options, in words. */
function timesRequested(dataset: Dataset): string {
  const timings = timingsOf(dataset, examplePartitions(dataset));
  return [...new Set(timings.map(timingWords))].join("; ");
}

function timingWords(timing: Dataset["timing"]): string {
  if (timing.kind === "snapshot") {
    if (timing.refreshDays >= onceDays) return "once";
    return timing.refreshDays === 1 ? "daily" : `every ${timing.refreshDays} days`;
  }
  const again = timing.lookbackDays === 1 ? "day" : `${timing.lookbackDays} days`;
  const lookback = timing.lookbackDays > 0 ? `, the last ${again} again` : "";
  const packed = timing.packDays === undefined ? "" : `, ${timing.packDays} days per request`;
  const unit = timing.kind === "series" ? "day" : "days" in timing.grid ? `${timing.grid.days} days` : "month";
  return `by ${unit}, ${countOf(timing.historyDays, "day")} back${lookback}${packed}`;
}
