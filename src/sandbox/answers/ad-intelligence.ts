import * as distribution from "../../api/operations/ad-distribution.ts";
import * as ads from "../../api/operations/ad-intelligence.ts";
import { startOfDay, addDays, type Day } from "../../core/day.ts";
import { sumBy } from "../../core/sum.ts";
import { advertisementsOf, isPublisher, marketNetworks, type Advertisement } from "../market/ads.ts";
import { appFacts } from "../market/app-facts.ts";
import type { MarketApp } from "../market/apps.ts";
import { unlistedApp } from "../market/charts.ts";
import { answerTable, answerTo, type AnswerContext, appWithId } from "../answer-context.ts";

const perPage = 50;
/** Advertisers without an app in the market. */
const unlistedApps = 60;
const defaultDays = 30;
const mediaTypes = { image: 1, video: 2, html: 3, playable: 4 } as const satisfies Record<
  Advertisement["kind"],
  number
>;
const countryNames = new Intl.DisplayNames("en", { type: "region" });
const alpha3: Readonly<Record<string, string>> = { US: "USA", GB: "GBR", DE: "DEU", JP: "JPN", BR: "BRA", TR: "TUR" };

type Filter = {
  readonly startDate?: Day | undefined;
  readonly endDate?: Day | undefined;
  readonly countryCode?: string | undefined;
  readonly network?: string | undefined;
};

/** The advertisements for an app that a question is about, in the order of their ids. */
function found(context: AnswerContext, app: MarketApp, requested: Filter): Advertisement[] {
  const end = requested.endDate ?? context.today;
  const start = requested.startDate ?? addDays(end, 1 - defaultDays);
  return advertisementsOf(app, { start, end, languageIn: (country) => context.market.languageIn(country) })
    .filter(({ country }) => country === (requested.countryCode ?? country))
    .filter(({ network }) => network.title === (requested.network ?? network.title));
}

/** The parts of a whole in percent: of the advertisements, or of their impressions if media type 2 is requested. */
function percents(all: readonly Advertisement[], key: (one: Advertisement) => string, mediaType = 1) {
  const weigh = (some: readonly Advertisement[]) =>
    mediaType === 2 ? sumBy(some, ({ impressions }) => impressions) : some.length;
  return [...Map.groupBy(all, key)]
    .map(([name, some]) => ({ name, percent: Math.round((weigh(some) / weigh(all)) * 10_000) / 100 }))
    .sort((a, b) => b.percent - a.percent || (a.name < b.name ? -1 : 1));
}

const sizeOf = ({ width, height }: Advertisement) => `${width}x${height}`;
const isoTime = (day: Day) => new Date(startOfDay(day)).toISOString();

function pageOf<T>(all: readonly T[], page = 1) {
  return {
    currentPage: page,
    perPage,
    total: all.length,
    totalPages: Math.ceil(all.length / perPage),
    data: all.slice((page - 1) * perPage, page * perPage),
  };
}

function creative(app: MarketApp, one: Advertisement) {
  return {
    countryCode: [one.country],
    network: [{ ...one.network, class: one.network.title.toLowerCase().replaceAll(" ", "-") }],
    mediaUrl: `https://media.example/${one.id}`,
    mediaOriginalUrl: `https://media.example/${one.id}/original`,
    previewUrl: `https://media.example/${one.id}/preview.png`,
    resourceMedia: 0,
    resourceMediaUrl: null,
    mediaType: mediaTypes[one.kind],
    mediaId: one.id,
    tagType: "1,4",
    firstSeen: 3,
    lastSeen: 1,
    properties: { size: sizeOf(one), width: one.width, height: one.height },
    platformId: app.store === "ios" ? 2 : 1,
    appId: one.id % 100_000,
    title: `${app.name} – try it 🌱`,
    subtitle: "",
    action: "Install",
    iconUrl: `https://icons.example/${app.trackId}.png`,
    fullName: app.name,
    trackId: app.trackId,
    category: appFacts(app).categoryName,
    categoryId: appFacts(app).categoryId,
    impression: one.impressions,
    mediaFormat: [mediaTypes[one.kind]],
    duration: one.kind === "video" ? 30 : 0,
    lastSeenDate: isoTime(one.last),
    firstSeenDate: isoTime(one.first),
    hashedMediaId: one.id.toString(16),
  };
}

function advertiser(context: AnswerContext, app: MarketApp, all: readonly Advertisement[]) {
  const used = marketNetworks.filter(({ title }) => all.some(({ network }) => network.title === title));
  const countries = [...new Set(all.map(({ country }) => country))].sort();
  return {
    isAdvertiser: true,
    isPublisher: isPublisher(app),
    adCount: all.length * 2,
    creativeCount: all.length,
    networks: used.map(({ title }) => ({ title, class: title.toLowerCase().replaceAll(" ", "-") })),
    countries: countries.map((countryCode) => ({ title: countryCode, countryCode })),
    platform: app.store === "ios" ? 2 : 1,
    appId: context.market.apps.indexOf(app) + 1,
    iconUrl: `https://icons.example/${app.trackId}.png`,
    fullName: app.name,
    trackId: app.trackId,
    developerName: app.developer,
    developerId: app.store === "ios" ? appFacts(app).developerId : null,
    category: appFacts(app).categoryName,
    categoryId: appFacts(app).categoryId,
    networkCount: used.length,
  };
}

type Ranked = Partial<ReturnType<typeof advertiser>> & { readonly trackId: string; readonly platform: number };

/** The market's own advertisers by their advertisements, then those of apps outside the market. */
function topAdvertisers(
  context: AnswerContext,
  requested: Filter & { platformId?: number | undefined; category?: string | undefined },
): Ranked[] {
  const own = context.market.apps
    .map((app) => ({ app, all: found(context, app, requested) }))
    .filter(({ all }) => all.length > 0)
    .sort((a, b) => b.all.length - a.all.length || (a.app.trackId < b.app.trackId ? -1 : 1))
    .map(({ app, all }): Ranked => advertiser(context, app, all));
  const others = Array.from({ length: unlistedApps }, (_, index): Ranked => {
    const store = index % 2 === 0 ? "ios" : "android";
    const trackId = unlistedApp(store, 500, index);
    return {
      trackId,
      fullName: `UnlistedApp ${index}`,
      platform: store === "ios" ? 2 : 1,
      creativeCount: 1,
      category: "Games",
    };
  });
  return [...own, ...others]
    .filter(({ platform }) => platform === (requested.platformId ?? platform))
    .filter(({ category }) => category === (requested.category ?? category));
}

/** Answers about advertisements: every distribution is over the same advertisements. */
export const adIntelligenceAnswers = answerTable([
  answerTo(ads.creatives, ({ trackId, page, mediaType, ...requested }, context) => {
    const app = appWithId(context, trackId);
    const all = found(context, app, requested).filter(
      ({ kind }) => mediaTypes[kind] === (mediaType ?? mediaTypes[kind]),
    );
    return pageOf(
      all.map((one) => creative(app, one)),
      page,
    );
  }),
  answerTo(ads.checkBadge, ({ trackId }, context) => {
    const app = appWithId(context, trackId);
    return { appAdvertiser: found(context, app, {}).length > 0, appPublisher: isPublisher(app) };
  }),
  answerTo(ads.topAdvertisers, ({ page, ...requested }, context) => pageOf(topAdvertisers(context, requested), page)),
  answerTo(distribution.countryDistribution, ({ trackId, mediaType, ...requested }, context) =>
    percents(found(context, appWithId(context, trackId), requested), ({ country }) => country, mediaType).map(
      ({ name, percent }) => ({
        name: countryNames.of(name) ?? name,
        code: name,
        code3: alpha3[name] ?? name,
        percent,
      }),
    ),
  ),
  answerTo(distribution.creativeDimensionDistribution, ({ trackId, mediaType, ...requested }, context) => {
    const all = found(context, appWithId(context, trackId), requested);
    const of = (kind: Advertisement["kind"]) =>
      percents(
        all.filter((one) => one.kind === kind),
        sizeOf,
        mediaType,
      );
    return { imageCreative: of("image"), videoCreative: of("video"), htmlCreative: of("html") };
  }),
  answerTo(distribution.creativeTypeDistribution, ({ trackId, mediaType, ...requested }, context) => {
    const parts = percents(found(context, appWithId(context, trackId), requested), ({ kind }) => kind, mediaType);
    const of = (kind: Advertisement["kind"]) => parts.find(({ name }) => name === kind)?.percent ?? 0;
    return {
      imagePercent: of("image"),
      videoPercent: of("video"),
      htmlPercent: of("html"),
      playablePercent: of("playable"),
    };
  }),
  answerTo(distribution.languageDistribution, ({ trackId, ...requested }, context) =>
    percents(found(context, appWithId(context, trackId), requested), ({ language }) => language),
  ),
  answerTo(distribution.networkDistribution, ({ trackId, mediaType, ...requested }, context) =>
    percents(found(context, appWithId(context, trackId), requested), ({ network }) => network.title, mediaType).map(
      ({ name, percent }) => ({ title: name, percent }),
    ),
  ),
  answerTo(distribution.publisherDimensionDistribution, ({ trackId, ...requested }, context) => {
    const app = appWithId(context, trackId);
    const shown = isPublisher(app)
      ? context.market.neighbours(app).flatMap((one) => found(context, one, requested))
      : [];
    const kinds = [...Map.groupBy(shown, ({ kind }) => kind)];
    return Object.fromEntries(
      kinds.map(([kind, some]) => [
        kind,
        percents(some, sizeOf).map(({ name, percent }) => ({ mediaType: kind, dimensions: name, percentage: percent })),
      ]),
    );
  }),
]);
