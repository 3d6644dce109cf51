import { count } from "../../core/words.ts";
import { sumBy } from "../../core/sum.ts";
import { html, type Html } from "../html.ts";
import { dataTable, type TableColumn } from "./table.ts";

/** What was spent on something. */
type Spend = { readonly credits: number; readonly requests: number };

/** The sum of their credits. */
export function sumOfCredits(all: readonly Pick<Spend, "credits">[]): number {
  return sumBy(all, ({ credits }) => credits);
}

/** The text if there is nothing to show. */
export const nothingSpent = html`<p class="muted">Nothing was spent in this period.</p>`;

/** The number of lines that are shown without a click. */
const atFirst = 12;
/** Further lines are summed up: an account may have thousands of apps. */
const mostLines = 100;

/** What was spent, grouped by a name, the largest first, with each one's share of the total as a bar; smaller ones are shown after a click. */
export function spendTable<S extends Spend>(heading: string, spend: readonly S[], nameOf: (one: S) => string): Html {
  if (spend.length === 0) return nothingSpent;
  const groups = [...Map.groupBy(spend, nameOf)]
    .map(([name, own]) => ({ name, credits: sumOfCredits(own), requests: sumBy(own, (one) => one.requests) }))
    .sort((a, b) => b.credits - a.credits || (a.name < b.name ? -1 : 1));
  const shown = groups.slice(0, mostLines);
  const others = groups.slice(mostLines);
  if (others.length > 0)
    shown.push({
      name: `${count(others.length)} others`,
      credits: sumOfCredits(others),
      requests: sumBy(others, (one) => one.requests),
    });
  const total = sumOfCredits(spend);
  const columns: readonly TableColumn<(typeof groups)[number]>[] = [
    { heading, cell: ({ name }) => html`<span class="wrap">${name}</span>` },
    { heading: "Share", cell: ({ credits }) => bar(credits, total) },
    { heading: "Requests", isNumber: true, cell: ({ requests }) => requests },
    { heading: "Credits", isNumber: true, cell: ({ credits }) => credits },
  ];
  const rest = shown.slice(atFirst);
  const caption = `Credits by ${heading.toLowerCase()}`;
  return html`<div class="spend">
    ${dataTable(caption, columns, shown.slice(0, atFirst))}${
      rest.length === 0
        ? null
        : html`<details>
            <summary>${count(rest.length)} more</summary>
            ${dataTable(`${caption}, the rest`, columns, rest)}
          </details>`
    }
  </div>`;
}

/** A bar as long as its share of the whole; the number is next to it. */
function bar(value: number, whole: number): Html {
  const width = whole <= 0 ? 0 : Math.round((100 * value) / whole);
  return html`<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="rest" width="100" height="8"></rect>
    <rect width="${width}" height="8"></rect>
  </svg>`;
}
