import { z } from "zod";
import { defineOperation, inPath, inQuery, maybeInQuery } from "../define-operation.ts";
import {
  AnyId,
  AnyTrackId,
  DayText,
  Instant,
  IosTrackId,
  MaybeAmount,
  MaybeFlag,
  MaybeId,
  MaybeInstant,
  MaybeNumber,
  MaybePrice,
  MaybeText,
  MaybeTexts,
} from "../values.ts";

const get = { store: null, method: "GET", cost: 1, range: null, paging: null, envelope: "data" } as const;

export const searchAdsIntegrations = defineOperation({
  ...get,
  id: "search-ads.integrations",
  name: "Get Search Ads Integrations",
  path: "/searchads/info/sa-integrations",
  params: {},
  items: ["[]"],
  answer: z.array(
    z.array(
      z.looseObject({
        id: AnyId,
        integId: MaybeId,
        orgName: MaybeText,
        orgId: AnyId,
        currency: MaybeText,
        timeZone: MaybeText,
        paymentModel: MaybeText,
        valid: MaybeFlag,
        roleNames: MaybeTexts,
        fetchCompleted: MaybeFlag,
        createDate: MaybeInstant,
      }),
    ),
  ),
  summary:
    "The search-ads organisations to which the account is connected; an empty list means that it is not connected.",
});

export const mmpIntegrations = defineOperation({
  ...get,
  id: "search-ads.mmp-integrations",
  name: "Get MMP Integrations",
  path: "/searchads/info/v2/mmp-integrations",
  params: {},
  items: [],
  answer: z.array(
    z.looseObject({
      name: MaybeText,
      trackId: AnyTrackId,
      iconUrl: MaybeText,
      developerName: MaybeText,
      integrations: z.array(z.looseObject({ trackerType: z.string(), state: MaybeText })).nullish(),
    }),
  ),
  summary: "The apps of the account, with the measurement partners to which they report.",
});

const goal = z.looseObject({
  id: AnyId,
  accountId: MaybeId,
  trackId: AnyTrackId.nullish(),
  trackerType: MaybeText,
  goalName: MaybeText,
  category: MaybeText,
  currency: MaybeText,
  createDate: MaybeInstant,
  updateDate: MaybeInstant,
  eventList: z
    .array(
      z.looseObject({
        id: AnyId,
        eventName: MaybeText,
        revenuePolicy: MaybeText,
        customRevenue: MaybeAmount,
        customUsdRevenue: MaybeAmount,
      }),
    )
    .nullish(),
});

export const searchAdsGoals = defineOperation({
  ...get,
  id: "search-ads.goals",
  name: "Get Goals",
  path: "/searchads/info/goals",
  params: { trackIds: maybeInQuery(z.array(IosTrackId).min(1), "apps; all when left out") },
  items: [],
  answer: z.array(goal),
  summary: "The goals with which the account measures its search ads, with their events.",
});

export const searchAdsGoalById = defineOperation({
  ...get,
  id: "search-ads.goal",
  name: "Get a Goal",
  path: "/searchads/info/goals/{id}",
  params: { id: inPath(z.int().min(0), "id of the goal") },
  items: null,
  answer: goal,
  summary: "One goal with its events.",
});

export const searchAdsApps = defineOperation({
  ...get,
  id: "search-ads.apps",
  name: "Get Apps",
  path: "/searchads/info/apps",
  params: {},
  items: [],
  answer: z.array(
    z.looseObject({
      trackId: AnyTrackId,
      name: MaybeText,
      categoryName: MaybeText,
      categoryId: MaybeId,
      subCategories: MaybeTexts,
      iconUrl: MaybeText,
      price: MaybePrice,
      developerId: MaybeId,
      developerName: MaybeText,
      rating: MaybeNumber,
      ratingCount: MaybeNumber,
      lastUpdate: MaybeInstant,
      releaseDate: MaybeInstant,
    }),
  ),
  summary: "The apps that the account advertises.",
});

export const bidHistoryLogs = defineOperation({
  ...get,
  id: "search-ads.bid-history-logs",
  name: "Get Bid History Logs",
  path: "/searchads/bid-history-logs",
  params: {
    orgId: inQuery(z.int().min(0), "id of the organisation"),
    startDate: inQuery(DayText, "first day"),
    endDate: inQuery(DayText, "last day"),
  },
  cost: 20,
  // the contract does not say whether the last day is inclusive
  range: { start: "startDate", end: "endDate", endInclusive: null, days: 7 },
  items: [],
  answer: z.array(
    z.looseObject({
      entityLevel: MaybeText,
      orgId: MaybeId,
      entityId: AnyId,
      currency: MaybeText,
      oldValue: MaybeAmount,
      newValue: MaybeAmount,
      date: Instant,
      source: MaybeText,
      ruleName: MaybeText,
    }),
  ),
  summary: "Every change of a bid of one organisation over up to a week, manual or by rule.",
});
