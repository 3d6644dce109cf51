import { count } from "../../core/words.ts";
import { html, type Html, type Part } from "../html.ts";

/** A column: its heading, whether it holds numbers, and the content of its cells. */
export type TableColumn<R> = {
  readonly heading: string;
  readonly isNumber?: true;
  readonly cell: (row: R) => Part;
};

/** A table that scrolls horizontally on a narrow screen. `caption` says what it lists, for screen readers. */
export function dataTable<R>(caption: string, columns: readonly TableColumn<R>[], rows: readonly R[]): Html {
  const numberClass = ({ isNumber }: TableColumn<R>) => (isNumber ? html` class="number"` : null);
  return html`<div class="table-wrap" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map((column) => html`<th scope="col" ${numberClass(column)}>${column.heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map((column) => html`<td${numberClass(column)}>${shown(column.cell(row))}</td>`)}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

function shown(value: Part): Part {
  if (typeof value === "number") return value === 0 ? html`<span class="zero">0</span>` : count(value);
  return value === null || value === undefined || value === "" ? html`<span class="zero">–</span>` : value;
}

/** Facts about one thing, as names and values; null values are left out. */
export function facts(all: readonly (readonly [string, Part])[]): Html {
  const known = all.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return html`<dl class="facts">
    ${known.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${typeof value === "number" ? count(value) : value}</dd>
        </div>`,
    )}
  </dl>`;
}
