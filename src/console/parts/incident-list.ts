import { countOf } from "../../core/count.ts";
import { kindNamed, titleOf } from "../../incidents/kinds.ts";
import type { OpenIncident } from "../../incidents/open-incidents.ts";
import type { Failure } from "../../ledger/failures.ts";
import { retryAction } from "../actions/retry.ts";
import { actionForm } from "../define-action.ts";
import type { PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { mark } from "./badge.ts";
import { codeText } from "./code-text.ts";
import { timeCell } from "./times.ts";

/** The open incidents, each with what mends it; nothing where none is open. */
export function incidentList(
  context: PageContext,
  incidents: readonly OpenIncident[],
  failures: readonly Failure[],
): Html {
  if (incidents.length === 0) return html`<section id="incidents" hidden></section>`;
  return html`<section id="incidents" class="card wide">
    <h2>${countOf(incidents.length, "open incident")}</h2>
    <ul class="incidents">
      ${incidents.map((incident) => {
        const weight = kindNamed(incident.kind)?.weight ?? "trouble";
        return html`<li>
          ${mark(weight === "trouble" ? "bad" : "warn")}
          <div>
            <strong>${titleOf(incident.kind)}</strong>
            <span class="muted small">since ${timeCell(incident.openedAt, context.now)}</span>
            <p>${codeText(incident.summary)}</p>
            ${mendOf(context, incident, failures)}
          </div>
        </li>`;
      })}
    </ul>
  </section>`;
}

function mendOf(context: PageContext, incident: OpenIncident, failures: readonly Failure[]): Html | null {
  const mend = kindNamed(incident.kind)?.mend;
  if (mend === "credits") return html`<a class="button" href="/credits">See the credits</a>`;
  if (mend === "coverage") return html`<a class="button" href="/coverage">See what is missing</a>`;
  if (mend !== "retry") return null;
  const own = failures.filter((failure) => isAbout(incident, failure));
  if (own.length === 0) return null;
  const credits = own.reduce((sum, { plannedCredits }) => sum + plannedCredits, 0);
  return actionForm(context, {
    action: retryAction,
    label: `Retry ${countOf(own.length, "slice")} · ${countOf(credits, "credit")}`,
    fields: { slices: own.map(({ sliceId }) => sliceId).join(",") },
    agreed: credits,
  });
}

/** The subject of an incident of failed slices is an app (`ios 12`), a dataset and an error code, or a code alone. */
function isAbout({ subject }: OpenIncident, { dataset, code, scope }: Failure): boolean {
  const { store = "", app = "" } = scope;
  return [`${store} ${app}`, `${dataset} ${code}`, code].includes(subject);
}
