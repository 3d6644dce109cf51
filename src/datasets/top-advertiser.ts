import { z } from "zod";
import { topAdvertisers as operation } from "../api/operations/ad-intelligence.ts";
import { rangeParams } from "../api/range.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { scopeKey, type Scope, type Slice } from "../core/slice.ts";
import { storeOf, type Store } from "../core/store.ts";
import { appRef, defineTable, extraOf, jsonOf } from "../load/table.ts";
import { areas, forEach, narrowed, networks, thirtyDays } from "./shared/ad-scope.ts";
import { checkItems } from "./shared/check-items.ts";
import { idOf, periodKey } from "./shared/values.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { appCountries } from "./shared/portfolio-partitions.ts";
import { placesOf } from "./shared/places.ts";

const requested = ["store", "country_key", "category", "network", "period_start", "period_end"] as const;

const table = defineTable({
  name: "core.fact_top_advertiser",
  columns: {
    store: "text",
    country_key: "country",
    category: "text",
    network: "text",
    period_start: "day",
    period_end: "day",
    rank: "int",
    app_key: "app",
    app_name: "text",
    developer_id: "text",
    developer_name: "text",
    category_id: "text",
    category_name: "text",
    is_advertiser: "boolean",
    is_publisher: "boolean",
    ad_count: "number",
    creative_count: "number",
    network_count: "number",
    networks: "json",
    countries: "json",
    icon_url: "text",
    service_app_id: "text",
    platform_id: "int",
    extra: "json",
  },
  key: [...requested, "rank"],
  load: { kind: "replace", scope: requested },
  partitioned: true,
});

const known = (
  "isAdvertiser isPublisher adCount creativeCount networks countries platform appId iconUrl fullName trackId developerName developerId " +
  "category categoryId networkCount"
).split(" ");

const platformIds = { android: 1, ios: 2 } as const satisfies Record<Store, number>;

type Page = z.output<typeof operation.answer>;
type Advertiser = NonNullable<Page["data"]>[number];

const options = z.object({
  areas: areas
    .default(["each"])
    .describe(
      "each: one list for each country of the portfolio's apps in the store; all: one list for all countries together.",
    ),
  categories: z
    .array(z.string().min(1))
    .default([])
    .describe("Categories to request one by one, as the service names them; all categories together if left out."),
  networks,
});

/** Who advertises most in a store, country and category over periods of 30 days: the order of the answer is the rank. */
export const topAdvertiser = defineDataset({
  name: "top_advertiser",
  summary: "The apps that advertise most, over periods of 30 days, by store, country, category and network.",
  stage: "market",
  on: false,
  why: "150 credits per page of 50 advertisers; one page per store, country and 30 days unless most_pages allows more",
  timing: thirtyDays,
  tables: [table],
  operations: [operation],
  mostPages: 1,
  options,
  partitions: (portfolio, chosen) =>
    marketsOf(portfolio, chosen.areas)
      .flatMap((scope) => forEach(scope, "category", chosen.categories))
      .flatMap((scope) => forEach(scope, "network", chosen.networks))
      .map((scope) => ({ scope, items: null })),
  request: ({ scope, window }) => ({
    ...rangeParams(operation, window),
    platformId: platformIds[part(scope, "store") as Store],
    ...narrowed(scope),
    ...(scope["category"] === undefined ? {} : { category: scope["category"] }),
  }),
  normalise: (slice, pages, left) => {
    const store = part(slice.scope, "store") as Store;
    const lists = (pages as readonly Page[]).map(({ data }) => data ?? []);
    const { fitting, invalid } = checkItems(
      placesOf(lists, left),
      ({ item }) => mismatchOf(store, item),
      ({ item }) => item,
    );
    return { rows: { [table.name]: fitting.map(({ item, place }) => rowOf(slice, item, place)) }, invalid };
  },
});

function marketsOf(portfolio: Portfolio, chosen: z.output<typeof areas>): readonly Scope[] {
  const scopes = appCountries(portfolio).flatMap(({ app: { store }, country: { country } }): readonly Scope[] => [
    ...(chosen.includes("all") ? [{ store, area: "all" }] : []),
    ...(chosen.includes("each") ? [{ store, area: "each", country }] : []),
  ]);
  return [...new Map(scopes.map((scope) => [scopeKey(scope), scope])).values()];
}

/** Why an advertiser does not belong to the list of a store; null when it does. */
function mismatchOf(store: Store, { platform, trackId }: Advertiser): string | null {
  if (platform != null && platform !== platformIds[store]) return "an app of a platform that was not requested";
  return storeOf(String(trackId)) === store ? null : "a track id of the other store";
}

function rowOf(slice: Slice, advertiser: Advertiser, rank: number) {
  const { scope } = slice;
  return {
    store: part(scope, "store"),
    country_key: scope["country"] ?? "ALL",
    category: scope["category"] ?? "",
    network: scope["network"] ?? "",
    ...periodKey(slice),
    rank,
    app_key: appRef(part(scope, "store"), advertiser.trackId),
    app_name: advertiser.fullName ?? null,
    developer_id: idOf(advertiser.developerId),
    developer_name: advertiser.developerName ?? null,
    category_id: idOf(advertiser.categoryId),
    category_name: advertiser.category ?? null,
    is_advertiser: advertiser.isAdvertiser ?? null,
    is_publisher: advertiser.isPublisher ?? null,
    ad_count: advertiser.adCount ?? null,
    creative_count: advertiser.creativeCount ?? null,
    network_count: advertiser.networkCount ?? null,
    networks: jsonOf(advertiser.networks),
    countries: jsonOf(advertiser.countries),
    icon_url: advertiser.iconUrl ?? null,
    service_app_id: idOf(advertiser.appId),
    platform_id: advertiser.platform ?? null,
    extra: extraOf(advertiser, known),
  };
}
