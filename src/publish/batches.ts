import type { TablePart } from "../export/parts-of-table.ts";

/**
 * A batch of many small months costs as much as one month. A block of ClickHouse has about this many rows; a larger batch makes more than
 * one part per month.
 */
const mostRows = 1_000_000;
/** One load may go into at most 100 partitions. */
const mostMonths = 60;

/** The changed months of a table, in batches that are loaded together: consecutive months without too many rows. */
export function monthBatches(
  parts: readonly TablePart[],
  isChanged: (part: TablePart) => boolean,
): readonly (readonly TablePart[])[] {
  const batches: TablePart[][] = [];
  let rows = 0;
  let before: TablePart | null = null;
  for (const part of parts) {
    const batch = batches.at(-1);
    const goesOn = before !== null && part.window !== null && isChanged(before) && rows + part.rows <= mostRows;
    if (!isChanged(part)) rows = 0;
    else if (batch !== undefined && goesOn && batch.length < mostMonths) {
      batch.push(part);
      rows += part.rows;
    } else {
      batches.push([part]);
      rows = part.rows;
    }
    before = part;
  }
  return batches;
}
