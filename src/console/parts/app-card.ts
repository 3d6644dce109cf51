import type { Settings } from "../../config/settings.ts";
import { count, countOf } from "../../core/words.ts";
import { sumBy } from "../../core/sum.ts";
import { storeName, storeOf, type Store } from "../../core/store.ts";
import type { AppSince, ConfiguredSince } from "../../planner/portfolio-since.ts";
import { html, type Html } from "../html.ts";
import { codeText } from "./code-text.ts";
import { dataTable } from "./table.ts";

/** An app and since when it is in the portfolio; null if no sync has planned it so far. */
type DatedApp = {
  readonly store: Store;
  readonly trackId: string;
  readonly name: string | null;
  readonly since: string | null;
};

/** An app of the portfolio page, from the account or from the configuration. */
export type ShownApp = DatedApp & {
  readonly countries: readonly { readonly country: string; readonly since: string | null }[];
  /** Keywords by country, or one number if it applies to each country. */
  readonly keywords: ReadonlyMap<string, number> | number;
  /** The page that lists its keywords in a country, or in all countries. */
  readonly address: (country: string) => string;
  /** The heading of the day next to its countries; for tracked apps, the day since which there are this many keywords. */
  readonly sinceHeading: string;
  /** Competitors that the account names. */
  readonly competitors: readonly DatedApp[];
};

/** Apps that the account tracks. */
export function shownTrackedApps(apps: readonly AppSince[]): readonly ShownApp[] {
  return apps.map((app) => ({
    ...app,
    keywords: new Map(app.countries.map(({ country, keywords }) => [country, keywords])),
    address: (country) => `/portfolio/${encodeURIComponent(app.trackId)}/${country}`,
    sinceHeading: "Unchanged since",
  }));
}

/** Apps that the configuration lists, and since when. */
export function listedApps(
  apps: Settings["portfolio"]["apps"],
  known: readonly ConfiguredSince[],
): readonly ShownApp[] {
  const byId = Map.groupBy(known, ({ trackId }) => trackId);
  const entries = new Map<string, number>();
  return apps.map(({ id, countries, keywords }) => {
    const own = byId.get(id) ?? [];
    const sinceOf = (country: string | null) => own.find((one) => one.country === country)?.since ?? null;
    const entry = (entries.get(id) ?? 0) + 1;
    entries.set(id, entry);
    return {
      store: storeOf(id),
      trackId: id,
      name: own[0]?.name ?? null,
      since: sinceOf(null),
      countries: countries.map((country) => ({ country, since: sinceOf(country) })),
      keywords: keywords.length,
      address: () => `/portfolio/listed/${encodeURIComponent(id)}${entry === 1 ? "" : `?entry=${entry}`}`,
      sinceHeading: "Since",
      competitors: [],
    };
  });
}

/** The whole portfolio by store, each app once. */
export type AppsByStore = ReadonlyMap<Store, readonly DatedApp[]>;

/** Apps by store, each once. */
export function byStore(portfolio: readonly DatedApp[]): AppsByStore {
  const known = new Map(portfolio.map((one) => [`${one.store} ${one.trackId}`, one]));
  return Map.groupBy(known.values(), ({ store }) => store);
}

/** The card of an app. `portfolio`: the whole portfolio; if the account names no competitors, its other apps in the same store are. */
export function appCard(app: ShownApp, portfolio: AppsByStore): Html {
  const { store, trackId, name, since, countries, keywords, address, sinceHeading } = app;
  const called = name ?? trackId;
  const sum = typeof keywords === "number" ? null : sumBy(keywords.values(), (one) => one);
  return html`<section class="card">
    <h2>${called}</h2>
    <p class="muted small">
      ${storeName(store)} · ${trackId} ·
      ${since === null ? "not planned yet: starts with the next sync" : codeText(`in the portfolio since ${since}`)}
    </p>
    ${
      countries.length === 0
        ? html`<p class="muted">Its countries have not been read yet.</p>`
        : dataTable(
            `Countries of ${name ?? ""} ${trackId}`,
            [
              {
                heading: "Country",
                cell: ({ country }) =>
                  html`<a href="${address(country)}">${country}<span class="unseen"> keywords of ${called}</span></a>`,
              },
              {
                heading: "Keywords",
                isNumber: true,
                cell: ({ country }) => (typeof keywords === "number" ? keywords : (keywords.get(country) ?? 0)),
              },
              { heading: sinceHeading, cell: (one) => one.since ?? "with the next sync" },
            ],
            countries,
          )
    }
    ${competitorsOf(app, portfolio)}
    ${sum === null ? null : html`<p class="muted small">${count(sum)} keywords in total</p>`}
  </section>`;
}

function competitorsOf({ competitors, store, trackId }: ShownApp, portfolio: AppsByStore): Html {
  if (competitors.length > 0) return list(countOf(competitors.length, "competitor"), competitors);
  const known = (portfolio.get(store) ?? []).filter((one) => one.trackId !== trackId);
  if (known.length === 0)
    return html`<p class="muted small">
      The account names no competitors, and the portfolio has no other app of this store.
    </p>`;
  const others = countOf(
    known.length,
    "other app of this store counts as one",
    "other apps of this store count as competitors",
  );
  return list(`No competitors are named: ${others}`, known);
}

/** The most that are named: in an account of thousands of apps, each may count as a competitor of every other one. */
const mostNamed = 50;

function list(summary: string, apps: readonly DatedApp[]): Html {
  const rest = apps.length - mostNamed;
  return html`<details>
    <summary>${summary}</summary>
    <ul class="plain">
      ${apps.slice(0, mostNamed).map(
        (one) =>
          html`<li>
            ${one.name ?? one.trackId}
            <span class="muted small">${one.since === null ? "with the next sync" : `since ${one.since}`}</span>
          </li>`,
      )}${rest > 0 ? html`<li class="muted">and ${count(rest)} more</li>` : null}
    </ul>
  </details>`;
}
