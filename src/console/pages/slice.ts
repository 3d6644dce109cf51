import { z } from "zod";
import { scopeText } from "../../core/about.ts";
import { count, countOf } from "../../core/words.ts";
import { fail } from "../../core/errors.ts";
import { listAnswers } from "../../ledger/answers.ts";
import { sliceDetails, type SliceDetails } from "../../ledger/slice-details.ts";
import { definePage, type PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { daysText } from "../../core/window.ts";
import { stateBadge } from "../parts/badge.ts";
import { codeText } from "../parts/code-text.ts";
import { retrySlice } from "../parts/retry-slice.ts";
import { dataTable, facts } from "../parts/table.ts";
import { timeElement } from "../parts/times.ts";
import { breadcrumbs } from "../parts/head.ts";
import { LedgerId } from "../parse-input.ts";

/** One slice: its attempts, the requests of each, what was rejected, and a link to the stored answer. */
export const slicePage = definePage({
  path: "/slices/:slice",
  title: "Slice",
  titleOf: ({ slice }) => `Slice ${slice}`,
  live: true,
  input: z.object({ slice: LedgerId }),
  examples: ["/slices/1"],
  show: async (context, { slice: sliceId }) => {
    const details = await context.read(`slice ${sliceId}`, (db) => sliceDetails(db, sliceId, 50));
    if (details === null) throw fail("console_unknown", { what: `slice ${sliceId}` });
    const { slice } = details;
    const stored = await storedPages(context, sliceId);
    return html`${breadcrumbs(
        [
          ["/runs", "Runs"],
          [`/runs/${slice.run_id}`, `Run ${slice.run_id}`],
        ],
        `Slice ${sliceId}`,
      )}
      <header class="head">
        <h1>${slice.dataset}, ${daysText(slice.first_day, slice.last_day)}</h1>
        <div class="buttons">
          ${stateBadge(slice.state)}${slice.effective_state === slice.state ? null : stateBadge(slice.effective_state)}
        </div>
      </header>
      ${errorNotice(context, details)}
      <section class="card" id="facts">${sliceFacts(details, context.now)}</section>
      ${itemsCard(details)}
      <section class="card" id="requests">
        <h2>Attempts and requests</h2>
        ${requestsTable(details, context.now)}${answerLinks(details, stored)}
      </section>
      ${rejectsCard(details)}`;
  },
});

function errorNotice(context: PageContext, { slice }: SliceDetails): Html | null {
  if (slice.error_message === null) return null;
  const { slice_id: sliceId, is_retryable: isRetryable, retry_credits: credits, account } = slice;
  return html`<section class="notice ${slice.state === "failed" ? "bad" : "warn"}" id="error">
    <p>${codeText(slice.error_message)}</p>
    ${retrySlice(context, { sliceId, isRetryable, credits, account })}
  </section>`;
}

function sliceFacts({ slice }: SliceDetails, now: number): Html {
  return facts([
    ["Partition", scopeText(slice.scope)],
    ["Operation", slice.operation],
    ["Reported by", slice.reported_by],
    ["Class", slice.class],
    ["Planned", `${countOf(slice.planned_request_count, "request")}, ${countOf(slice.planned_credits, "credit")}`],
    ["Spent", `${countOf(slice.request_count, "request")}, ${countOf(slice.booked_credits, "credit")}`],
    ["Attempts", `${count(slice.attempt)}, ${count(slice.failure_count)} failed since it was last queued`],
    ["Rows", `${count(slice.rows_loaded)} loaded, ${count(slice.rows_rejected)} rejected`],
    ["Planned at", timeElement(slice.created_at, now)],
    ["Ended", slice.ended_at && timeElement(slice.ended_at, now)],
    ["Due", slice.due_at && timeElement(slice.due_at, now)],
    ["Plan", slice.plan_id],
  ]);
}

/** The number of items that are shown without a click. */
const itemsShown = 30;

function itemsCard({ items }: SliceDetails): Html | null {
  if (items.length === 0) return null;
  const list = html`<p>${items.join(" · ")}</p>`;
  return html`<section class="card" id="items">
    <h2>${countOf(items.length, "item")}</h2>
    ${
      items.length <= itemsShown
        ? list
        : html`<details>
            <summary>Show all</summary>
            ${list}
          </details>`
    }
  </section>`;
}

function requestsTable({ slice, requests }: SliceDetails, now: number): Html {
  if (slice.reported_by !== null)
    return html`<p class="muted">
      No request was sent for this slice: its cells came with an answer of ${slice.reported_by}.
    </p>`;
  if (requests.length === 0) return html`<p class="muted">No request has been sent for this slice yet.</p>`;
  return dataTable(
    "Requests",
    [
      { heading: "Received", cell: (one) => timeElement(one.received_at, now) },
      { heading: "Attempt", isNumber: true, cell: (one) => one.attempt },
      { heading: "Page", isNumber: true, cell: (one) => one.page },
      { heading: "Status", cell: (one) => (one.status === null ? "no answer" : String(one.status)) },
      { heading: "Problem", cell: (one) => one.error_code && html`<code>${one.error_code}</code>` },
      { heading: "Credits", isNumber: true, cell: (one) => one.cost },
      { heading: "Credits left", isNumber: true, cell: (one) => one.remaining },
      { heading: "ms", isNumber: true, cell: (one) => one.duration_ms },
      { heading: "Bytes", isNumber: true, cell: (one) => one.byte_count },
    ],
    requests,
  );
}

/** The numbers of the pages that are stored; null for a visitor who may not see them: the reader role may not read answers. */
async function storedPages({ app, visitor }: PageContext, sliceId: string): Promise<readonly number[] | null> {
  if (visitor.role !== "operator") return null;
  const { answers } = await listAnswers(app.warehouse.db, { sliceId, limit: mostPages });
  return [...new Set(answers.map(({ page }) => page))].sort((a, b) => a - b);
}

/** More pages than any answer has. */
const mostPages = 1_000;

function answerLinks({ slice, requests }: SliceDetails, stored: readonly number[] | null): Html | null {
  if (!requests.some(({ status }) => status === 200)) return null;
  if (stored === null) return html`<p class="muted">Only operators can see the stored answer.</p>`;
  if (stored.length === 0) return html`<p class="muted">The answer is no longer stored.</p>`;
  return html`<p>
    Stored answer:
    ${stored.map((page) => html`<a href="/slices/${slice.slice_id}/answer?page=${page}">page ${page}</a> `)}
  </p>`;
}

function rejectsCard({ slice, rejects }: SliceDetails): Html | null {
  if (rejects.length === 0) return null;
  const all =
    rejects.length < slice.rows_rejected ? `: the first ${rejects.length} of ${count(slice.rows_rejected)}` : "";
  return html`<section class="card" id="rejects">
    <h2>Rejected items${all}</h2>
    ${dataTable(
      "Rejected items",
      [
        { heading: "Reason", cell: ({ reason }) => reason },
        { heading: "Item", cell: ({ item }) => html`<code>${JSON.stringify(item).slice(0, 500)}</code>` },
      ],
      rejects,
    )}
  </section>`;
}
