import * as keyword from "../../api/operations/keyword.ts";
import { addDays, type Day } from "../../core/day.ts";
import { daysOf } from "../../core/window.ts";
import type { KeywordFacts } from "../market/keyword-facts.ts";
import type { AppDay, RankCell } from "../market/market.ts";
import { answerTable, answerTo, isPublished, knownApp, type Scene } from "../answer-context.ts";

const phones = ["IPHONE", "IPAD"] as const;

/** One entry a crawl of a keyword; nothing for an unpublished day. */
function ranks(
  scene: Scene,
  cell: RankCell,
): { keyword: string; countryCode: string; date: number | string; rank: number | null }[] {
  if (!isPublished(scene, cell.day)) return [];
  return scene.market
    .crawls(cell)
    .map(({ at, rank }) => ({ keyword: cell.keyword, countryCode: cell.country, date: scene.instant(at), rank }));
}

function iosRanks(scene: Scene, cell: { trackId: string; keyword: string; country: string; day: Day }) {
  const { trackId } = knownApp(scene, "ios", cell.trackId);
  return phones.flatMap((device) =>
    ranks(scene, { ...cell, store: "ios", device }).map((entry) => ({
      trackId: Number(trackId),
      ...entry,
      appKind: device,
    })),
  );
}

function androidRanks(scene: Scene, cell: { trackId: string; keyword: string; country: string; day: Day }) {
  const { trackId } = knownApp(scene, "android", cell.trackId);
  return ranks(scene, { ...cell, store: "android", device: "ALL" }).map((entry) => ({ trackId, ...entry }));
}

function daysBetweenInclusive(range: { startDate: Day; endDate: Day }): Day[] {
  return daysOf({ start: range.startDate, end: addDays(range.endDate, 1) });
}

function organic(scene: Scene, cell: AppDay): { keyword: string; rank: number }[] {
  knownApp(scene, cell.store, cell.trackId);
  return isPublished(scene, cell.day) ? [...scene.market.organic(cell)] : [];
}

/** The keywords that bring the most searches: much searched for, and high up. */
function top(scene: Scene, cell: AppDay, limit = 100) {
  return organic(scene, cell)
    .map((entry) => ({
      ...entry,
      searchVolume: scene.market.facts(cell.store, cell.country, entry.keyword).searchVolume,
    }))
    .sort((a, b) => b.searchVolume / b.rank - a.searchVolume / a.rank)
    .slice(0, limit);
}

function common(facts: KeywordFacts, asked: { keyword: string; countryCode: string; language: string }) {
  return {
    keyword: asked.keyword,
    countryCode: asked.countryCode,
    languageCode: asked.language,
    searchVolume: facts.searchVolume,
  };
}

/** The instant that stands for a whole day in answers that have no crawl of their own. */
function midnight(scene: Scene, day: Day): number | string {
  return scene.instant(Date.parse(`${day}T00:00:00Z`));
}

/** Answers about keywords: ranks, history, top and organic keywords, metadata. */
export const keywordAnswers = answerTable([
  answerTo(keyword.iosKeywordRanking, ({ trackId, countryCode, keywords, date }, scene) => {
    knownApp(scene, "ios", trackId);
    return keywords.flatMap((word) =>
      iosRanks(scene, { trackId, keyword: word, country: countryCode, day: date ?? addDays(scene.today, -1) }),
    );
  }),
  answerTo(keyword.androidKeywordRanking, ({ trackId, countryCode, keywords, date }, scene) => {
    knownApp(scene, "android", trackId);
    return keywords.flatMap((word) =>
      androidRanks(scene, { trackId, keyword: word, country: countryCode, day: date ?? addDays(scene.today, -1) }),
    );
  }),
  answerTo(keyword.iosKeywordHistory, ({ trackId, countryCode, keyword: word, ...range }, scene) =>
    daysBetweenInclusive(range).flatMap((day) =>
      iosRanks(scene, { trackId, keyword: word, country: countryCode, day }),
    ),
  ),
  answerTo(keyword.androidKeywordHistory, ({ trackId, countryCode, keyword: word, ...range }, scene) =>
    daysBetweenInclusive(range).flatMap((day) =>
      androidRanks(scene, { trackId, keyword: word, country: countryCode, day }),
    ),
  ),
  answerTo(keyword.iosTopKeywords, ({ trackId, countryCode, date, device, limit }, scene) =>
    top(scene, { store: "ios", trackId, country: countryCode, device: device ?? "IPHONE", day: date }, limit),
  ),
  answerTo(keyword.androidTopKeywords, ({ trackId, countryCode, date, limit }, scene) =>
    top(scene, { store: "android", trackId, country: countryCode, device: "ALL", day: date }, limit),
  ),
  answerTo(keyword.iosKeywordMetadata, ({ countryCode, keyword: word }, scene) => {
    const facts = scene.market.facts("ios", countryCode, word);
    return {
      ...common(facts, { keyword: word, countryCode, language: scene.market.languageIn(countryCode) }),
      numberOfIpadApps: facts.numberOfIpadApps,
      numberOfIphoneApps: facts.numberOfApps,
      ownIphoneChance: facts.chance,
      ownIpadChance: Math.min(100, Math.round(facts.chance * 11) / 10),
      ...(facts.popularity === null ? {} : { popularity: facts.popularity }),
      ...(facts.brandApp === null ? {} : { brandApp: Number(facts.brandApp) }),
    };
  }),
  answerTo(keyword.androidKeywordMetadata, ({ countryCode, keyword: word }, scene) => {
    const facts = scene.market.facts("android", countryCode, word);
    return {
      ...common(facts, { keyword: word, countryCode, language: scene.market.languageIn(countryCode) }),
      numberOfApps: facts.numberOfApps,
      playChance: facts.chance,
      ...(facts.brandApp === null ? {} : { brandApp: facts.brandApp }),
    };
  }),
  answerTo(keyword.iosOrganicKeywords, ({ trackId, countryCode, device, date }, scene) => ({
    trackId: Number(trackId),
    countryCode,
    deviceType: device,
    date: midnight(scene, date),
    rankings: organic(scene, { store: "ios", trackId, country: countryCode, device, day: date }),
  })),
  answerTo(keyword.androidOrganicKeywords, ({ trackId, countryCode, date }, scene) => ({
    trackId,
    countryCode,
    date: midnight(scene, date),
    rankings: organic(scene, { store: "android", trackId, country: countryCode, device: "ALL", day: date }),
  })),
]);
