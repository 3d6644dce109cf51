import { count } from "../../core/count.ts";
import { accountOf } from "../../config/config-of-account.ts";
import { z } from "zod";
import { readConfiguredSince, readPortfolioSince } from "../../planner/portfolio-since.ts";
import { configurationNow } from "../configuration.ts";
import { definePage } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { addressOf } from "../parts/address.ts";
import { appCard, byStore, listedApps, trackedApps, type ShownApp } from "../parts/app-card.ts";
import { configurationNotices } from "../parts/configuration-notices.ts";

/** What is followed and since when: apps, their countries and keywords, and their competitors. */
export const portfolioPage = definePage({
  path: "/portfolio",
  title: "Portfolio",
  inNavigation: true,
  live: true,
  input: z.object({ offset: z.coerce.number().int().min(0).default(0) }),
  examples: ["/portfolio"],
  show: async ({ app, read }, { offset }) => {
    const now = configurationNow(app);
    const { source, apps } = now.settings.portfolio;
    const tracked =
      source === "config"
        ? []
        : trackedApps(await read("portfolio", (db) => readPortfolioSince(db, accountOf(app.config.settings))));
    const listed = listedApps(apps, await read("configured", (db) => readConfiguredSince(db, accountOf(now.settings))));
    const followed = byStore(source === "account" ? tracked : [...tracked, ...listed]);
    const total = tracked.length + listed.length;
    // an address that was sent may be of a longer portfolio
    const from = offset < total ? offset : 0;
    const cards = (all: readonly ShownApp[], before: number) =>
      all.slice(Math.max(0, from - before), Math.max(0, from + most - before)).map((one) => appCard(one, followed));
    const listedCards = cards(listed, tracked.length);
    return html`<header class="head">
        <div>
          <h1>Portfolio</h1>
          <p>${sourceWords[source]} <a href="/credits/calculator">What would another one cost?</a></p>
        </div>
      </header>
      ${configurationNotices(now)}
      ${
        tracked.length === 0 && source !== "config"
          ? html`<section class="card">
              <p class="muted">The account's apps were not read yet: <code>storehouse sync</code> reads them first.</p>
            </section>`
          : null
      }
      <div class="columns two" id="apps">${cards(tracked, 0)}</div>
      ${
        listedCards.length === 0
          ? null
          : html`<h2 class="part">In the configuration</h2>
              <div class="columns two" id="configured">${listedCards}</div>`
      }
      ${pager(from, total)}`;
  },
});

/** Apps on a page. */
const most = 100;

function pager(from: number, total: number): Html | null {
  if (total <= most) return null;
  const link = (offset: number, text: string) => html`<a href="${addressOf("/portfolio", { offset })}">${text}</a>`;
  return html`<nav class="pager" aria-label="Apps">
    <span>apps ${count(from + 1)} to ${count(Math.min(from + most, total))} of ${count(total)}</span
    >${from > 0 ? link(Math.max(0, from - most), "Apps before") : null}${from + most < total ? link(from + most, "Apps after") : null}
  </nav>`;
}

const sourceWords = {
  account: "Apps come from the account.",
  config: "Apps come from config/storehouse.yaml.",
  both: "Apps come from the account and from config/storehouse.yaml.",
} as const;
