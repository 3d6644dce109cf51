import { count, countOf } from "../../core/words.ts";
import { resultText } from "../background-runs.ts";
import { stopAction } from "../actions/stop.ts";
import { actionForm } from "../define-action.ts";
import type { PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { badge, stateBadge } from "./badge.ts";
import { instantText } from "./times.ts";

/** The console's present or last run, with its progress. */
export function runningCard(context: PageContext): Html {
  const { runs, now } = context;
  const run = runs.latest();
  if (run === null) return html`<section id="running" hidden></section>`;
  const { what, startedAt, progress, isStopping, ended } = run;
  if (ended === null)
    return html`<section id="running" class="card wide">
      <h2>${what}</h2>
      <p>
        ${badge("busy", isStopping ? "stopping" : "under way")}
        <span class="muted">since ${instantText(startedAt, now)}</span>
      </p>
      ${progress === null ? html`<p>It starts with a balance check.</p>` : progressBar(progress)}
      ${isStopping ? html`<p class="muted">Requests under way finish first, because they are paid for.</p>` : actionForm(context, { action: stopAction, fields: { started: startedAt } })}
    </section>`;
  const outcome = ended.result?.outcome ?? "failed";
  return html`<section id="running" class="card wide">
    <h2>${what}</h2>
    <p>${stateBadge(outcome)} <span class="muted">${instantText(ended.at, now)}</span></p>
    ${ended.result === null ? null : html`<p>${resultText(ended.result)}. <a href="/runs/${ended.result.runId}">See the run</a></p>`}
    ${ended.problem === null ? null : html`<p class="notice bad">${ended.problem}</p>`}
  </section>`;
}

function progressBar({
  total,
  open,
  credits,
}: {
  readonly total: number;
  readonly open: number;
  readonly credits: number;
}): Html {
  return html`<progress max="${Math.max(total, 1)}" value="${total - open}" aria-label="progress">
      ${count(total - open)} of ${count(total)}
    </progress>
    <p>${count(total - open)} of ${countOf(total, "slice")} done, ${countOf(credits, "credit")} spent.</p>`;
}
