import { accountOf } from "../../config/config-of-account.ts";
import { countOf } from "../../core/words.ts";
import { sumBy } from "../../core/sum.ts";
import { dayOf, daysBetween, isDay } from "../../core/day.ts";
import { kindNamed, titleOf } from "../../incidents/kinds.ts";
import { incidentText, type OpenIncident } from "../../incidents/open-incidents.ts";
import type { FailureSum } from "../../ledger/failures.ts";
import { heldAction } from "../actions/held.ts";
import { retryAction } from "../actions/retry.ts";
import { actionForm } from "../define-action.ts";
import type { PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { pageAddress } from "./address.ts";
import { mark } from "./badge.ts";
import { codeText } from "./code-text.ts";
import { timeElement } from "./times.ts";

/** The open incidents, each with how to fix it; nothing if none is open. */
export function incidentList(
  context: PageContext,
  incidents: readonly OpenIncident[],
  failures: readonly FailureSum[],
): Html {
  const own = accountOf(context.app.config.settings);
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
            <span class="muted small">since ${timeElement(incident.openedAt, context.now)}</span>
            <p>${codeText(incidentText(incident, own))}</p>
            ${mendOf(context, incident, failures)}
          </div>
        </li>`;
      })}
    </ul>
  </section>`;
}

function mendOf(context: PageContext, incident: OpenIncident, failures: readonly FailureSum[]): Html | null {
  const mend = kindNamed(incident.kind)?.mend;
  if (mend === "credits") return html`<a class="button" href="/credits">See credits</a>`;
  if (mend === "coverage")
    return html`<a class="button" href="${coverageAddress(incident, context.now)}">See what is missing</a>`;
  if (mend === "held" && isOfOther(context, incident)) return null;
  if (mend === "held") return actionForm(context, { action: heldAction, label: "See what is held", fields: {} });
  if (mend !== "retry") return null;
  const fields = retryFields(incident, failures);
  const own = failures.filter((failure) => isAbout(fields, failure));
  if (own.length === 0) return null;
  const [slices, credits] = [sumBy(own, (one) => one.slices), sumBy(own, (one) => one.credits)];
  return actionForm(context, {
    action: retryAction,
    label: `Retry ${countOf(slices, "slice")} · ${countOf(credits, "credit")}`,
    fields,
    agreed: credits,
  });
}

/** True for an incident of an account that this console does not act for. */
function isOfOther({ app }: PageContext, { account }: OpenIncident): boolean {
  return account !== null && account !== accountOf(app.config.settings);
}

type Fields = { readonly app: string; readonly datasets: string; readonly codes: string };

/**
 * The subject of an incident of failed slices is an app (`ios 12`), a dataset and an error code, or a code alone: however many slices there
 * are, a form names what they have in common.
 */
function retryFields({ kind, subject }: OpenIncident, failures: readonly FailureSum[]): Fields {
  if (kind === "app_failing") return { app: subject, datasets: "", codes: "" };
  const [first = "", second] = subject.split(" ");
  const isCode = second === undefined && failures.some(({ code }) => code === first);
  return { app: "", datasets: isCode ? "" : first, codes: isCode ? first : (second ?? "") };
}

function isAbout(fields: Fields, { app, dataset, code }: FailureSum): boolean {
  return (
    (fields.app === "" || fields.app === app) &&
    (fields.datasets === "" || fields.datasets === dataset) &&
    (fields.codes === "" || fields.codes === code)
  );
}

/** The days that the grid for an incident shows before the first day that the incident names. */
const daysBefore = 6;
const mostDays = 365;

/** The grid of the datasets and days among the facts of an incident; the whole grid if it has none. */
function coverageAddress({ facts }: OpenIncident, now: number): string {
  const named = (one: string, many: string) => [facts[many] ?? facts[one] ?? []].flat().map(String);
  const [first] = named("newest_day", "days").filter(isDay).sort();
  const days = first === undefined ? "" : Math.min(daysBetween(first, dayOf(now)) + 1 + daysBefore, mostDays);
  return pageAddress("/coverage", { dataset: named("dataset", "datasets").join(","), days });
}
