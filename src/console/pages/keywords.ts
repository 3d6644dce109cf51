import { accountOf } from "../../config/config-of-account.ts";
import { z } from "zod";
import { Country } from "../../config/portfolio-settings.ts";
import { countOf } from "../../core/words.ts";
import { readKeywordsSince, readPortfolioSince } from "../../planner/portfolio-since.ts";
import { definePage } from "../define-page.ts";
import { html } from "../html.ts";
import { keywordForm, TrackIdInput } from "../parts/keyword-form.ts";
import { dataTable } from "../parts/table.ts";
import { breadcrumbs, pageHead } from "../parts/head.ts";

/** The keywords of an app and country, and the form that changes them. */
export const keywordsPage = definePage({
  path: "/portfolio/:app/:country",
  title: "Keywords",
  titleOf: ({ app, country }) => `Keywords of ${app} in ${country}`,
  input: z.object({
    app: TrackIdInput,
    country: z
      .string()
      .regex(/^[A-Z]{2}$/, "is not a country code")
      .pipe(Country),
  }),
  examples: [],
  show: async (context, place) => {
    const wanted = { trackId: place.app, country: place.country };
    const keywords = await context.read(`keywords ${JSON.stringify(wanted)}`, (db) =>
      readKeywordsSince(db, { ...wanted, account: accountOf(context.app.config.settings) }),
    );
    const apps = await context.read("portfolio", (db) =>
      readPortfolioSince(db, accountOf(context.app.config.settings)),
    );
    const name = apps.find(({ trackId }) => trackId === place.app)?.name ?? place.app;
    return html`${breadcrumbs([["/portfolio", "Portfolio"]], `${name} in ${place.country}`)}
      ${pageHead(`${name} in ${place.country}`, `${countOf(keywords.length, "keyword")} as last read.`)}
      <div class="columns">
        ${keywordForm(context, {
          action: "keywords",
          follow: "track",
          fields: { app: place.app, country: place.country },
          note: "Nothing is sent before you have seen what changes, what it costs, and how the price of a night changes.",
        })}
        <section class="card span-two" id="keywords">
          <h2>Keywords</h2>
          ${
            keywords.length === 0
              ? html`<p class="muted">No keywords are tracked, or the list has not been read yet.</p>`
              : dataTable(
                  "Keywords",
                  [
                    { heading: "Keyword", cell: ({ keyword }) => keyword },
                    { heading: "Search volume", isNumber: true, cell: ({ searchVolume }) => searchVolume },
                    { heading: "Since", cell: ({ since }) => since },
                  ],
                  keywords,
                )
          }
        </section>
      </div>`;
  },
});
