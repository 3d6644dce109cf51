import { z } from "zod";
import { count, countOf } from "../../core/count.ts";
import { readPortfolioSince, type AppSince } from "../../planner/portfolio-since.ts";
import { definePage } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { dataTable } from "../parts/table.ts";

/** What is followed and since when: apps, their countries and keywords, and the competitors that the account names. */
export const portfolioPage = definePage({
  path: "/portfolio",
  title: "Portfolio",
  inNavigation: true,
  live: true,
  input: z.object({}),
  examples: ["/portfolio"],
  show: async ({ app, read }) => {
    const apps = await read("portfolio", (db) => readPortfolioSince(db));
    const { portfolio } = app.config.settings;
    return html`<header class="head">
        <div>
          <h1>Portfolio</h1>
          <p>${sourceWords[portfolio.source]} <a href="/credits/calculator">What would another one cost?</a></p>
        </div>
      </header>
      ${
        apps.length === 0 && portfolio.source !== "config"
          ? html`<section class="card">
              <p class="muted">The account's apps were not read yet: <code>storehouse sync</code> reads them first.</p>
            </section>`
          : null
      }
      <div class="columns two" id="apps">${apps.map(appCard)}</div>
      ${
        portfolio.apps.length === 0
          ? null
          : html`<section class="card" id="configured">
              <h2>In config/storehouse.yaml</h2>
              ${dataTable(
                "Apps of the configuration",
                [
                  { heading: "App", cell: ({ id }) => id },
                  { heading: "Countries", cell: ({ countries }) => countries.join(", ") },
                  { heading: "Keywords", isNumber: true, cell: ({ keywords }) => keywords.length },
                ],
                portfolio.apps,
              )}
            </section>`
      }`;
  },
});

const sourceWords = {
  account: "Apps come from the account; the configuration lists none of its own.",
  config: "Apps come from config/storehouse.yaml.",
  both: "Apps come from the account and from config/storehouse.yaml.",
} as const;

function appCard({ store, trackId, name, since, countries, competitors }: AppSince): Html {
  return html`<section class="card">
    <h2>${name ?? trackId}</h2>
    <p class="muted small">${store === "ios" ? "iOS" : "Android"} · ${trackId} · in the portfolio since ${since}</p>
    ${
      countries.length === 0
        ? html`<p class="muted">Its countries were not read yet.</p>`
        : dataTable(
            `Countries of ${name ?? ""} ${trackId}`,
            [
              {
                heading: "Country",
                cell: ({ country }) =>
                  html`<a href="/portfolio/${encodeURIComponent(trackId)}/${country}"
                    >${country}<span class="unseen"> keywords of ${name ?? trackId}</span></a
                  >`,
              },
              { heading: "Keywords", isNumber: true, cell: ({ keywords }) => keywords },
              { heading: "So many since", cell: (one) => one.since },
            ],
            countries,
          )
    }
    ${
      competitors.length === 0
        ? html`<p class="muted small">The account names no competitors; the other apps of its store count as such.</p>`
        : html`<details>
            <summary>${countOf(competitors.length, "competitor")}</summary>
            <ul class="plain">
              ${competitors.map((one) => html`<li>${one.name ?? one.trackId} <span class="muted small">since ${one.since}</span></li>`)}
            </ul>
          </details>`
    }
    <p class="muted small">${count(countries.reduce((sum, { keywords }) => sum + keywords, 0))} keywords in all</p>
  </section>`;
}
