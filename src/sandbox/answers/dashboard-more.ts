import * as data from "../../api/operations/dashboard-data.ts";
import * as words from "../../api/operations/dashboard-keyword.ts";
import * as search from "../../api/operations/dashboard-search.ts";
import type { Operation } from "../../api/define-operation.ts";
import { devicesOf, storeOf, type Store } from "../../core/store.ts";
import { addDays, type Day } from "../../core/day.ts";
import { appFacts } from "../market/app-facts.ts";
import type { MarketApp } from "../market/apps.ts";
import { businessOver } from "../market/business.ts";
import { versionOn } from "../market/versions.ts";
import type { Device } from "../market/ranks.ts";
import { answerTable, answerTo, knownApp, localTime, midnight, publishedDays, type Scene } from "../answer-context.ts";
import { isStoreConnected, trackedKeyword } from "./dashboard.ts";
import { iconOf } from "./store-page.ts";

const known = (scene: Scene, trackId: string) => knownApp(scene, storeOf(trackId), trackId);

/** An app among the results of a search; the earlier ones score higher. */
function hit(scene: Scene, app: MarketApp, index: number) {
  const { categoryId, categoryName, developerId } = appFacts(app);
  return {
    trackId: app.trackId,
    name: app.name,
    categoryName,
    categoryId,
    iconUrl: iconOf(app, versionOn(app, addDays(scene.today, -1))),
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

function companyHits(scene: Scene, store: Store, query: string) {
  return scene.market.apps
    .filter((app) => app.store === store && query.includes(hostOf(app)))
    .map((app, index) => {
      const { categoryId, ...rest } = hit(scene, app, index);
      // text in one store, a number in the other
      return {
        ...rest,
        categoryId: store === "ios" ? String(categoryId) : categoryId,
        companyUrl: `https://${hostOf(app)}`,
      };
    });
}

/** One point a country and day, and one for their total where no country is named; none for an app that is not connected. */
function points(
  scene: Scene,
  asked: {
    app: MarketApp;
    operation: Operation;
    start: Day;
    end: Day;
    country?: string | undefined;
    device?: Device | undefined;
  },
) {
  const { app, operation, country, device } = asked;
  if (!isStoreConnected(scene, app)) return [];
  const devices = device === undefined ? devicesOf[app.store] : [device];
  const countries = app.countries.filter((one) => one === (country ?? one));
  return publishedDays(scene, operation, asked).flatMap((day) => {
    const parts = countries.map((one) => ({ country: one, day, of: businessOver(app, one, { days: [day], devices }) }));
    const sum = (name: "downloads" | "revenue" | "views") => parts.reduce((total, { of }) => total + of[name], 0);
    const total = { downloads: sum("downloads"), revenue: Math.round(sum("revenue") * 100) / 100, views: sum("views") };
    return country === undefined ? [{ country: "ALL", day, of: total }, ...parts] : parts;
  });
}

/** Answers about what the account does and has: its keywords, searches, sales. */
export const dashboardMoreAnswers = answerTable([
  answerTo(words.addKeywords, ({ trackId, countryCode, body }, scene) => {
    const app = known(scene, trackId);
    const device = app.store === "ios" ? ("IPHONE" as const) : ("ALL" as const);
    const cell = { store: app.store, trackId, country: countryCode, device, day: scene.today };
    return scene.tracked.add(app, countryCode, { keywords: body, at: scene.now }).map((keyword) => ({
      ...trackedKeyword(scene, { ...cell, keyword }),
      createdAt: new Date(scene.now).toISOString().slice(0, 23),
    }));
  }),
  answerTo(words.deleteKeywords, ({ trackId, countryCode, body }, scene) =>
    scene.tracked.remove(known(scene, trackId), countryCode, body).map((value) => ({
      value,
      countryCode,
      pinned: false,
      createdAt: localTime(midnight(addDays(scene.today, -90))),
    })),
  ),
  answerTo(words.keywordSpots, ({ trackId, countryCode }, scene) => {
    const app = knownApp(scene, "ios", trackId);
    const language = scene.market.languageIn(countryCode);
    const all = scene.market.trackedKeywords(app, countryCode).filter((word) => !word.includes(","));
    const { at } = versionOn(app, addDays(scene.today, -1));
    // each release drops a word and takes up another
    const first = Math.floor(at / 86_400_000) % Math.max(1, all.length);
    const field = [...all.slice(first), ...all.slice(0, first)];
    return [...new Set([`${language}-${countryCode}`, "en-GB"])].map((locale, index) => ({
      locale,
      keywords: field.slice(index * 4, index * 4 + 8).join(","),
      updateDate: scene.instant(at),
    }));
  }),
  answerTo(search.appSearch, ({ query }, scene) =>
    scene.market.apps
      .filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()))
      .map((app, index) => hit(scene, app, index)),
  ),
  answerTo(search.companyUrlSearch, ({ query }, scene) => ({
    ios: companyHits(scene, "ios", query.toLowerCase()),
    play: companyHits(scene, "android", query.toLowerCase()),
  })),
  answerTo(data.salesMetrics, ({ trackId, context, start, end, countryCode, device }, scene) => {
    const asked = {
      app: known(scene, trackId),
      operation: data.salesMetrics,
      start,
      end,
      country: countryCode,
      device,
    };
    const field = { DOWNLOAD: "downloads", REVENUE_TOTAL: "revenue", PAGE_VIEW: "views" } as const;
    return points(scene, asked).map(({ country, day, of }) => ({
      countryCode: country,
      date: day,
      units: of[field[context]],
    }));
  }),
  answerTo(data.retentionHistory, ({ trackId, start, end, device }, scene) =>
    points(scene, { app: known(scene, trackId), operation: data.retentionHistory, start, end, device }).map(
      ({ country, day, of }) => ({ date: scene.instant(midnight(day)), country, androidStoreVisits: of.views }),
    ),
  ),
]);
