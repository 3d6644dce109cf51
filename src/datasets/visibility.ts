import { z } from "zod";
import { androidVisibilityHistory, iosVisibilityHistory, visibilityScore } from "../api/operations/market.ts";
import type { InvalidItem } from "../api/read-answer.ts";
import type { Day } from "../core/day.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Scope, Slice } from "../core/slice.ts";
import type { Store } from "../core/store.ts";
import type { Timing } from "../core/timing.ts";
import { holds } from "../core/window.ts";
import { appRef, defineTable } from "../load/table.ts";
import { defineDataset, part, type Normalised, type Partition } from "./shared/define-dataset.ts";
import { appCountries } from "./shared/portfolio-partitions.ts";
import { readInstant } from "./shared/instants.ts";
import { namedCompetitors } from "./shared/tracked-competitor.ts";
import { countryOfKey } from "./shared/values.ts";

const table = defineTable({
  name: "core.fact_visibility",
  columns: { app_key: "app", date_day: "day", country_key: "country", kind: "text", score: "number" },
  key: ["app_key", "date_day", "country_key", "kind"],
  load: { kind: "upsert" },
  partitioned: true,
});

const histories = { ios: iosVisibilityHistory, android: androidVisibilityHistory } as const;
const eachDay: Timing = { kind: "snapshot", refreshDays: 1 };

type History = z.output<typeof iosVisibilityHistory.answer>;

/**
 * How visible the portfolio's apps and their competitors are in the searches of a store: by day, with one call per store for all apps and
 * countries; and now, with one call per store and country. A cell of a call is an app in a country, written `US:123`; it is requested once,
 * even if several apps have it as a competitor.
 */
export const visibility = defineDataset({
  name: "visibility",
  summary:
    "Visibility score of each portfolio app and the competitors that the account names for it, by country and day, from the service's history or as observed on the day.",
  family: "visibility",
  stage: "market",
  on: true,
  why: "10 credits per store and day for up to a hundred apps and countries",
  timing: { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 90, emptyHoldsDays: 1, emptyUntilDays: 7 },
  itemsAreApps: true,
  reportedBy: { column: "date_day" },
  figures: ["score"],
  tables: [table],
  operations: [...Object.values(histories), visibilityScore],
  operationsFor: (scope) => [
    part(scope, "kind") === "history" ? histories[part(scope, "store") as Store] : visibilityScore,
  ],
  itemsPerCall: 100,
  plannedFrom: [namedCompetitors.name],
  options: z.object({
    kinds: z
      .array(z.enum(["history", "now"]))
      .min(1)
      .default(["history"])
      .meta({ examples: [["history", "now"]] })
      .describe(
        "history: the score of each day; now: the score on the day of observation, 10 credits per store and country.",
      ),
    competitors: z
      .boolean()
      .default(true)
      .describe(
        "Also request the competitors that the account names for an app, in the same store and in the countries of the app. Each counts towards the hundred apps and countries that 10 credits cover.",
      ),
  }),
  partitions: (portfolio, { kinds, competitors }) => {
    const cells = cellsOf(portfolio, competitors);
    return [
      ...(kinds.includes("history") ? historyPartitions(cells) : []),
      ...(kinds.includes("now") ? nowPartitions(cells) : []),
    ];
  },
  request: ({ scope, items, window }) => {
    const trackIds = unique((items ?? []).map(trackIdOf));
    if (part(scope, "kind") === "now")
      return { store: part(scope, "store"), country: part(scope, "country"), trackIds };
    // the contract does not say whether the end is inclusive: the day after it is requested too, so no day is lost either way
    const days = { startDate: window.start, endDate: window.end };
    return { body: trackIds, countries: unique((items ?? []).map(countryOf)), ...days };
  },
  normalise: (slice, pages, left) =>
    part(slice.scope, "kind") === "now" ? normalisedNow(slice, pages, left) : normalisedHistory(slice, pages, left),
});

/** An app in a country of its store. */
type Cell = { readonly store: Store; readonly country: string; readonly trackId: string };

/** The portfolio's apps in their countries, each with its competitors of the same store: scores of different stores cannot be compared. */
function cellsOf(portfolio: Portfolio, withCompetitors: boolean): readonly Cell[] {
  const named = (withCompetitors ? portfolio.sources?.[namedCompetitors.name] : undefined) ?? [];
  const sameStore = named.filter((one) => one["store"] === one["competitor_store"]);
  const competitors = Map.groupBy(sameStore, (one) => `${one["store"]}:${one["app"]}`);
  return appCountries(portfolio).flatMap(({ app: { store, trackId }, country: { country } }) =>
    [trackId, ...(competitors.get(`${store}:${trackId}`) ?? []).flatMap((one) => one["competitor_app"] ?? [])].map(
      (id) => ({
        store,
        country,
        trackId: id,
      }),
    ),
  );
}

function historyPartitions(cells: readonly Cell[]): readonly Partition[] {
  return [...Map.groupBy(cells, ({ store }) => store)].map(([store, same]) => ({
    scope: { store, kind: "history" },
    items: itemsOf(same),
  }));
}

function nowPartitions(cells: readonly Cell[]): readonly Partition[] {
  return [...Map.groupBy(cells, ({ store, country }) => `${store} ${country}`).values()].flatMap((same) =>
    same.slice(0, 1).map(({ store, country }) => ({
      scope: { store, country, kind: "now" },
      items: itemsOf(same),
      timing: eachDay,
    })),
  );
}

function itemsOf(cells: readonly Cell[]): readonly string[] {
  return unique(cells.map(({ country, trackId }) => `${country}:${trackId}`));
}

/** Days outside the window, and apps that a call returned for another country, belong to other slices. */
function normalisedHistory(slice: Slice, pages: readonly unknown[], left: readonly InvalidItem[]): Normalised {
  const { scope, items, window } = slice;
  const requested = new Set(items);
  const isRequested = requestedIn(slice);
  const answers = pages.flat() as History;
  const reported = answers.flatMap(({ trackId, scores }) =>
    Object.entries(scores).flatMap(([name, days]) => {
      const country = countryOfKey(name) ?? name;
      return (days ?? []).map(({ date, score }) => ({
        trackId: String(trackId),
        country,
        day: readInstant(date).day,
        score,
      }));
    }),
  );
  const own = reported.filter(
    ({ trackId, country, day }) => requested.has(`${country}:${trackId}`) && holds(window, day),
  );
  const rows = own.map(({ trackId, country, day, score }) => row(scope, { trackId, country, day, score }));
  // next to other rows it only means that some cells are unanswered; alone it answers another request, and is not an empty answer
  const others = rows.length > 0 ? [] : reported.filter((one) => !isRequested(one));
  const invalid = others.map((item) => ({ reason: "an app, a country or a day that was not requested", item }));
  const named = new Set(own.map(({ trackId, country }) => `${country}:${trackId}`));
  // it is unknown which app an invalid item was about
  const unanswered = rows.length === 0 || left.length > 0 ? [] : (items ?? []).filter((item) => !named.has(item));
  return { rows: { [table.name]: rows }, invalid, unanswered };
}

/** True for what the call of a slice names: each of its apps in each of its countries, through the day after the window. */
function requestedIn({ items, window }: Slice) {
  const apps = new Set((items ?? []).map(trackIdOf));
  const countries = new Set((items ?? []).map(countryOf));
  return ({ trackId, country, day }: { trackId: string; country: string; day: Day }) =>
    apps.has(trackId) && countries.has(country) && day >= window.start && day <= window.end;
}

function normalisedNow(
  { scope, items, window }: Slice,
  pages: readonly unknown[],
  left: readonly InvalidItem[],
): Normalised {
  const country = part(scope, "country");
  const apps = (items ?? []).map(trackIdOf);
  const scores = new Map(pages.flatMap((page) => Object.entries(page as Readonly<Record<string, number | null>>)));
  const rows = apps.flatMap((trackId) => {
    const score = scores.get(trackId);
    return score === undefined ? [] : [row(scope, { trackId, country, day: window.start, score })];
  });
  const others = rows.length > 0 ? [] : [...scores].filter(([trackId]) => !apps.includes(trackId));
  const invalid = others.map(([trackId, score]) => ({
    reason: "an app that was not requested",
    item: { trackId, score },
  }));
  // an app that the answer leaves out while it names others is unknown to the service; one with an invalid score is named
  const unanswered =
    rows.length === 0 || left.length > 0 ? [] : (items ?? []).filter((item) => !scores.has(trackIdOf(item)));
  return { rows: { [table.name]: rows }, invalid, unanswered };
}

function row(
  scope: Scope,
  {
    trackId,
    country,
    day,
    score,
  }: { trackId: string; country: string; day: string; score?: number | null | undefined },
) {
  return {
    app_key: appRef(part(scope, "store"), trackId),
    date_day: day,
    country_key: country,
    kind: part(scope, "kind"),
    score: score ?? null,
  };
}

function countryOf(cell: string): string {
  return cell.slice(0, 2);
}

function trackIdOf(cell: string): string {
  return cell.slice(3);
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort();
}
