import { startOfDay, daysBetween, type Day } from "../../core/day.ts";
import type { MarketApp } from "./apps.ts";
import type { Market } from "./market.ts";
import { hashOf, mix, unit, wander } from "./noise.ts";
import { dayNumber } from "./ranks.ts";
import { sumBy } from "../../core/sum.ts";

/** An organisation of the account; `rate` is the value of a US dollar in its currency. */
export type Organisation = {
  readonly id: number;
  readonly name: string;
  readonly currency: string;
  readonly rate: number;
};

/** One keyword that the account bids on, with everything that it belongs to: every report is a sum over bids. */
export type Bid = {
  readonly org: Organisation;
  readonly app: MarketApp;
  readonly country: string;
  readonly campaignId: number;
  readonly adGroupId: number;
  readonly keywordId: number;
  readonly keyword: string;
};

/** The result of one bid on one day, in integers: `spend` and `revenue` in US cents. */
export type Result = {
  readonly impressions: number;
  readonly taps: number;
  readonly newDownloads: number;
  readonly redownloads: number;
  readonly spend: number;
  readonly goals: number;
  readonly revenue: number;
};

/** A change of a bid. */
export type BidChange = {
  readonly bid: Bid;
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly byRule: boolean;
};

export const marketOrganisations: readonly Organisation[] = [
  { id: 4_100_001, name: "Paperlantern Labs", currency: "USD", rate: 1 },
  { id: 4_100_002, name: "Yelkovan Yazılım Atölyesi", currency: "EUR", rate: 0.9 },
];

const countriesPerApp = 3;
const groupsPerCampaign = 2;
const keywordsPerGroup = 3;
/** A figure is final after this many days. */
const settledAfter = 7;

/** Every bid of the account: on its iOS apps, in the first countries that each sells in. */
export function bidsOf(market: Market): readonly Bid[] {
  const apps = market.apps.filter(({ store }) => store === "ios");
  return apps.flatMap((app, appIndex) =>
    app.countries.slice(0, countriesPerApp).flatMap((country, countryIndex) => {
      const campaignId = 50_000_000 + appIndex * 100 + countryIndex;
      const words = market.trackedKeywords(app, country).slice(0, groupsPerCampaign * keywordsPerGroup);
      const org = marketOrganisations[appIndex % marketOrganisations.length] ?? {
        id: 0,
        name: "",
        currency: "USD",
        rate: 1,
      };
      return words.map((keyword, index) => ({
        org,
        app,
        country,
        campaignId,
        adGroupId: campaignId * 10 + Math.floor(index / keywordsPerGroup),
        keywordId: campaignId * 100 + index,
        keyword,
      }));
    }),
  );
}

/** The result of a bid on a day as reported `today`: the effects of taps are counted for some more days. */
export function resultOn(bid: Bid, day: Day, today: Day): Result {
  const hash = hashOf("bid", bid.keywordId);
  const size = 900 * bid.app.popularity * unit(mix(hash, 1)) * (1 + 0.6 * wander(hash, dayNumber(day)));
  const impressions = Math.round(size);
  const taps = Math.round(impressions * (0.03 + 0.08 * unit(mix(hash, 2))));
  const known = Math.min(1, 0.7 + (0.3 * daysBetween(day, today)) / settledAfter);
  const installs = Math.floor(taps * (0.3 + 0.4 * unit(mix(hash, 3))) * known);
  const redownloads = Math.floor(installs * 0.2);
  const goals = Math.floor(installs * 0.3 * known);
  return {
    impressions,
    taps,
    newDownloads: installs - redownloads,
    redownloads,
    spend: taps * (40 + Math.floor(unit(mix(hash, 4)) * 160)),
    goals,
    revenue: goals * 499,
  };
}

/** The changes of a bid on a day, in order; sometimes a rule makes the same change twice at once. */
export function changesOn(bid: Bid, day: Day): readonly BidChange[] {
  const hash = mix(hashOf("change", bid.keywordId), dayNumber(day));
  if (unit(hash) >= 0.15) return [];
  const from = Math.round(50 + unit(mix(hash, 1)) * 150) / 100;
  const at = startOfDay(day) + Math.floor(unit(mix(hash, 2)) * 86_400) * 1_000;
  const byRule = unit(mix(hash, 3)) < 0.5;
  const change = { bid, at, from, to: Math.round(from * (unit(mix(hash, 4)) < 0.5 ? 110 : 90)) / 100, byRule };
  return byRule && unit(mix(hash, 5)) < 0.3 ? [change, change] : [change];
}

/** The average share of a keyword's paid impressions that an app wins over days, 0 to 1, rounded to four decimals; 0 if it does not pay. */
export function paidShareOver(
  app: MarketApp,
  { days, ...cell }: { country: string; keyword: string; days: readonly Day[] },
): number {
  const sum = sumBy(days, (day) => paidShareOn(app, { ...cell, day }));
  return days.length === 0 ? 0 : Math.round((sum / days.length) * 1e4) / 1e4;
}

function paidShareOn(app: MarketApp, cell: { country: string; keyword: string; day: Day }): number {
  const hash = hashOf("paid", app.trackId, cell.country, cell.keyword);
  if (!app.countries.includes(cell.country) || unit(hash) < 0.5) return 0;
  return 0.12 * unit(mix(hash, 1)) * (1 + 0.5 * wander(hash, dayNumber(cell.day)));
}
