import type { InvalidItem } from "../api/read-answer.ts";
import { requestedWindow, type Slice } from "../core/slice.ts";
import { lastDay } from "../core/window.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { Tail } from "../ledger/tails.ts";
import { checkRows } from "../load/check-rows.ts";
import type { Load } from "../load/ready-load.ts";
import { appRef, type Row, type Table } from "../load/table.ts";
import { normaliseAnswer } from "./normalise-answer.ts";
import type { Fetched } from "./read-pages.ts";
import { tailOf, withoutTail } from "./reported-days.ts";

/** An answer as checked rows of its tables; keys of dimensions are not looked up yet. */
export type AnswerRows = {
  readonly loads: readonly Load[];
  readonly invalid: readonly InvalidItem[];
  /** Items of the slice that the answer does not name. */
  readonly unanswered: readonly string[];
  /** The last days of the window, if the answer says nothing about them. */
  readonly tail: Tail | null;
};

/** Normalises an answer and checks its rows. */
export function rowsOfAnswer(dataset: Dataset, slice: Slice, fetched: Fetched): AnswerRows {
  // so that the same answer, loaded again, becomes the same rows
  const requested = { ...slice, window: requestedWindow(slice) };
  const normalised = normaliseAnswer(dataset, requested, fetched);
  const invalid: InvalidItem[] = [...fetched.invalid, ...normalised.invalid];
  const checked = dataset.tables.map((table) => {
    const { fit, columns, invalid: unloadable } = checkRows(table, normalised.rows[table.name] ?? []);
    invalid.push(...unloadable);
    return { table, rows: fit, columns };
  });
  const [first] = checked;
  // pages that were not requested may be about the days that seem unreported
  const tail =
    fetched.isCut === true || first === undefined ? null : tailOf(dataset, requested, { rows: first.rows, invalid });
  // an answer with invalid items does not show what is gone, and a problem outside the items may mean that a page is missing
  const isCut =
    fetched.isCut === true || fetched.invalid.some(({ item, index }) => item === null && index === undefined);
  const loads = checked.map(({ table, rows, columns }) => ({
    table,
    rows: withoutTail(table, rows, tail),
    columns,
    sliceId: slice.sliceId,
    fetchedAt: fetched.fetchedAt,
    day: slice.window.start,
    until: tail?.window.start ?? requested.window.end,
    scope: scopeRow(table, requested),
    complete: !isCut && invalid.every((one) => (one.table ?? table.name) !== table.name),
    isCut,
  }));
  return { loads, invalid, unanswered: normalised.unanswered ?? [], tail };
}

/** The columns of a table that the slice's scope and window fix. */
function scopeRow(table: Table, { scope, window }: Slice): Row {
  const columns = "scope" in table.load ? table.load.scope : [];
  return Object.fromEntries(
    columns.map((column) => {
      const kind = table.columns[column];
      if (kind === "app") return [column, appRef(scope["store"] ?? "", scope["app"] ?? "")];
      if (kind === "day") return [column, column === "period_end" ? lastDay(window) : window.start];
      if (kind === "device") return [column, scope["device"] ?? "ALL"];
      // a partition without a country or language is about all of them
      if (kind === "country") return [column, scope["country"] ?? "ALL"];
      return [column, scope[kind === "text" ? column : (kind ?? column)] ?? (kind === "text" ? "" : null)];
    }),
  );
}
