import type { Operation } from "../../src/api/define-operation.ts";
import { readAnswer } from "../../src/api/read-answer.ts";
import type { Slice } from "../../src/core/slice.ts";
import type { Dataset } from "../../src/datasets/shared/define-dataset.ts";
import { checkRows } from "../../src/load/check-rows.ts";
import type { Row } from "../../src/load/table.ts";
import { sliceOf } from "./ingest-slice.ts";

/** Bodies, one a page, read as answers of an operation and made into rows of the dataset's first table; and why what else was in them does not fit. */
export function normalised(
  dataset: Dataset,
  operation: Operation,
  slice: Partial<Slice>,
  ...bodies: readonly unknown[]
): { readonly rows: readonly Row[]; readonly invalid: readonly string[] } {
  const { tables, invalid } = normalisedTables(dataset, operation, slice, ...bodies);
  const [table] = dataset.tables;
  if (table === undefined) throw new Error("a dataset has a table");
  return { rows: tables[table.name] ?? [], invalid };
}

/** The same with the rows of each table, by its name. */
export function normalisedTables(
  dataset: Dataset,
  operation: Operation,
  slice: Partial<Slice>,
  ...bodies: readonly unknown[]
): { readonly tables: Readonly<Record<string, readonly Row[]>>; readonly invalid: readonly string[] } {
  const read = bodies.map((body) => readAnswer(operation, Buffer.from(JSON.stringify(body))));
  const left = read.flatMap(({ invalid }, page) => invalid.map((one) => ({ ...one, page })));
  const { rows, invalid } = dataset.normalise(
    sliceOf({ dataset: dataset.name, operation: operation.id, ...slice }),
    read.map(({ value }) => value),
    left,
  );
  const checked = dataset.tables.map((table) => ({ name: table.name, ...checkRows(table, rows[table.name] ?? []) }));
  return {
    tables: Object.fromEntries(checked.map(({ name, fit }) => [name, fit])),
    invalid: [...left, ...invalid, ...checked.flatMap((one) => one.invalid)].map(({ reason }) => reason),
  };
}
