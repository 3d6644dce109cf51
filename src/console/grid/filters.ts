import { z } from "zod";
import { addDays, type Day } from "../../core/day.ts";
import type { Window } from "../../core/window.ts";
import { OptionalDay } from "../parse-input.ts";
import { pageAddress } from "../parts/address.ts";
import { columnWidths, suitableWidth, type ColumnWidth } from "./columns.ts";
import type { GridFilters } from "./read-grid.ts";
import type { Ends } from "./selection.ts";

const Name = z.string().default("");

/** The most days of a grid: two years. */
const mostDays = 731;

/** The address of the grid: whose cells, which days, how wide a column is, and the first row. An empty field means all. */
export const gridInput = z.object({
  dataset: Name,
  app: Name,
  country: Name,
  days: z.coerce.number().int().min(1).max(mostDays).default(60),
  to: OptionalDay,
  by: z.enum(["", ...columnWidths]).default(""),
  offset: z.coerce.number().int().min(0).default(0),
});
export type GridInput = z.output<typeof gridInput>;

/** The two ends of a selection, in addition to the filters: keys of rows, and days. */
export const selectionInput = z.object({ first: Name, last: Name, from: OptionalDay, until: OptionalDay });
export type SelectionInput = z.output<typeof selectionInput>;

/** The filters that an address names. */
export function filtersOf({ dataset, app, country }: Pick<GridInput, "dataset" | "app" | "country">): GridFilters {
  const named = (text: string) => text.split(",").filter((name) => name !== "");
  return { datasets: named(dataset), apps: named(app), countries: named(country) };
}

/** The days that an address names, up to today if it names no last day. */
export function gridWindow({ days, to }: Pick<GridInput, "days" | "to">, today: Day): Window {
  const end = addDays(to ?? today, 1);
  return { start: addDays(end, -days), end };
}

/** How wide a column is. */
export function columnWidth({ by }: Pick<GridInput, "by">, window: Window): ColumnWidth {
  return by === "" ? suitableWidth(window) : by;
}

/** The ends of a selection; null if the address names none. */
export function endsOf({ first, last, from, until }: SelectionInput): Ends | null {
  return first === "" || last === "" || from === undefined || until === undefined
    ? null
    : { first, last, from, to: until };
}

/** The fields of an address that choose whose cells the grid shows, and which days. */
export function gridFields({ dataset, app, country, days, to, by }: Omit<GridInput, "offset">) {
  return { dataset, app, country, days, to, by };
}

/** The address of cells of the grid: its filters and a selection. */
export function cellsAddress(input: Omit<GridInput, "offset"> & SelectionInput): string {
  const { first, last, from, until } = input;
  return pageAddress("/coverage", { ...gridFields(input), first, last, from, until });
}
