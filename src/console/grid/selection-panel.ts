import { countOf, triedAgainBy } from "../../core/words.ts";
import { sumBy } from "../../core/sum.ts";
import { daysText, windowLength, windowText } from "../../core/window.ts";
import { stateLooks } from "../../charts/palette.ts";
import { stateWords, worstFirst, type CellCounts } from "../../plan/cell-states.ts";
import type { Reason } from "../../ledger/reasons.ts";
import { fillAction } from "../actions/fill.ts";
import { retryCellsAction } from "../actions/retry-cells.ts";
import { actionForm } from "../define-action.ts";
import type { PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { codeText } from "../parts/code-text.ts";
import { instantText, timeElement } from "../parts/times.ts";
import type { Selection, SelectionFacts } from "./selection.ts";
import { hiddenFields } from "../parts/form-fields.ts";
import { withoutCode } from "../../core/errors.ts";

/** The panel next to the grid before anything is selected. */
export function emptyPanel(): Html {
  return html`<p class="muted scripted">
      Select cells to see the reasons for their state, and what it costs to fill or retry them: drag over them, or press
      Shift and click a second cell. By keyboard: arrows move, Shift and arrows select, Enter opens the selection here,
      Escape ends it.
    </p>
    <noscript
      ><p class="muted">
        The link “why” in a row shows here why its cells are not loaded, and what it costs to fill or retry them.
        Selecting single cells needs JavaScript.
      </p></noscript
    >`;
}

/**
 * The subject of a selection, the reasons for the states of its cells, and what can be done about them at which price. `fields`: the form
 * fields that name the selection.
 */
export function selectionPanel(
  context: PageContext,
  {
    selection,
    facts,
    fields,
  }: {
    readonly selection: Selection;
    readonly facts: SelectionFacts;
    readonly fields: Readonly<Record<string, string>>;
  },
): Html {
  const { groups, window } = selection;
  const days = windowLength(window);
  return html`<h2>${countOf(groups.length, "partition")} × ${countOf(days, "day")}</h2>
    <p class="muted">${windowText(window)}</p>
    ${runOfConsole(context)} ${stateList(facts.cells)} ${facts.reported.map(reportedLine)}
    ${
      facts.reasons.length === 0
        ? null
        : html`<h3>Why</h3>
            <ul class="reasons">
              ${facts.reasons.slice(0, mostReasons).map((reason) => reasonItem(reason, context.now))}
            </ul>`
    }
    ${facts.reasons.length > mostReasons ? html`<p class="muted">and ${facts.reasons.length - mostReasons} more reasons: select fewer cells to see them.</p>` : null}
    ${fillPart(context, facts, fields)} ${retryPart(context, facts, fields)}`;
}

/** The console's present run, or the problem of its last one: cells alone do not show why they do not change. */
function runOfConsole({ runs, now }: PageContext): Html | null {
  const run = runs.latest();
  if (run === null) return null;
  const { what, ended } = run;
  if (ended === null)
    return html`<p class="notice" role="status">${what} is under way: <a href="/runs">Runs</a> shows and stops it.</p>`;
  if (ended.problem === null) return null;
  return html`<p class="notice bad">${what}, ${instantText(ended.at, now)}: ${codeText(ended.problem)}</p>`;
}

const mostReasons = 12;

function reportedLine({ dataset, source, cells }: SelectionFacts["reported"][number]): Html {
  return html`<p class="muted">
    ${countOf(cells, "cell")} of ${dataset} ${cells === 1 ? "was" : "were"} reported by ${source}: nothing was requested
    for ${cells === 1 ? "it" : "them"}.
  </p>`;
}

function stateList(cells: CellCounts): Html {
  const states = worstFirst.filter((state) => cells[state] !== undefined);
  if (states.length === 0) return html`<p>Nothing was requested here, and a sync would request nothing.</p>`;
  return html`<ul class="states">
    ${states.map(
      (state) =>
        html`<li>
          <span class="cell ${state}" aria-hidden="true">${stateLooks[state].sign}</span
          >${countOf(cells[state] ?? 0, "cell")} ${stateWords[state]}
        </li>`,
    )}
  </ul>`;
}

function reasonItem(
  { dataset, state, code, message, slices, sliceId, firstDay, lastDay: last, dueAt }: Reason,
  now: number,
): Html {
  const text = message === null || code === null ? message : withoutCode(message, code);
  return html`<li>
    <strong>${code ?? state}</strong>
    <span class="muted">${countOf(slices, "slice")} of ${dataset}, ${state}, ${daysText(firstDay, last)}</span>${
      text === null || text === "" ? null : html`<br />${codeText(text)}`
    }${dueAt === null ? null : html`<br /><span class="muted">${againWords(state)} ${timeElement(dueAt, now)}</span>`}<br /><a
      href="/slices/${sliceId}"
      >${slices === 1 ? "See the slice" : "See one of the slices"}<span class="unseen"> of ${code ?? state}</span></a
    >
  </li>`;
}

/** A worker starts what waits; what failed may be left to a person's sync. */
function againWords(state: string): string {
  return state === "failed" ? `requested again ${triedAgainBy}` : "requested again at";
}

function fillPart(
  context: PageContext,
  { fill, notes }: SelectionFacts,
  fields: Readonly<Record<string, string>>,
): Html {
  const said = notes.map((note) => html`<p class="muted">${codeText(note)}</p>`);
  if (fill === null)
    return html`<h3>Fill</h3>
      <p>Nothing to fill: a backfill can request none of these cells.</p>
      ${said}`;
  return html`<h3>Fill</h3>
    <p>
      A backfill of exactly these cells: ${countOf(fill.slices, "slice")}, ${countOf(fill.requests, "request")}, at most
      <strong>${countOf(fill.credits, "credit")}</strong>.
    </p>
    ${said} ${fillForm(context, fill.credits, fields)}`;
}

function fillForm(
  { visitor, formToken, address }: PageContext,
  credits: number,
  fields: Readonly<Record<string, string>>,
): Html {
  if (visitor.role !== "operator") return html`<p class="muted">Only operators can fill cells.</p>`;
  return html`<form method="post" action="/actions/${fillAction.name}" class="action stack">
    ${hiddenFields({ ...fields, back: address, _csrf: formToken() })}<label
      >Credit limit<input name="credit_limit" type="number" min="1" max="${credits}" value="${credits}" required
    /></label>
    <button class="button primary">${fillAction.label}</button>
  </form>`;
}

function retryPart(
  context: PageContext,
  { retry }: SelectionFacts,
  fields: Readonly<Record<string, string>>,
): Html | null {
  if (retry.length === 0) return null;
  const credits = sumBy(retry, (one) => one.credits);
  return html`<h3>Retry</h3>
    <p>
      ${countOf(
        sumBy(retry, ({ slices }) => slices),
        "failed slice",
      )}
      for at most <strong>${countOf(credits, "credit")}</strong>. A slice is requested as a whole, including its days
      outside the selection.
    </p>
    ${actionForm(context, { action: retryCellsAction, fields, agreed: credits })}`;
}
