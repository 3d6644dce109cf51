import { z } from "zod";
import * as ads from "../api/operations/ad-distribution.ts";
import { rangeParams } from "../api/range.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Scope } from "../core/slice.ts";
import { defineTable } from "../load/table.ts";
import { appAreas, areas, forEach, narrowed, networks, thirtyDays } from "./shared/ad-scope.ts";
import { partsOf, type DistributionKind } from "./shared/ad-distribution-parts.ts";
import { amountOf, periodKey } from "./shared/values.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";

const requested = ["app_key", "period_start", "period_end", "country_key", "kind", "media_type", "network"] as const;

const table = defineTable({
  name: "core.fact_ad_distribution",
  columns: {
    app_key: "app",
    period_start: "day",
    period_end: "day",
    country_key: "country",
    kind: "text",
    media_type: "text",
    network: "text",
    member_group: "text",
    member: "text",
    member_name: "text",
    percent_share: "number",
    extra: "json",
  },
  key: [...requested, "member_group", "member"],
  load: { kind: "replace", scope: requested },
  partitioned: true,
});

/** The operation for each kind, and the parameters that narrow its calls. */
const kinds = {
  country: { operation: ads.countryDistribution, byMedia: true, byNetwork: false, byCountry: false },
  dimension: { operation: ads.creativeDimensionDistribution, byMedia: true, byNetwork: true, byCountry: true },
  type: { operation: ads.creativeTypeDistribution, byMedia: true, byNetwork: true, byCountry: true },
  language: { operation: ads.languageDistribution, byMedia: false, byNetwork: false, byCountry: true },
  network: { operation: ads.networkDistribution, byMedia: true, byNetwork: false, byCountry: true },
  publisher_dimension: {
    operation: ads.publisherDimensionDistribution,
    byMedia: false,
    byNetwork: false,
    byCountry: false,
  },
} as const;
const kindNames = Object.keys(kinds) as DistributionKind[];

/** What is counted, as the service numbers it. */
const mediaTypes = { creatives: 1, impressions: 2 } as const;

const options = z.object({
  kinds: z
    .array(z.enum(kindNames))
    .min(1)
    .default(kindNames)
    .describe(
      "Distributions to request. Credits per call: 10 for country, language and network, 20 for dimension and type, 50 for publisher_dimension (advertisements that the app shows).",
    ),
  media_types: z
    .array(z.enum(["creatives", "impressions"]))
    .min(1)
    .default(["creatives"])
    .describe("What is counted; one call each. language and publisher_dimension do not depend on it."),
  areas: areas
    .default(["all"])
    .describe(
      "all: one call for all countries together; each: one call for each country of the app in the portfolio (except for country and publisher_dimension).",
    ),
  networks,
});

/** How the advertising of the portfolio's apps is spread over periods of 30 days: six distributions in one table. */
export const adDistribution = defineDataset({
  name: "ad_distribution",
  summary:
    "How the advertising of each portfolio app is distributed, over periods of 30 days: by country, size, type, language, network, and size of the advertisements that it shows.",
  stage: "market",
  on: false,
  why: "120 credits per app and 30 days for all six kinds",
  timing: thirtyDays,
  tables: [table],
  operations: kindNames.map((kind) => kinds[kind].operation),
  operationsFor: (scope) => [operationOf(scope)],
  options,
  byApp: true,
  partitions: (portfolio, chosen) => scopesOf(portfolio, chosen).map((scope) => ({ scope, items: null })),
  request: ({ scope, window }) => ({
    trackId: part(scope, "app"),
    ...rangeParams(operationOf(scope), window),
    ...narrowed(scope),
    ...(scope["media_type"] === undefined ? {} : { mediaType: mediaTypes[scope["media_type"] as "creatives"] }),
  }),
  normalise: (slice, pages) => {
    const { scope } = slice;
    const reported = pages.flatMap((page) => partsOf(part(scope, "kind") as DistributionKind, page));
    const rows = reported.flatMap((one) => ("reason" in one ? [] : [one]));
    const stamp = {
      app_key: `${part(scope, "store")}:${part(scope, "app")}`,
      ...periodKey(slice),
      country_key: scope["country"] ?? "ALL",
      kind: part(scope, "kind"),
      media_type: scope["media_type"] ?? "",
      network: scope["network"] ?? "",
    };
    return {
      rows: {
        [table.name]: rows.map(({ group, member, name, percent, extra }) => ({
          ...stamp,
          member_group: group,
          member,
          member_name: name,
          percent_share: amountOf(percent),
          extra,
        })),
      },
      invalid: reported.flatMap((one) => ("reason" in one ? [one] : [])),
    };
  },
});

function operationOf(scope: Scope) {
  return kinds[part(scope, "kind") as DistributionKind].operation;
}

function scopesOf(portfolio: Portfolio, chosen: z.output<typeof options>): readonly Scope[] {
  return chosen.kinds.flatMap((kind) => {
    const { byCountry, byMedia, byNetwork } = kinds[kind];
    // a kind without countries is requested once, regardless of the chosen areas
    return appAreas(portfolio, byCountry ? chosen.areas : ["all"])
      .map((scope) => ({ ...scope, kind }))
      .flatMap((scope) => forEach(scope, "media_type", byMedia ? chosen.media_types : []))
      .flatMap((scope) => forEach(scope, "network", byNetwork ? chosen.networks : []));
  });
}
