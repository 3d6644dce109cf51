import * as account from "../../api/operations/search-ads-account.ts";
import { startOfDay, dayMs } from "../../core/day.ts";
import { appFacts } from "../market/app-facts.ts";
import type { MarketApp } from "../market/apps.ts";
import { bidsOf, changesOn, marketOrganisations, type BidChange } from "../market/search-ads.ts";
import { Refusal } from "../../api/serve/refusal.ts";
import { answerTable, answerTo, localTime, publishedDays, type AnswerContext } from "../answer-context.ts";
import { iconOf, appInformation, versionShown } from "./store-page.ts";

/** The apps that the account advertises; none if nothing is connected. */
const advertised = ({ market, connected }: AnswerContext) =>
  connected ? market.apps.filter(({ store }) => store === "ios") : [];

const trackers = ["ADJUST", "APPSFLYER"] as const;

/** The id of an app's goal, which can filter reports. */
const goalIdOf = (app: MarketApp) => Number(app.trackId) % 1_000_000;

function goal(app: MarketApp, index: number) {
  const id = goalIdOf(app);
  const [category, revenue] =
    index % 2 === 0 ? ["PURCHASE", {}] : ["SUBSCRIPTION", { customRevenue: 4.99, customUsdRevenue: 4.99 }];
  return {
    id,
    accountId: 7_001,
    trackId: Number(app.trackId),
    trackerType: trackers[index % 2],
    goalName: `${app.name} 🎯`,
    category,
    currency: "USD",
    createDate: localTime(startOfDay(app.released)),
    updateDate: localTime(startOfDay(app.released) + dayMs),
    eventList: [
      { id: id * 10, eventName: "bought", revenuePolicy: index % 2 === 0 ? "IN_APP_VALUE" : "FIXED_VALUE", ...revenue },
    ],
  };
}

function bidLog({ bid, at, from, to, byRule }: BidChange) {
  return {
    entityLevel: "KEYWORD",
    orgId: bid.org.id,
    entityId: bid.keywordId,
    currency: bid.org.currency,
    oldValue: from,
    newValue: to,
    date: localTime(at),
    source: byRule ? "RULE" : "DASHBOARD",
    ...(byRule ? { ruleName: "Raise winners" } : {}),
  };
}

function searchAdsApp(context: AnswerContext, app: MarketApp) {
  return {
    ...appInformation(context, app),
    subCategories: [appFacts(app).categoryName],
    lastUpdate: localTime(versionShown(context, app).at),
    releaseDate: localTime(startOfDay(app.released)),
  };
}

/** Answers about the account's search ads: all empty if nothing is connected. */
export const searchAdsAccountAnswers = answerTable([
  answerTo(account.searchAdsIntegrations, (_, { connected }) => [
    (connected ? marketOrganisations : []).map((org, index) => ({
      id: 100 + index,
      integId: `int-${org.id.toString(36)}`,
      orgName: org.name,
      orgId: org.id,
      currency: org.currency,
      timeZone: index === 0 ? "America/New_York" : "Europe/Istanbul",
      paymentModel: "PAYG",
      valid: true,
      roleNames: ["API Read Only"],
      fetchCompleted: true,
      createDate: "2024-02-29T09:30:00",
    })),
  ]),
  answerTo(account.mmpIntegrations, (_, context) =>
    advertised(context).map((app, index) => ({
      name: app.name,
      trackId: app.trackId,
      iconUrl: iconOf(app, versionShown(context, app)),
      developerName: app.developer,
      integrations: [
        {
          trackerType: trackers[index % 2] ?? "ADJUST",
          state: index % 3 === 0 ? "NO_RECENT_EVENT" : "SUCCESSFULLY_INTEGRATED",
        },
      ],
    })),
  ),
  answerTo(account.searchAdsGoals, ({ trackIds }, context) =>
    advertised(context)
      .map((app, index) => ({ app, reported: goal(app, index) }))
      .filter(({ app }) => trackIds?.includes(app.trackId) ?? true)
      .map(({ reported }) => reported),
  ),
  answerTo(account.searchAdsGoalById, ({ id }, context) => {
    const found = advertised(context)
      .map(goal)
      .find((one) => one.id === id);
    if (found === undefined) throw new Refusal(404, `there is no goal ${id}`);
    return found;
  }),
  answerTo(account.searchAdsApps, (_, context) => advertised(context).map((app) => searchAdsApp(context, app))),
  answerTo(account.bidHistoryLogs, ({ orgId, startDate, endDate }, context) => {
    const days = publishedDays(context, account.bidHistoryLogs, { start: startDate, end: endDate });
    const bids = context.connected ? bidsOf(context.market).filter(({ org }) => org.id === orgId) : [];
    return days.flatMap((day) => bids.flatMap((bid) => changesOn(bid, day).map(bidLog)));
  }),
]);
