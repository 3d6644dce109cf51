import { accountOf } from "../../config/config-of-account.ts";
import { z } from "zod";
import { readConfiguredSince, readPortfolioSince } from "../../planner/portfolio-since.ts";
import { configurationNow } from "../configuration.ts";
import { definePage } from "../define-page.ts";
import { html } from "../html.ts";
import { pageAddress } from "../parts/address.ts";
import { appCard, byStore, listedApps, shownTrackedApps, type ShownApp } from "../parts/app-card.ts";
import { configurationNotices } from "../parts/configuration-notices.ts";
import { pageHead } from "../parts/head.ts";
import { pager } from "../parts/pager.ts";

/** What is in the portfolio and since when: apps, their countries and keywords, and their competitors. */
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
        : shownTrackedApps(await read("portfolio", (db) => readPortfolioSince(db, accountOf(app.config.settings))));
    const listed = listedApps(apps, await read("configured", (db) => readConfiguredSince(db, accountOf(now.settings))));
    const portfolio = byStore(source === "account" ? tracked : [...tracked, ...listed]);
    const total = tracked.length + listed.length;
    // a link may come from a longer portfolio
    const from = offset < total ? offset : 0;
    const cards = (all: readonly ShownApp[], before: number) =>
      all.slice(Math.max(0, from - before), Math.max(0, from + most - before)).map((one) => appCard(one, portfolio));
    const listedCards = cards(listed, tracked.length);
    const part = { what: "apps", total, from, shown: Math.min(most, total - from), size: most };
    const links = pager(part, (at) => pageAddress("/portfolio", { offset: at }));
    return html`${pageHead("Portfolio", html`${sourceWords[source]} <a href="/credits/calculator">What would another app cost?</a>`)}
      ${configurationNotices(now)}
      ${
        tracked.length === 0 && source !== "config"
          ? html`<section class="card">
              <p class="muted">
                The account's apps have not been read yet: <code>storehouse sync</code> reads them first.
              </p>
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
      ${total <= most ? null : links}`;
  },
});

/** Apps on a page. */
const most = 100;

const sourceWords = {
  account: "Apps come from the account.",
  config: "Apps come from config/storehouse.yaml.",
  both: "Apps come from the account and from config/storehouse.yaml.",
} as const;
