import { tokensIn } from "../../config/secrets.ts";
import { z } from "zod";
import { count, countOf } from "../../core/words.ts";
import { fail } from "../../core/errors.ts";
import { createTokenRemover } from "../../core/secret.ts";
import { bodyText, startText } from "../../raw/body-text.ts";
import { landedStart } from "../../raw/read-answers.ts";
import { definePage } from "../define-page.ts";
import { html } from "../html.ts";
import { instantText } from "../parts/times.ts";
import { breadcrumbs, pageHead } from "../parts/head.ts";
import { LedgerId } from "../parse-input.ts";

/** Longer texts are cut: a browser cannot lay out more at once. */
const mostShown = 200_000;
/** Bytes of these characters: a character has at most four in UTF-8. */
const mostRead = 4 * mostShown;
/** A token that was cut off could not be removed: the end of a body that was cut is left out. */
const longestToken = 4_096;

/** A stored answer as text, without the token. For operators only: the reader role may not read answers. */
export const answerPage = definePage({
  path: "/slices/:slice/answer",
  title: "Stored answer",
  titleOf: ({ slice }) => `Stored answer of slice ${slice}`,
  role: "operator",
  input: z.object({
    slice: LedgerId,
    page: z.coerce.number().int().min(0).max(999_999).default(0),
    save: z.enum(["1"]).optional(),
  }),
  examples: ["/slices/1/answer"],
  show: async ({ app, now }, { slice: sliceId, page: number, save }) => {
    const most = save === undefined ? mostRead : Number.MAX_SAFE_INTEGER;
    const page = await landedStart(app.warehouse.db, { sliceId, page: number, most });
    if (page === null) throw fail("console_unknown", { what: `stored answer of slice ${sliceId}, page ${number}` });
    const body = createTokenRemover(...tokensIn(app.config.environment))(page.body);
    if (save !== undefined)
      return { type: "application/octet-stream", body, name: `slice-${sliceId}-page-${number}.json` };
    const text = page.isWhole ? bodyText(body) : startText(body.toString("utf8").slice(0, -longestToken));
    const shown = text.slice(0, mostShown);
    const isCut = !page.isWhole || shown.length < text.length;
    return html`${breadcrumbs(
        [
          ["/runs", "Runs"],
          [`/slices/${sliceId}`, `Slice ${sliceId}`],
        ],
        "Answer",
      )}
      ${pageHead(
        `Stored answer, page ${number}`,
        `${countOf(page.byteCount, "byte")}, fetched ${instantText(page.fetchedAt, now)}. The token is removed.`,
        html`<a class="button" href="/slices/${sliceId}/answer?page=${number}&amp;save=1">Save as a file</a>`,
      )}
      ${isCut ? html`<p class="notice warn">The first ${count(shown.length)} characters; the file has all of it.</p>` : null}
      <pre tabindex="0"><code>${shown}</code></pre>`;
  },
});
