import { z } from "zod";
import { count, countOf } from "../../core/count.ts";
import { fail } from "../../core/errors.ts";
import { strikerOf } from "../../core/secret.ts";
import { bodyText } from "../../raw/body-text.ts";
import { landedPages } from "../../raw/read-answers.ts";
import { definePage } from "../define-page.ts";
import { html } from "../html.ts";
import { instantText } from "../parts/times.ts";

/** More characters than these are cut: a browser lays out no more at once. */
const mostShown = 200_000;

/** A stored answer as text, without the token. Only operators: the reader sees no answer. */
export const answerPage = definePage({
  path: "/slices/:slice/answer",
  title: "Stored answer",
  role: "operator",
  input: z.object({
    slice: z.string().regex(/^[1-9]\d{0,17}$/, "is no number"),
    page: z.coerce.number().int().min(0).max(999_999).default(0),
    save: z.enum(["1"]).optional(),
  }),
  examples: ["/slices/1/answer"],
  show: async ({ app, now }, { slice: sliceId, page: number, save }) => {
    const pages = await landedPages(app.warehouse.db, sliceId);
    const page = pages.get(number);
    if (page === undefined)
      throw fail("console_unknown", { what: `stored answer of slice ${sliceId}, page ${number}` });
    const body = strikerOf(app.config.environment.API_TOKEN ?? "")(page.body);
    if (save !== undefined)
      return { type: "application/octet-stream", body, name: `slice-${sliceId}-page-${number}.json` };
    const text = bodyText(body);
    const shown = text.slice(0, mostShown);
    return html`<ol class="breadcrumbs">
        <li><a href="/runs">Runs</a></li>
        <li><a href="/slices/${sliceId}">Slice ${sliceId}</a></li>
        <li>Answer</li>
      </ol>
      <header class="head">
        <div>
          <h1>Stored answer, page ${number}</h1>
          <p>${countOf(body.length, "byte")}, fetched ${instantText(page.fetchedAt, now)}. The token is struck out.</p>
        </div>
        <a class="button" href="/slices/${sliceId}/answer?page=${number}&amp;save=1">Save as a file</a>
      </header>
      ${shown.length < text.length ? html`<p class="notice warn">The first ${count(shown.length)} of ${count(text.length)} characters; the file has all.</p>` : null}
      <pre tabindex="0"><code>${shown}</code></pre>`;
  },
});
