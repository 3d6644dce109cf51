import * as data from "../../api/operations/dashboard-data.ts";
import * as words from "../../api/operations/dashboard-keyword.ts";
import * as search from "../../api/operations/dashboard-search.ts";
import type { Operation } from "../../api/define-operation.ts";
import { devicesOf, type Store } from "../../core/store.ts";
import { startOfDay, addDays, type Day, dayMs } from "../../core/day.ts";
import { appFacts } from "../market/app-facts.ts";
import type { MarketApp } from "../market/apps.ts";
import { businessOver } from "../market/business.ts";
import type { RankDevice } from "../market/ranks.ts";
import {
  answerTable,
  answerTo,
  knownApp,
  localTime,
  publishedDays,
  type AnswerContext,
  appWithId,
} from "../answer-context.ts";
import { isStoreConnected, keywordWithRanks } from "./dashboard.ts";
import { iconOf, versionShown } from "./store-page.ts";
import { sumBy } from "../../core/sum.ts";

/** An app among the results of a search; the earlier ones score higher. */
function hit(context: AnswerContext, app: MarketApp, index: number) {
  const { categoryId, categoryName, developerId } = appFacts(app);
  return {
    trackId: app.trackId,
    name: app.name,
    categoryName,
    categoryId,
    iconUrl: iconOf(app, versionShown(context, app)),
    developerId,
    developerName: app.developer,
    rankScore: Math.round(1_000 / (index + 1)) / 10,
  };
}

/** The host under which a developer is found. */
const hostOf = ({ developer }: MarketApp) =>
  `${
    developer
      .normalize("NFKD")
      .toLowerCase()
      .replaceAll(/[^a-z]/g, "") || "studio"
  }.example`;

function companyHits(context: AnswerContext, store: Store, query: string) {
  return context.market.apps
    .filter((app) => app.store === store && query.includes(hostOf(app)))
    .map((app, index) => {
      const { categoryId, ...rest } = hit(context, app, index);
      // text in one store, a number in the other
      return {
        ...rest,
        categoryId: store === "ios" ? String(categoryId) : categoryId,
        companyUrl: `https://${hostOf(app)}`,
      };
    });
}

/** One point per country and day, plus one per day for their total if no country is named; none for an app that is not connected. */
function points(
  context: AnswerContext,
  requested: {
    app: MarketApp;
    operation: Operation;
    start: Day;
    end: Day;
    country?: string | undefined;
    device?: RankDevice | undefined;
  },
) {
  const { app, operation, country, device } = requested;
  if (!isStoreConnected(context, app)) return [];
  const devices = device === undefined ? devicesOf[app.store] : [device];
  const countries = app.countries.filter((one) => one === (country ?? one));
  return publishedDays(context, operation, requested).flatMap((day) => {
    const parts = countries.map((one) => ({ country: one, day, of: businessOver(app, one, { days: [day], devices }) }));
    const sum = (name: "downloads" | "revenue" | "views") => sumBy(parts, ({ of }) => of[name]);
    const total = { downloads: sum("downloads"), revenue: Math.round(sum("revenue") * 100) / 100, views: sum("views") };
    return country === undefined ? [{ country: "ALL", day, of: total }, ...parts] : parts;
  });
}

/** Answers about what the account does and has: its keywords, searches, sales. */
export const dashboardMoreAnswers = answerTable([
  answerTo(words.addKeywords, ({ trackId, countryCode, body }, context) => {
    const app = appWithId(context, trackId);
    const device = app.store === "ios" ? ("IPHONE" as const) : ("ALL" as const);
    const cell = { store: app.store, trackId, country: countryCode, device, day: context.today };
    return context.tracked.add(app, countryCode, { keywords: body, at: context.now }).map((keyword) => ({
      ...keywordWithRanks(context, { ...cell, keyword }),
      createdAt: new Date(context.now).toISOString().slice(0, 23),
    }));
  }),
  answerTo(words.deleteKeywords, ({ trackId, countryCode, body }, context) =>
    context.tracked.remove(appWithId(context, trackId), countryCode, body).map((value) => ({
      value,
      countryCode,
      pinned: false,
      createdAt: localTime(startOfDay(addDays(context.today, -90))),
    })),
  ),
  answerTo(words.keywordSpots, ({ trackId, countryCode }, context) => {
    const app = knownApp(context, "ios", trackId);
    const language = context.market.languageIn(countryCode);
    const all = context.market.trackedKeywords(app, countryCode).filter((word) => !word.includes(","));
    const { at } = versionShown(context, app);
    // each release drops a word and adds another
    const first = Math.floor(at / dayMs) % Math.max(1, all.length);
    const field = [...all.slice(first), ...all.slice(0, first)];
    return [...new Set([`${language}-${countryCode}`, "en-GB"])].map((locale, index) => ({
      locale,
      keywords: field.slice(index * 4, index * 4 + 8).join(","),
      updateDate: context.instant(at),
    }));
  }),
  answerTo(search.appSearch, ({ query }, context) =>
    context.market.apps
      .filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()))
      .map((app, index) => hit(context, app, index)),
  ),
  answerTo(search.companyUrlSearch, ({ query }, context) => ({
    ios: companyHits(context, "ios", query.toLowerCase()),
    play: companyHits(context, "android", query.toLowerCase()),
  })),
  answerTo(data.salesMetrics, ({ trackId, context: figure, start, end, countryCode, device }, context) => {
    const requested = {
      app: appWithId(context, trackId),
      operation: data.salesMetrics,
      start,
      end,
      country: countryCode,
      device,
    };
    const field = { DOWNLOAD: "downloads", REVENUE_TOTAL: "revenue", PAGE_VIEW: "views" } as const;
    return points(context, requested).map(({ country, day, of }) => ({
      countryCode: country,
      date: day,
      units: of[field[figure]],
    }));
  }),
  answerTo(data.retentionHistory, ({ trackId, start, end, device }, context) =>
    points(context, { app: appWithId(context, trackId), operation: data.retentionHistory, start, end, device }).map(
      ({ country, day, of }) => ({ date: context.instant(startOfDay(day)), country, androidStoreVisits: of.views }),
    ),
  ),
]);
