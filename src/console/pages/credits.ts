import { accountOf } from "../../config/config-of-account.ts";
import { z } from "zod";
import { accountIdIn } from "../../app.ts";
import { appWords } from "../../core/about.ts";
import { storeName } from "../../core/store.ts";
import { countOf } from "../../core/words.ts";
import { barChart } from "../../charts/bar-chart.ts";
import { addDays, dayOf } from "../../core/day.ts";
import { windowLength, type Window } from "../../core/window.ts";
import { readAccount } from "../../credits/account.ts";
import { readBudgets } from "../../credits/budgets.ts";
import { readCallerUse } from "../../credits/caller-use.ts";
import { learnedCosts, type LearnedCost } from "../../credits/costs.ts";
import { accountCell, spentOnWords } from "../../credits/spend-words.ts";
import { readAppSpend, readDailySpend, type AppSpend, type DailySpend } from "../../credits/spend.ts";
import { readCreditForecast } from "../../incidents/credit-forecast.ts";
import { budgetsOf } from "../../config/credit-budgets.ts";
import { definePage } from "../define-page.ts";
import { html, type Html } from "../html.ts";
import { badge } from "../parts/badge.ts";
import { callersCard } from "../parts/callers-card.ts";
import { creditsCard } from "../parts/credits-card.ts";
import { picture } from "../parts/picture.ts";
import { nothingSpent, spendTable, sumOfCredits } from "../parts/spend-table.ts";
import { dataTable } from "../parts/table.ts";
import { pageHead } from "../parts/head.ts";

const periods = [7, 30, 90, 365] as const;

/** Where the credits went: by day, dataset, class, app and caller of the gateway; and what calls cost, compared with the contract. */
export const creditsPage = definePage({
  path: "/credits",
  title: "Credits",
  inNavigation: true,
  live: true,
  input: z.object({ days: z.coerce.number().int().min(1).max(3660).default(30) }),
  examples: ["/credits?days=7"],
  show: async (context, { days }) => {
    const { app } = context;
    // requests are dated by the real clock, even if planning has another today
    const from = addDays(dayOf(context.now), 1 - days);
    const window = { start: from, end: addDays(from, days) };
    // drawn as part of the read, so that visitors who share the figures share the drawing as well
    const { spend, drawing } = await context.read(`spend ${from}`, async (db) => {
      const all = await readDailySpend(db, from);
      return { spend: all, drawing: all.length === 0 ? null : await drawingOf(all, window) };
    });
    const byApp = await context.read(`app spend ${from}`, (db) => readAppSpend(db, from));
    const callers = await context.read(`callers ${from}`, (db) => readCallerUse(db, from));
    const costs = await context.read("learned costs", (db) => learnedCosts(db));
    const [account, forecast] = await context.read("account", async (db) => {
      const accountId = await accountIdIn(db, app.config);
      const { settings } = app.config;
      const budgets = await readBudgets(db, { accountId, budgets: budgetsOf(settings), day: dayOf(context.now) });
      return Promise.all([
        readAccount(db, accountId),
        readCreditForecast({ db, settings, clock: app.clock, accountId }, budgets),
      ]);
    });
    const accounts = new Set([accountOf(app.config.settings), ...spend.map(({ account: whose }) => whose)]);
    const ofAll = accounts.size > 1 ? ", of all accounts" : "";
    return html`${pageHead(
        "Credits",
        html`What credits were spent on in the last ${countOf(days, "day")}, and what a call costs.
          <a href="/credits/calculator">What would it cost?</a>`,
        html`<nav aria-label="Period">
          <ul class="breadcrumbs">
            ${periods.map((period) => html`<li><a href="/credits?days=${period}" ${period === days ? html` aria-current="page"` : null}>${period} days</a></li>`)}
          </ul>
        </nav>`,
      )}
      <div class="columns">
        ${creditsCard(context, { account, forecast })}
        <section class="card span-two" id="by-day">
          <h2>By day${ofAll}</h2>
          ${drawing === null ? nothingSpent : byDay(spend, drawing)}
        </section>
        <div class="columns two wide">
          <section class="card" id="by-dataset">
            <h2>By dataset${ofAll}</h2>
            ${spendTable("Dataset", spend, ({ dataset }) => spentOnWords(dataset))}
          </section>
          <section class="card" id="by-app">
            <h2>By app${ofAll}</h2>
            ${spendTable("App", byApp, spentOnApp)}
          </section>
        </div>
        ${accounts.size > 1 ? byAccount(spend) : null}
        <section class="card" id="by-class">
          <h2>By class${ofAll}</h2>
          ${spendTable("Class", spend, (one) => one.class)}
        </section>
        ${callersCard(callers, Object.keys(app.config.settings.gateway.callers))}
        <section class="card span-two" id="prices">
          <h2>Price per call</h2>
          ${pricesTable(costs)}
        </section>
      </div>`;
  },
});

function byAccount(spend: readonly DailySpend[]): Html {
  return html`<section class="card" id="by-account">
    <h2>By account</h2>
    ${spendTable("Account", spend, ({ account }) => accountCell(account))}
  </section>`;
}

/** Longer spans are drawn by week: the bar of a day would be too thin. */
const mostDays = 100;

function drawingOf(spend: readonly DailySpend[], window: Window): Promise<Html> {
  const chart = (width: number) =>
    barChart({
      title: { before: "Credits by day", name: "", after: "" },
      subtitle: { before: "", name: "", after: "by class" },
      axis: "credits",
      by: windowLength(window) > mostDays ? "week" : "day",
      window,
      series: classSeries(spend),
      width,
    });
  return picture(chart, 760);
}

function byDay(spend: readonly DailySpend[], drawing: Html): Html {
  const days = [...Map.groupBy(spend, ({ day }) => day)].map(([day, own]) => ({ day, credits: sumOfCredits(own) }));
  return html`${drawing}
    <details>
      <summary>Show as a table</summary>
      ${dataTable(
        "Credits by day",
        [
          { heading: "Day", cell: ({ day }) => day },
          { heading: "Credits", isNumber: true, cell: ({ credits }) => credits },
        ],
        days.toReversed(),
      )}
    </details>`;
}

/** Bars of each class that spent credits, the one that spent most at the bottom. */
function classSeries(spend: readonly DailySpend[]) {
  const classes = [...Map.groupBy(spend, (one) => one.class)].filter(([, own]) => sumOfCredits(own) > 0);
  return classes
    .sort(([a, own], [b, others]) => sumOfCredits(others) - sumOfCredits(own) || (a < b ? -1 : 1))
    .map(([name, own]) => ({
      name,
      amounts: new Map([...Map.groupBy(own, ({ day }) => day)].map(([day, same]) => [day, sumOfCredits(same)])),
    }));
}

function spentOnApp({ appName, trackId, store }: AppSpend): string {
  const app = appWords(trackId, appName);
  if (app === null) return store === null ? "not about an app" : `not about an app, ${storeName(store)}`;
  return store === null ? app : `${app}, ${storeName(store)}`;
}

function pricesTable(costs: readonly LearnedCost[]): Html {
  if (costs.length === 0) return html`<p class="muted">No call has been answered yet.</p>`;
  const differ = costs.filter(({ documented, learned }) => documented !== learned);
  const same = costs.filter((cost) => !differ.includes(cost));
  const verdict =
    differ.length === 0
      ? badge("good", "as documented")
      : badge("warn", countOf(differ.length, "price differs", "prices differ"));
  return html`<p>${verdict}</p>
    ${differ.length === 0 ? null : costTable("Prices that differ", differ)}${
      same.length === 0
        ? null
        : html`<details>
            <summary>${countOf(same.length, "operation")} charged as documented</summary>
            ${costTable("Price per call by operation", same)}
          </details>`
    }`;
}

function costTable(caption: string, costs: readonly LearnedCost[]): Html {
  return dataTable(
    caption,
    [
      { heading: "Operation", cell: ({ operation }) => operation },
      { heading: "Documented", isNumber: true, cell: ({ documented }) => documented },
      {
        heading: "Charged",
        isNumber: true,
        cell: ({ learned, documented }) => (learned === documented ? learned : html`<strong>${learned}</strong>`),
      },
    ],
    costs,
  );
}
