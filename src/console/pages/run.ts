import { z } from "zod";
import { accountOf } from "../../config/config-of-account.ts";
import { aboutText } from "../../core/about.ts";
import { count, countOf } from "../../core/words.ts";
import { sumBy } from "../../core/sum.ts";
import { fail } from "../../core/errors.ts";
import { sliceStates } from "../../core/slice.ts";
import { isPlanOpen } from "../../ledger/end-stopped.ts";
import { movedWords, readRun, runWords, type RunLine } from "../../ledger/run-list.ts";
import { readRunParts, readRunSlices, type RunPart, type RunSlice } from "../../ledger/run-slices.ts";
import { stateWords } from "../../plan/cell-states.ts";
import { cancelPlanAction } from "../actions/cancel-plan.ts";
import { actionForm } from "../define-action.ts";
import { definePage, type PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { daysText } from "../../core/window.ts";
import { stateBadge } from "../parts/badge.ts";
import { codeText } from "../parts/code-text.ts";
import { retrySlice } from "../parts/retry-slice.ts";
import { dataTable, facts } from "../parts/table.ts";
import { timeElement, tookText } from "../parts/times.ts";
import { breadcrumbs } from "../parts/head.ts";
import { LedgerId } from "../parse-input.ts";

/** Slices on a page. */
const most = 100;

/** One run: its plan, its result, and its slices. */
export const runPage = definePage({
  path: "/runs/:run",
  title: "Run",
  titleOf: ({ run }) => `Run ${run}`,
  live: true,
  input: z.object({
    run: LedgerId,
    state: z.enum(sliceStates).or(z.literal("")).optional(),
    dataset: z.string().max(100).optional(),
    after: LedgerId.optional(),
  }),
  examples: ["/runs/1?state=loaded"],
  show: async (context, { run: runId, state, dataset, after }) => {
    const run = await context.read(`run ${runId}`, (db) => readRun(db, runId));
    if (run === null) throw fail("console_unknown", { what: `run ${runId}` });
    const parts = await context.read(`run ${runId} parts`, (db) => readRunParts(db, runId));
    const filter = { runId, state, dataset, after, most };
    const slices = await context.read(JSON.stringify(["run slices", filter]), (db) => readRunSlices(db, filter));
    const note = state || dataset ? null : foldedNote(run, parts);
    const cancel = await cancelRest(context, run);
    return html`${breadcrumbs([["/runs", "Runs"]], `Run ${runId}`)}
      <header class="head">
        <h1>Run ${runId}: ${runWords(run)}</h1>
        ${stateBadge(run.outcome)}
      </header>
      ${errorNotice(run)}
      <section class="card" id="facts">${runFacts(run, context.now)}${cancel}</section>
      ${
        parts.length === 0
          ? null
          : html`<section class="card" id="parts">
              <h2>By dataset</h2>
              ${partsTable(runId, parts)}
            </section>`
      }
      <section class="card" id="slices">
        <h2>
          ${state === undefined || state === "" ? "Slices" : `Slices: ${state}`}${dataset ? ` of ${dataset}` : ""}
        </h2>
        ${note}${slices.length > 0 ? slicesTable(context, run, slices) : note === null ? html`<p class="muted">No slices match.</p>` : null}${moreLink(context.address, slices)}
      </section>`;
  },
});

function errorNotice({ error_message: error }: RunLine): Html | null {
  if (error === null) return null;
  return html`<section class="notice bad" id="error"><p>Aborted by ${codeText(error)}</p></section>`;
}

function runFacts(run: RunLine, now: number): Html {
  const { planned_slice_count: planned, planned_credits: price, booked_credits: spent } = run;
  return facts([
    ["Started", timeElement(run.started_at, now)],
    ["Took", tookText(run.started_at, run.ended_at)],
    ["As of", run.as_of],
    ["Planned", `${countOf(planned, "slice")}, ${countOf(price, "credit")}`],
    ["Spent", `${countOf(spent, "credit")} in ${countOf(run.request_count, "request")}`],
    ["Rows", `${count(run.rows_loaded)} loaded, ${count(run.rows_rejected)} rejected`],
    ["Slices now", slicesNow(run)],
  ]);
}

/** The button that cancels the rest of a plan: otherwise workers continue with it, period after period. */
async function cancelRest(context: PageContext, { plan_id: plan, account }: RunLine): Promise<Html | null> {
  if (plan === null || account !== accountOf(context.app.config.settings)) return null;
  // slices that a worker has adopted belong to its run
  if (!(await context.read(`plan ${plan} open`, (db) => isPlanOpen(db, plan)))) return null;
  return actionForm(context, { action: cancelPlanAction, label: `Cancel the rest of plan ${plan}`, fields: { plan } });
}

function slicesNow(run: RunLine): string {
  const counts = [
    [run.loaded_count, "loaded"],
    [run.empty_count, "empty"],
    [run.skipped_count, "skipped"],
    [run.failed_count, "failed"],
    [run.open_count, "pending or running"],
    [run.deferred_count, stateWords.deferred],
  ] as const;
  const known = counts.filter(([slices]) => slices > 0).map(([slices, words]) => `${count(slices)} ${words}`);
  return [...known, ...movedWords(run)].join(", ") || "none: cancelled, in other runs, or nothing was due";
}

/** What happened to slices that are no longer in the ledger: slices of past months are merged into newer ones. */
function foldedNote(
  { ended_at: endedAt, loaded_count: loaded, empty_count: empty }: RunLine,
  parts: readonly RunPart[],
) {
  const listed = parts.filter(({ state }) => state === "loaded" || state === "empty");
  const folded = loaded + empty - sumBy(listed, ({ slices }) => slices);
  // while it runs the two are counted at different moments
  if (endedAt === null || folded <= 0) return null;
  return html`<p class="muted">
    ${countOf(folded, "slice")} of months that are over ${folded === 1 ? "is" : "are"} part of newer slices with the
    same outcome, and not listed.
  </p>`;
}

function partsTable(runId: string, parts: readonly RunPart[]): Html {
  return dataTable(
    "Slices by dataset and state",
    [
      {
        heading: "Dataset",
        cell: ({ dataset, state }) =>
          html`<a href="/runs/${runId}?dataset=${encodeURIComponent(dataset)}&state=${state}#slices">${dataset}</a>`,
      },
      { heading: "State", cell: ({ state }) => stateBadge(state) },
      { heading: "Slices", isNumber: true, cell: ({ slices }) => slices },
      { heading: "Planned credits", isNumber: true, cell: ({ plannedCredits }) => plannedCredits },
      { heading: "Rows", isNumber: true, cell: ({ rows }) => rows },
    ],
    parts,
  );
}

function slicesTable(context: PageContext, { account }: RunLine, slices: readonly RunSlice[]): Html {
  return dataTable(
    "Slices of the run",
    [
      { heading: "Slice", cell: ({ sliceId }) => html`<a href="/slices/${sliceId}">${sliceId}</a>` },
      { heading: "Dataset", cell: ({ dataset }) => dataset },
      { heading: "About", cell: (slice) => html`<span class="wrap">${aboutText(slice)}</span>` },
      { heading: "Days", cell: ({ firstDay, lastDay }) => daysText(firstDay, lastDay) },
      {
        heading: "State",
        cell: ({ state, code }) => html`${stateBadge(state)}${code === null ? null : html` <code>${code}</code>`}`,
      },
      ...(slices.some(({ isRetryable }) => isRetryable)
        ? [
            {
              heading: "Fix",
              cell: (slice: RunSlice) => retrySlice(context, { ...slice, credits: slice.retryCredits, account }),
            },
          ]
        : []),
      { heading: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
      { heading: "Rows", isNumber: true, cell: ({ rows }) => rows },
      { heading: "Rejects", isNumber: true, cell: ({ rejects }) => rejects },
      { heading: "Planned credits", isNumber: true, cell: ({ plannedCredits }) => plannedCredits },
      { heading: "Spent credits", isNumber: true, cell: ({ bookedCredits }) => bookedCredits },
    ],
    slices,
  );
}

function moreLink(address: string, slices: readonly RunSlice[]): Html | null {
  const last = slices.at(-1);
  if (slices.length < most || last === undefined) return null;
  const url = new URL(address, "http://console");
  url.searchParams.set("after", last.sliceId);
  return html`<p><a href="${url.pathname}${url.search}#slices">The next ${most}</a></p>`;
}
