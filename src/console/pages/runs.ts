import { z } from "zod";
import { countOf } from "../../core/words.ts";
import {
  foldedRuns,
  movedWords,
  runFilters,
  runWords,
  type IdleRuns,
  type RunFilter,
  type RunLine,
  isIdle,
} from "../../ledger/run-list.ts";
import { definePage } from "../define-page.ts";
import { html } from "../html.ts";
import { badge, stateBadge } from "../parts/badge.ts";
import { runningCard } from "../parts/running-card.ts";
import { dataTable, type TableColumn } from "../parts/table.ts";
import { timeElement, tookText } from "../parts/times.ts";
import { pageHead } from "../parts/head.ts";

const shows: Readonly<Record<RunFilter, string>> = {
  all: "every run",
  failed: "runs with failures",
  open: "runs with unfinished slices",
};

/** Recent runs, their cost and their result; scheduled runs that found nothing to do are folded. */
export const runsPage = definePage({
  path: "/runs",
  title: "Runs",
  inNavigation: true,
  live: true,
  input: z.object({
    show: z.enum(runFilters).default("all"),
    limit: z.coerce.number().int().min(1).max(500).default(50),
  }),
  examples: ["/runs"],
  show: async (context, { show, limit }) => {
    const lines = await context.read(`runs ${limit} ${show}`, (db) => foldedRuns(db, limit, show));
    return html`${pageHead(
        "Runs",
        "Each run with its result, and its planned and actual cost.",
        html`<form class="filters" method="get" action="/runs">
          <label
            >Show<select name="show">
              ${Object.entries(shows).map(([name, words]) => html`<option value="${name}" ${name === show ? html` selected` : null}>${words}</option>`)}
            </select></label
          ><label>Lines<input name="limit" type="number" min="1" max="500" value="${limit}" /></label
          ><button class="button">Show</button>
        </form>`,
      )}
      ${runningCard(context)}
      <section class="card" id="runs">
        ${
          lines.length === 0
            ? html`<p class="muted">
                ${show === "all" ? html`No runs yet: <code>storehouse sync</code> fetches what is missing.` : "No runs match."}
              </p>`
            : dataTable("Runs, newest first", columnsOf(lines, context.now), lines)
        }
      </section>`;
  },
});

type Line = RunLine | IdleRuns;

function columnsOf(lines: readonly Line[], now: number): readonly TableColumn<Line>[] {
  const ofRun = (cell: (run: RunLine) => number) => (line: Line) => (isIdle(line) ? 0 : cell(line));
  return [
    { heading: "Run", cell: runCell },
    // a phone shows only the first columns
    { heading: "Outcome", cell: outcomeCell },
    { heading: "Started", cell: (line) => timeElement(isIdle(line) ? line.first_started_at : line.started_at, now) },
    { heading: "Took", cell: (line) => (isIdle(line) ? null : tookText(line.started_at, line.ended_at)) },
    { heading: "Loaded", isNumber: true, cell: ofRun((run) => run.loaded_count + run.empty_count) },
    { heading: "Failed", isNumber: true, cell: failedCell },
    { heading: "Waiting", isNumber: true, cell: ofRun((run) => run.open_count + run.deferred_count) },
    ...(lines.some((line) => !isIdle(line) && line.moved.length > 0)
      ? [{ heading: "In other runs", cell: movedCell }]
      : []),
    { heading: "Rows", isNumber: true, cell: ofRun((run) => run.rows_loaded) },
    { heading: "Planned credits", isNumber: true, cell: ofRun((run) => run.planned_credits) },
    { heading: "Spent credits", isNumber: true, cell: ofRun((run) => run.booked_credits) },
  ];
}

function runCell(line: Line) {
  if (isIdle(line)) {
    const { first_run_id: first, last_run_id: last, run_count: runs } = line;
    return html`<span class="muted"
      >${first === last ? first : `${first}–${last}`}
      ${runs === 1 ? "schedule" : `schedule, ${countOf(runs, "run")}`}</span
    >`;
  }
  return html`<a href="/runs/${line.run_id}">${line.run_id}</a> ${runWords(line)}`;
}

function outcomeCell(line: Line) {
  if (isIdle(line)) return badge("calm", "nothing due");
  return stateBadge(line.outcome);
}

function failedCell(line: Line) {
  if (isIdle(line) || line.failed_count === 0) return 0;
  return html`<a href="/runs/${line.run_id}?state=failed">${line.failed_count}</a>`;
}

function movedCell(line: Line) {
  return isIdle(line) ? null : movedWords(line).join(", ");
}
