import type { z } from "zod";
import { searchAdsTopApps as operation } from "../api/operations/search-ads-report.ts";
import { rangeParams } from "../api/range.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Slice } from "../core/slice.ts";
import { storeOf } from "../core/store.ts";
import { appRef, defineTable, extraOf, jsonOf, type Row } from "../load/table.ts";
import { checkItems } from "./shared/check-items.ts";
import { amountOf, idOf, periodKey } from "./shared/values.ts";
import { defineDataset, part, type Partition } from "./shared/define-dataset.ts";
import { connectedOrganisations, numberOfOrganisation } from "./shared/organisation.ts";
import { adKeywords } from "./search-ads-report.ts";
import { organisations } from "./search-ads-integration.ts";

const table = defineTable({
  name: "core.fact_search_ads_top_app",
  columns: {
    org_id: "text",
    period_start: "day",
    period_end: "day",
    country_key: "country",
    keyword_id: "text",
    app_key: "app",
    keyword_key: "keyword",
    share: "number",
    app_name: "text",
    icon_url: "text",
    is_removed: "boolean",
    keyword_app_count: "number",
    competitors: "json",
    extra: "json",
  },
  key: ["org_id", "period_start", "period_end", "country_key", "keyword_id", "app_key"],
  load: { kind: "upsert" },
  partitioned: true,
});

type Item = z.output<typeof operation.answer>[number];
type App = NonNullable<Item["appData"]>[number];
/** A keyword as calls name it. Its item is these joined by spaces, with the keyword last since it may contain spaces. */
type Requested = {
  readonly country: string;
  readonly keywordId: string;
  readonly appId: string;
  readonly keyword: string;
};

/** Which apps win the impressions of the keywords that the account bids on, by calendar month. */
export const searchAdsTopApp = defineDataset({
  name: "search_ads_top_app",
  summary: "The apps that get the impressions of each keyword on which the account bids, by calendar month.",
  family: "search_ads",
  stage: "market",
  on: false,
  why: "20 credits per hundred keywords and month, for keywords in the reports of the last 62 days; switch it on if competitors' shares matter",
  timing: { kind: "period", grid: { months: 1 }, settleDays: 1, lookbackDays: 0, historyDays: 31 },
  tables: [table],
  operations: [operation],
  itemsPerCall: 100,
  plannedFrom: [organisations.name, adKeywords.name],
  partitions: (portfolio) =>
    connectedOrganisations(portfolio)
      .map((org): Partition => ({ scope: { org_id: org }, items: itemsOf(portfolio, org) }))
      .filter(({ items }) => items?.length !== 0),
  request: ({ scope, window, items }) => ({
    reportType: "TOP_APPS",
    reportLevel: "KEYWORD",
    ...rangeParams(operation, window),
    orgIds: [numberOfOrganisation(scope)],
    keywordList: (items ?? []).map(requestedOf).map(({ country, keywordId, appId, keyword }) => ({
      keyword,
      keywordId: Number(keywordId),
      appId: Number(appId),
      orgId: numberOfOrganisation(scope),
      country,
    })),
  }),
  normalise: (slice, pages, left) => {
    const requested = (slice.items ?? []).map((item) => ({ item, ...requestedOf(item) }));
    const reported = (pages.flat() as readonly Item[]).map((item) => ({
      item,
      requested: requested.filter((one) => isAbout(item, one)),
    }));
    const { fitting, invalid } = checkItems(
      reported,
      ({ requested: about }) => (about.length === 0 ? "a keyword that was not requested" : null),
      ({ item }) => item,
    );
    const rows = fitting.flatMap(({ item, requested: about }) =>
      about.flatMap((one) => (item.appData ?? []).map((app) => row(slice, one, { item, app }))),
    );
    const named = new Set(fitting.flatMap(({ requested: about }) => about.map(({ item }) => item)));
    return {
      rows: { [table.name]: rows },
      invalid,
      // it is unknown which keyword an invalid item was about
      unanswered:
        named.size === 0 || left.length > 0 ? [] : requested.map(({ item }) => item).filter((item) => !named.has(item)),
    };
  },
});

function itemsOf(portfolio: Portfolio, org: string): readonly string[] {
  const found = (portfolio.sources?.[adKeywords.name] ?? []).filter((one) => one["org_id"] === org);
  const usable = found.filter(
    ({ store, country, keyword_id: id }) => store === "ios" && country !== "ALL" && /^\d+$/.test(id ?? ""),
  );
  const items = usable.map(({ country, keyword_id: id, app, keyword }) => `${country} ${id} ${app} ${keyword}`);
  return [...new Set(items)].sort();
}

function requestedOf(item: string): Requested {
  const [country = "", keywordId = "", appId = "", ...words] = item.split(" ");
  return { country, keywordId, appId, keyword: words.join(" ") };
}

/** Matches by id if the answer has one, else by keyword; and by country if the answer has one. */
function isAbout({ keywordData: reported }: Item, requested: Requested): boolean {
  const id = idOf(reported.keywordId);
  const isSame = id === null ? reported.keyword === requested.keyword : id === requested.keywordId;
  return isSame && (reported.countryCode ?? requested.country).toUpperCase() === requested.country;
}

function row(slice: Slice, { country, keywordId, keyword }: Requested, { item, app }: { item: Item; app: App }): Row {
  const trackId = String(app.trackId);
  return {
    org_id: part(slice.scope, "org_id"),
    ...periodKey(slice),
    country_key: country,
    keyword_id: keywordId,
    app_key: appRef(storeOf(trackId), trackId),
    keyword_key: keyword,
    share: amountOf(app.share),
    app_name: app.name ?? null,
    icon_url: app.iconUrl ?? null,
    is_removed: app.removed ?? null,
    keyword_app_count: item.keywordData.numberOfApps ?? null,
    competitors: jsonOf(item.keywordData.competitors),
    extra: extraOf(app, ["share", "trackId", "name", "iconUrl", "removed"]),
  };
}
