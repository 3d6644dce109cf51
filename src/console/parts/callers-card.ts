import type { CallerUse } from "../../credits/caller-use.ts";
import { html, type Html } from "../html.ts";
import { dataTable } from "./table.ts";
import { sumBy } from "../../core/sum.ts";

/** What each caller of the gateway spent and saved, the largest charge first; null if there are no callers and were no calls. */
export function callersCard(uses: readonly CallerUse[], callers: readonly string[]): Html | null {
  if (uses.length === 0 && callers.length === 0) return null;
  const sums = [...Map.groupBy(uses, ({ caller }) => caller)]
    .map(([caller, own]) => sumOf(caller, own))
    .sort((a, b) => b.charged - a.charged || b.saved - a.saved || (a.caller < b.caller ? -1 : 1));
  return html`<section class="card span-two" id="callers">
    <h2>Callers of the gateway</h2>
    ${
      sums.length === 0
        ? html`<p class="muted">No caller made a call in this period.</p>`
        : dataTable(
            "Callers of the gateway",
            [
              { heading: "Caller", cell: ({ caller }) => html`<span class="wrap">${caller}</span>` },
              { heading: "Calls", isNumber: true, cell: ({ calls }) => calls },
              { heading: "Stored", isNumber: true, cell: ({ hits }) => hits },
              { heading: "Joined", isNumber: true, cell: ({ joined }) => joined },
              { heading: "Sent", isNumber: true, cell: ({ requests }) => requests },
              { heading: "Charged", isNumber: true, cell: ({ charged }) => charged },
              { heading: "Saved", isNumber: true, cell: ({ saved }) => saved },
              { heading: "Since", cell: ({ since }) => since },
            ],
            sums,
          )
    }
    <p class="muted">
      A call is answered from a stored answer, joins an equal call under way, or is sent; the first two save credits.
      <em>Since</em> is the first day with a call in this time.
    </p>
  </section>`;
}

function sumOf(caller: string, own: readonly CallerUse[]) {
  const sum = (of: (one: CallerUse) => number) => sumBy(own, of);
  const [hits, joined, requests] = [sum((one) => one.hits), sum((one) => one.joined), sum((one) => one.requests)];
  const since = own.map(({ day }) => day).sort()[0];
  const [charged, saved] = [sum((one) => one.charged), sum((one) => one.saved)];
  return { caller, calls: hits + joined + requests, hits, joined, requests, charged, saved, since };
}
