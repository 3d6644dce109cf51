import { type EncodedColumn, spread } from "./column-array.ts";
import { isQuoted } from "./columns.ts";
import type { ReadyLoad } from "./ready-load.ts";
import type { Table } from "./table.ts";

/** A load of a table that is loaded row by row, with at least one row. */
export type Filled = ReadyLoad & { readonly encoded: ReadonlyMap<string, EncodedColumn> };

/** The loads that have rows. */
export function filledOf(loads: readonly ReadyLoad[]): readonly Filled[] {
  return loads.flatMap((load) => (load.encoded === null ? [] : [{ ...load, encoded: load.encoded }]));
}

const none: EncodedColumn = { constant: true, elements: "NULL" };

/** A column of a load. */
export function columnOf(column: string, { encoded }: Filled): EncodedColumn {
  return encoded.get(column) ?? none;
}

/** The first columns of the key that are constant within each of these loads: they determine the part of the index that a load writes. */
export function stretchOf(table: Table, loads: readonly Filled[]): readonly string[] {
  const varied = table.key.findIndex((column) => !loads.every((load) => columnOf(column, load).constant));
  return table.key.slice(0, varied < 0 ? undefined : varied);
}

/** Cuts loads, in their order, into the fewest runs in which no cell occurs twice. */
export function runsApart(table: Table, loads: readonly Filled[]): readonly (readonly Filled[])[] {
  const fixed = table.key.filter((column) => loads.every((load) => columnOf(column, load).constant));
  const runs: Filled[][] = [];
  let cells = createCells(table, fixed);
  for (const load of loads) {
    if (runs.length === 0 || !cells.add(load)) {
      runs.push([]);
      if (runs.length > 1) cells = createCells(table, fixed);
      cells.add(load);
    }
    runs.at(-1)?.push(load);
  }
  return runs;
}

/** Collects the cells of loads. A load is not searched if no other one has the same values in the `fixed` columns. */
function createCells(table: Table, fixed: readonly string[]) {
  const rest = table.key.filter((column) => !fixed.includes(column));
  const parts = new Map<string, { readonly first: Filled; cells: Set<string> | null }>();
  return {
    /** Adds a load; false if it may share a cell with another one: then it is not added. */
    add: (load: Filled): boolean => {
      const name = fixed.map((column) => columnOf(column, load).elements).join(",");
      const part = parts.get(name);
      if (part === undefined) {
        parts.set(name, { first: load, cells: null });
        return true;
      }
      // a text may hold a comma
      if (rest.length === 0 || rest.some((column) => isQuoted(table.columns[column] ?? "text"))) return false;
      const own = cellsOf(rest, load);
      const known = (part.cells ??= new Set(cellsOf(rest, part.first)));
      if (own.some((cell) => known.has(cell))) return false;
      for (const cell of own) known.add(cell);
      return true;
    },
  };
}

/** The values of some columns, one text per row. */
export function cellsOf(columns: readonly string[], load: Filled): readonly string[] {
  const values = columns.map((column) => spread(columnOf(column, load), load.count).split(","));
  return Array.from({ length: load.count }, (_, row) => values.map((each) => each[row]).join(" "));
}
