import type { Day } from "../../core/day.ts";
import { groupKey, type PartitionGroup } from "../../core/partition-group.ts";
import { countOf } from "../../core/words.ts";
import { readAppNames } from "../../ledger/read-app-names.ts";
import { lastDay, type Window } from "../../core/window.ts";
import { columnsOf, type ColumnWidth } from "../grid/columns.ts";
import {
  cellsAddress,
  endsOf,
  filtersOf,
  gridInput,
  selectionInput,
  type SelectionInput,
  columnWidth,
  gridWindow,
  type GridInput,
  gridFields,
} from "../grid/filters.ts";
import { filterForm } from "../grid/filter-form.ts";
import { gridHead, gridLegend, gridRows } from "../grid/grid-table.ts";
import { filtered, readCells, readRows, type GridRow } from "../grid/read-grid.ts";
import { emptyPanel, selectionPanel } from "../grid/selection-panel.ts";
import { readSelection, rowsBetween, selectionOf, tooLarge } from "../grid/selection.ts";
import { definePage, type PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { pageAddress } from "../parts/address.ts";
import { codeText } from "../parts/code-text.ts";
import { pageHead } from "../parts/head.ts";
import { pager } from "../parts/pager.ts";

/** Cells that are sent at a time: a browser takes too long to lay out more. */
const mostCells = 1_800;
const fewestRows = 8;

/** Rows that are sent at a time. */
function rowsAtOnce(columns: number): number {
  return Math.max(fewestRows, Math.floor(mostCells / columns));
}

type Grid = {
  readonly window: Window;
  readonly width: ColumnWidth;
  readonly columns: readonly Window[];
  readonly rows: readonly GridRow[];
  readonly total: number;
  /** Rows that are sent at a time, and the number of the first. */
  readonly size: number;
  readonly offset: number;
  readonly selected: ReturnType<typeof rowsBetween>;
};

/** Every row of the datasets that are on: read once, for all filters of all visitors. */
function readAllRows({ app, read }: PageContext): Promise<readonly PartitionGroup[]> {
  return read("rows", (db) => readRows(app, db, []));
}

/** The rows that pass the filters of an address. */
async function readShownRows(context: PageContext, input: GridInput): Promise<readonly PartitionGroup[]> {
  const filters = filtersOf(input);
  const all = await readAllRows(context);
  const isOn = (name: string) => all.some(({ dataset }) => dataset === name);
  if (filters.datasets.every(isOn)) return filtered(all, filters);
  const { app, read } = context;
  const named = await read(`rows ${filters.datasets.join()}`, (db) => readRows(app, db, filters.datasets));
  return filtered(named, filters);
}

async function readGrid(context: PageContext, input: GridInput & Partial<SelectionInput>): Promise<Grid> {
  const { app, read } = context;
  const window = gridWindow(input, app.clock.today());
  const width = columnWidth(input, window);
  const columns = columnsOf(window, width);
  const size = rowsAtOnce(columns.length);
  const groups = await readShownRows(context, input);
  const { first = "", last = "" } = input;
  const selected = rowsBetween(groups, { first, last });
  // rows that the address selects are in view; a link may come from a longer grid
  const wanted = input.offset === 0 && selected !== null && selected.top >= size ? selected.top : input.offset;
  const offset = Math.min(wanted, Math.max(0, groups.length - 1));
  const shown = groups.slice(offset, offset + size);
  const key = `cells ${JSON.stringify([filtersOf(input), window, width, offset])}`;
  const rows = await read(key, (db) => readCells(app, db, { groups: shown, window, width }));
  return { window, width, columns, rows, total: groups.length, size, offset, selected };
}

/** The grid of coverage: what is loaded, what is missing and why, and what it costs to fill it. */
export const coveragePage = definePage({
  path: "/coverage",
  title: "Coverage",
  inNavigation: true,
  input: gridInput.extend(selectionInput.shape),
  examples: ["/coverage?dataset=keyword_rank", "/coverage?dataset=keyword_rank&days=365"],
  show: async (context, input) => {
    const grid = await readGrid(context, input);
    const all = await readAllRows(context);
    const names = await context.read("names of apps", (db) => readAppNames(db, all));
    // for readers without JavaScript, which otherwise loads rows on scrolling
    const { total, size, offset: from, rows } = grid;
    const links = pager({ what: "rows", total, from, shown: rows.length, size }, (offset) =>
      pageAddress("/coverage", { ...gridFields(input), offset }),
    );
    return html`<link rel="stylesheet" href="/drawings.css" /><link rel="stylesheet" href="/assets/coverage.css" />
      ${pageHead("Coverage", "Which cells are loaded, by dataset, app and country. A square shows the worst state that it contains.")}
      ${filterForm(input, all, names)} ${gridLegend()}
      <p id="grid-notice" class="notice warn" role="status" hidden></p>
      <div class="coverage">
        <div class="grid-wrap" role="region" aria-label="Coverage grid" tabindex="0">
          ${grid.total === 0 ? nothing() : table(input, grid, context.liveSince)}
        </div>
        <aside id="selection" class="card" aria-live="polite" aria-label="Selection">
          ${await panelOf(context, input)}
        </aside>
      </div>
      ${links}
      <script src="/assets/coverage.js" type="module"></script>`;
  },
});

function nothing(): Html {
  return html`<p class="muted">The portfolio has no such cells. <code>storehouse sync</code> reads the portfolio.</p>`;
}

function table(input: GridInput, { columns, width, rows, total, size, offset, selected }: Grid, since: number): Html {
  const address = (path: string) => pageAddress(path, gridFields(input));
  return html`<table
    class="cells ${width}"
    id="cells"
    data-since="${since}"
    data-total="${total}"
    data-size="${size}"
    data-offset="${offset}"
    ${selected === null ? null : html` data-top="${selected.top}" data-bottom="${selected.bottom}"`}
    data-page="${address("/coverage")}"
    data-more="${address("/coverage/cells")}"
    data-panel="${address("/coverage/selection")}"
  >
    <caption class="unseen">
      ${countOf(total, "partition")}, ${countOf(columns.length, width)}
    </caption>
    ${gridHead(columns, width)}
    <tbody>
      ${gridRows(rows, offset, (key) => cellsAddress({ ...input, first: key, last: key, from: columns[0]?.start, until: lastOf(columns) }))}
    </tbody>
  </table>`;
}

function lastOf(columns: readonly Window[]): Day | undefined {
  const last = columns.at(-1);
  return last && lastDay(last);
}

async function panelOf(context: PageContext, input: Parameters<typeof endsOf>[0] & GridInput): Promise<Html> {
  const ends = endsOf(input);
  if (ends === null) return emptyPanel();
  const { app, read } = context;
  const selection = selectionOf(await readShownRows(context, input), ends);
  if (selection === null) return html`<p>The portfolio no longer has these cells.</p>`;
  const problem = tooLarge(selection);
  if (problem !== null) return html`<p class="notice warn" role="status">${codeText(`${problem}.`)}</p>`;
  const key = `selection ${JSON.stringify([selection.window, selection.groups.map(groupKey)])}`;
  const facts = await read(key, (db) => readSelection(app, db, selection));
  const fields = { ...gridFields(input), first: ends.first, last: ends.last, from: ends.from, until: ends.to };
  const here = cellsAddress(fields);
  const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value ?? "")]));
  return selectionPanel({ ...context, address: here }, { selection, facts, fields: texts });
}

/** Further rows of the grid, loaded on scrolling. */
export const coverageCellsPage = definePage({
  path: "/coverage/cells",
  title: "Cells",
  input: gridInput,
  examples: [],
  show: async (context, input) => {
    const { rows, offset } = await readGrid(context, input);
    return { type: "text/html; charset=utf-8", body: gridRows(rows, offset).markup };
  },
});

/** The panel next to the grid for a selection. */
export const coverageSelectionPage = definePage({
  path: "/coverage/selection",
  title: "Selection",
  effort: "some",
  input: gridInput.extend(selectionInput.shape),
  examples: [],
  show: async (context, input) => ({
    type: "text/html; charset=utf-8",
    body: (await panelOf(context, input)).markup,
  }),
});
