import { z } from "zod";
import { countOf } from "../../core/count.ts";
import { readKeywordsSince, readPortfolioSince } from "../../planner/portfolio-since.ts";
import { definePage, type PageContext } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { dataTable } from "../parts/table.ts";

/** The keywords of an app and country, and the form that changes them. */
export const keywordsPage = definePage({
  path: "/portfolio/:app/:country",
  title: "Keywords",
  input: z.object({
    app: z.string().regex(/^(\d+|[A-Za-z]\w*(\.\w+)+)$/, "is no track id"),
    country: z.string().regex(/^[A-Z]{2}$/, "is no country"),
  }),
  examples: [],
  show: async (context, place) => {
    const wanted = { trackId: place.app, country: place.country };
    const keywords = await context.read(`keywords ${JSON.stringify(wanted)}`, (db) => readKeywordsSince(db, wanted));
    const apps = await context.read("portfolio", (db) => readPortfolioSince(db));
    const name = apps.find(({ trackId }) => trackId === place.app)?.name ?? place.app;
    return html`<ol class="breadcrumbs">
        <li><a href="/portfolio">Portfolio</a></li>
        <li>${name}</li>
        <li>${place.country}</li>
      </ol>
      <header class="head">
        <div>
          <h1>${name} in ${place.country}</h1>
          <p>${countOf(keywords.length, "keyword")} as last read.</p>
        </div>
      </header>
      <div class="columns">
        ${changeForm(context, place)}
        <section class="card span-two" id="keywords">
          <h2>Keywords</h2>
          ${
            keywords.length === 0
              ? html`<p class="muted">None is tracked, or the list was not read yet.</p>`
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

function changeForm(
  { visitor, formToken, address }: PageContext,
  { app, country }: { readonly app: string; readonly country: string },
): Html {
  if (visitor.role !== "operator")
    return html`<section class="card">
      <h2>Change them</h2>
      <p class="muted">An operator changes keywords here.</p>
    </section>`;
  return html`<form class="card stack" method="post" action="/actions/keywords" id="change">
    <h2>Change them</h2>
    <label>Keywords <span class="muted">one a line</span><textarea name="keywords" rows="8" required></textarea></label>
    <fieldset class="checks">
      <legend class="unseen">What to do</legend>
      <label class="check"
        ><input type="radio" name="verb" value="add" checked /><span>track these as well</span></label
      >
      <label class="check"><input type="radio" name="verb" value="remove" /><span>track these no longer</span></label>
      <label class="check"><input type="radio" name="verb" value="sync" /><span>track these and no others</span></label>
    </fieldset>
    <input type="hidden" name="app" value="${app}" /><input type="hidden" name="country" value="${country}" /><input
      type="hidden"
      name="back"
      value="${address}"
    /><input type="hidden" name="_csrf" value="${formToken()}" />
    <p class="buttons"><button class="button primary">See what would change</button></p>
    <p class="muted small">
      Nothing is sent before you have seen what changes, what it costs and what a night costs then.
    </p>
  </form>`;
}
