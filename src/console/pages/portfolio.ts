import { accountOf } from "../../config/config-of-account.ts";
import { z } from "zod";
import { readConfiguredSince, readPortfolioSince } from "../../planner/portfolio-since.ts";
import { configurationNow } from "../configuration.ts";
import { definePage } from "../define-page.ts";
import { html } from "../html.ts";
import { appCard, listedApps, trackedApps } from "../parts/app-card.ts";
import { configurationNotices } from "../parts/configuration-notices.ts";

/** What is followed and since when: apps, their countries and keywords, and their competitors. */
export const portfolioPage = definePage({
  path: "/portfolio",
  title: "Portfolio",
  inNavigation: true,
  live: true,
  input: z.object({}),
  examples: ["/portfolio"],
  show: async ({ app, read }) => {
    const now = configurationNow(app);
    const { source, apps } = now.settings.portfolio;
    const tracked =
      source === "config"
        ? []
        : trackedApps(await read("portfolio", (db) => readPortfolioSince(db, accountOf(app.config.settings))));
    const listed = listedApps(apps, await read("configured", (db) => readConfiguredSince(db, accountOf(now.settings))));
    const followed = source === "account" ? tracked : [...tracked, ...listed];
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
      <div class="columns two" id="apps">${tracked.map((one) => appCard(one, followed))}</div>
      ${
        listed.length === 0
          ? null
          : html`<h2 class="part">In the configuration</h2>
              <div class="columns two" id="configured">${listed.map((one) => appCard(one, followed))}</div>`
      }`;
  },
});

const sourceWords = {
  account: "Apps come from the account.",
  config: "Apps come from config/storehouse.yaml.",
  both: "Apps come from the account and from config/storehouse.yaml.",
} as const;
