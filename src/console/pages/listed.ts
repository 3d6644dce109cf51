import { accountOf } from "../../config/config-of-account.ts";
import { z } from "zod";
import { countOf } from "../../core/words.ts";
import { fail } from "../../core/errors.ts";
import { readConfiguredKeywords } from "../../planner/portfolio-since.ts";
import { configurationNow } from "../configuration.ts";
import { definePage } from "../define-page.ts";
import { html } from "../html.ts";
import { configurationNotices } from "../parts/configuration-notices.ts";
import { keywordForm, TrackIdInput } from "../parts/keyword-form.ts";
import { dataTable } from "../parts/table.ts";
import { breadcrumbs, pageHead } from "../parts/head.ts";

/** The keywords that the configuration lists for an app, and the form that changes them there. */
export const listedPage = definePage({
  path: "/portfolio/listed/:app",
  title: "Keywords of the configuration",
  titleOf: ({ app }) => `Keywords of ${app} in the configuration`,
  input: z.object({ app: TrackIdInput, entry: z.coerce.number().int().min(1).default(1) }),
  examples: [],
  show: async (context, { app: trackId, entry }) => {
    const { app, read } = context;
    const now = configurationNow(app);
    const listed = now.settings.portfolio.apps.filter(({ id }) => id === trackId)[entry - 1];
    if (listed === undefined) throw fail("console_unknown", { what: `entry of ${trackId} in the configuration` });
    const { name, since } = await read(`configured ${trackId}`, (db) =>
      readConfiguredKeywords(db, trackId, accountOf(app.config.settings)),
    );
    const sinceOf = new Map(since.map((one) => [one.keyword, one.since]));
    return html`${breadcrumbs([["/portfolio", "Portfolio"]], name ?? trackId)}
      ${pageHead(name ?? trackId, `${countOf(listed.keywords.length, "keyword")} in the configuration, in each of ${listed.countries.join(", ")}.`)}
      ${configurationNotices(now)}
      <div class="columns">
        ${keywordForm(context, {
          action: "listed-keywords",
          follow: "list",
          fields: { app: trackId, entry },
          note: "The file is not written before you have seen what changes and how the price of a night changes.",
        })}
        <section class="card span-two" id="keywords">
          <h2>Keywords</h2>
          ${
            listed.keywords.length === 0
              ? html`<p class="muted">No keywords are listed.</p>`
              : dataTable(
                  "Keywords",
                  [
                    { heading: "Keyword", cell: (keyword) => keyword },
                    { heading: "Since", cell: (keyword) => sinceOf.get(keyword) ?? notPlanned },
                  ],
                  listed.keywords,
                )
          }
        </section>
      </div>`;
  },
});

/** It was not listed at any planning so far. */
const notPlanned = "with the next sync";
