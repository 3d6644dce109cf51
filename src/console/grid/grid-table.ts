import type { Day } from "../../core/day.ts";
import { groupKey } from "../../core/partition-group.ts";
import { lastDay, type Window, windowText } from "../../core/window.ts";
import { stateLooks } from "../../charts/palette.ts";
import { monthWords } from "../../charts/time.ts";
import { stateWords, worstFirst, worstState, type CellCounts } from "../../plan/cell-states.ts";
import { html, type Html } from "../html.ts";
import type { ColumnWidth } from "./columns.ts";
import type { GridRow } from "./read-grid.ts";

/** What the colours and signs of the grid mean. */
export function gridLegend(): Html {
  const states = [...new Map(worstFirst.map((state) => [stateWords[state], state])).values()].toReversed();
  return html`<ul class="cell-legend" aria-label="Legend of colours and signs">
    ${states.map(
      (state) =>
        html`<li>
          <span class="cell ${state}" aria-hidden="true">${stateLooks[state].sign}</span>${stateWords[state]}
        </li>`,
    )}
    <li><span class="cell" aria-hidden="true"></span>not requested</li>
  </ul>`;
}

/** The head of the grid: months, and in each its days or the first days of its weeks. */
export function gridHead(columns: readonly Window[], width: ColumnWidth): Html {
  const months = Map.groupBy(columns, ({ start }) => start.slice(0, 7));
  return html`<thead>
    <tr>
      <th rowspan="2" scope="col" class="who">dataset, app, country</th>
      ${[...months].map(
        ([, inside]) =>
          html`<th scope="colgroup" colspan="${inside.length}">
            <span>${inside.length < (width === "day" ? 4 : 2) ? "" : monthWords(inside[0]?.start as Day)}</span>
          </th>`,
      )}
    </tr>
    <tr>
      ${columns.map(
        (column) =>
          html`<th scope="col" data-from="${column.start}" data-to="${lastDay(column)}" title="${windowText(column)}">
            ${Number(column.start.slice(8))}
          </th>`,
      )}
    </tr>
  </thead>`;
}

const storeNames: Readonly<Record<string, string>> = { ios: "iOS", android: "And." };

/**
 * Rows of the grid; `offset` is the number of the first. `selecting`: the address that selects a whole row by its key, for readers without
 * JavaScript.
 */
export function gridRows(rows: readonly GridRow[], offset: number, selecting?: (key: string) => string): Html {
  return html`${rows.map(
    (row, index) =>
      html`<tr data-row="${offset + index}" data-key="${groupKey(row)}">
        <th scope="row" class="who">
          <span class="dataset">${row.dataset}</span
          ><span class="app" dir="auto"
            >${row.appName ?? row.trackId ?? (row.store === null ? "the account" : "every app")}</span
          ><span class="store">${row.store === null ? null : storeNames[row.store]}</span
          ><span class="country">${row.country}</span>${
            selecting === undefined || !hasReason(row)
              ? null
              : html`<noscript><a href="${selecting(groupKey(row))}">why</a></noscript>`
          }
        </th>
        ${row.cells.map(cell)}
      </tr> `,
  )}`;
}

/** True if the reason for the state of a cell is known. */
function hasReason({ cells }: GridRow): boolean {
  return cells.some((one) => ["failed", "lost", "deferred", "skipped"].includes(worstState(one) ?? ""));
}

function cell(cells: CellCounts): Html {
  const state = worstState(cells);
  if (state === null) return html`<td></td>`;
  const states = Object.entries(cells);
  const title =
    states.length > 1 ? html` title="${states.map(([name, count]) => `${count} ${name}`).join(", ")}"` : null;
  return html`<td class="${state}" ${title}>${stateLooks[state].sign}</td>`;
}
