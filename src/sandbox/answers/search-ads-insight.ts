import * as insight from "../../api/operations/search-ads-insight.ts";
import type { Day } from "../../core/day.ts";
import type { MarketApp } from "../market/apps.ts";
import { answerTable, answerTo, knownApp, publishedDays } from "../answer-context.ts";
import { paidShareOver } from "../market/search-ads.ts";

/** An app's share of the paid impressions of a keyword over days, in total and by slot. */
function share(app: MarketApp, of: { country: string; keyword: string; days: readonly Day[] }) {
  const all = paidShareOver(app, of);
  return { all, slotShares: { "1": all, "2": Math.round(all * 5e3) / 1e4 } };
}

/** Answers about who pays for which keywords; both report the same shares, by app and by keyword. */
export const searchAdsInsightAnswers = answerTable([
  answerTo(insight.paidKeywords, ({ trackId, countryCode, startDate, endDate }, context) => {
    const app = knownApp(context, "ios", trackId);
    const days = publishedDays(context, insight.paidKeywords, { start: startDate, end: endDate });
    const shares = context.market
      .trackedKeywords(app, countryCode)
      .map((keyword) => ({ keyword, of: share(app, { country: countryCode, keyword, days }) }))
      .filter(({ of }) => of.all > 0)
      .map(({ keyword, of }) => ({ keyword, appShare: of.all, slotShares: of.slotShares }));
    return { trackId: Number(trackId), shares };
  }),
  answerTo(insight.payingApps, ({ countryCode, keyword, startDate, endDate }, context) => {
    const days = publishedDays(context, insight.payingApps, { start: startDate, end: endDate });
    const shares = context.market.apps
      .filter(({ store }) => store === "ios")
      .map((app) => ({ app, of: share(app, { country: countryCode, keyword, days }) }))
      .filter(({ of }) => of.all > 0)
      .map(({ app, of }, index) => ({
        trackId: Number(app.trackId),
        share: of.all,
        slotShares: of.slotShares,
        defaultProductPageCount: 1,
        customProductPageCount: index % 3,
      }));
    return { keyword, startDate, endDate, shares };
  }),
]);
