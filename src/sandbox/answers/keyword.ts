import * as keyword from "../../api/operations/keyword.ts";
import { startOfDay, addDays, type Day } from "../../core/day.ts";
import { daysOf } from "../../core/window.ts";
import type { KeywordFacts } from "../market/keyword-facts.ts";
import type { AppDay, RankCell } from "../market/market.ts";
import { answerTable, answerTo, isPublished, knownApp, type AnswerContext, yesterday } from "../answer-context.ts";

const phones = ["IPHONE", "IPAD"] as const;

/** One entry per crawl of a keyword; nothing for an unpublished day. */
function ranks(
  context: AnswerContext,
  cell: RankCell,
): { keyword: string; countryCode: string; date: number | string; rank: number | null }[] {
  if (!isPublished(context, cell.day)) return [];
  return context.market
    .crawls(cell)
    .map(({ at, rank }) => ({ keyword: cell.keyword, countryCode: cell.country, date: context.instant(at), rank }));
}

function iosRanks(context: AnswerContext, cell: { trackId: string; keyword: string; country: string; day: Day }) {
  const { trackId } = knownApp(context, "ios", cell.trackId);
  return phones.flatMap((device) =>
    ranks(context, { ...cell, store: "ios", device }).map((entry) => ({
      trackId: Number(trackId),
      ...entry,
      appKind: device,
    })),
  );
}

function androidRanks(context: AnswerContext, cell: { trackId: string; keyword: string; country: string; day: Day }) {
  const { trackId } = knownApp(context, "android", cell.trackId);
  return ranks(context, { ...cell, store: "android", device: "ALL" }).map((entry) => ({ trackId, ...entry }));
}

function daysBetweenInclusive(range: { startDate: Day; endDate: Day }): Day[] {
  return daysOf({ start: range.startDate, end: addDays(range.endDate, 1) });
}

function organic(context: AnswerContext, cell: AppDay): { keyword: string; rank: number }[] {
  knownApp(context, cell.store, cell.trackId);
  return isPublished(context, cell.day) ? [...context.market.organic(cell)] : [];
}

/** The keywords that bring the most visits: often searched for, and with a high rank. */
function top(context: AnswerContext, cell: AppDay, limit = 100) {
  return organic(context, cell)
    .map((entry) => ({
      ...entry,
      searchVolume: context.market.facts(cell.store, cell.country, entry.keyword).searchVolume,
    }))
    .sort((a, b) => b.searchVolume / b.rank - a.searchVolume / a.rank)
    .slice(0, limit);
}

function common(facts: KeywordFacts, requested: { keyword: string; countryCode: string; language: string }) {
  return {
    keyword: requested.keyword,
    countryCode: requested.countryCode,
    languageCode: requested.language,
    searchVolume: facts.searchVolume,
  };
}

/** Answers about keywords: ranks, history, top and organic keywords, metadata. */
export const keywordAnswers = answerTable([
  answerTo(keyword.iosKeywordRanking, ({ trackId, countryCode, keywords, date }, context) =>
    keywords.flatMap((word) =>
      iosRanks(context, { trackId, keyword: word, country: countryCode, day: date ?? yesterday(context) }),
    ),
  ),
  answerTo(keyword.androidKeywordRanking, ({ trackId, countryCode, keywords, date }, context) =>
    keywords.flatMap((word) =>
      androidRanks(context, { trackId, keyword: word, country: countryCode, day: date ?? yesterday(context) }),
    ),
  ),
  answerTo(keyword.iosKeywordHistory, ({ trackId, countryCode, keyword: word, ...range }, context) =>
    daysBetweenInclusive(range).flatMap((day) =>
      iosRanks(context, { trackId, keyword: word, country: countryCode, day }),
    ),
  ),
  answerTo(keyword.androidKeywordHistory, ({ trackId, countryCode, keyword: word, ...range }, context) =>
    daysBetweenInclusive(range).flatMap((day) =>
      androidRanks(context, { trackId, keyword: word, country: countryCode, day }),
    ),
  ),
  answerTo(keyword.iosTopKeywords, ({ trackId, countryCode, date, device, limit }, context) =>
    top(context, { store: "ios", trackId, country: countryCode, device: device ?? "IPHONE", day: date }, limit),
  ),
  answerTo(keyword.androidTopKeywords, ({ trackId, countryCode, date, limit }, context) =>
    top(context, { store: "android", trackId, country: countryCode, device: "ALL", day: date }, limit),
  ),
  answerTo(keyword.iosKeywordMetadata, ({ countryCode, keyword: word }, context) => {
    const facts = context.market.facts("ios", countryCode, word);
    return {
      ...common(facts, { keyword: word, countryCode, language: context.market.languageIn(countryCode) }),
      numberOfIpadApps: facts.numberOfIpadApps,
      numberOfIphoneApps: facts.numberOfApps,
      ownIphoneChance: facts.chance,
      ownIpadChance: Math.min(100, Math.round(facts.chance * 11) / 10),
      ...(facts.popularity === null ? {} : { popularity: facts.popularity }),
      ...(facts.brandApp === null ? {} : { brandApp: Number(facts.brandApp) }),
    };
  }),
  answerTo(keyword.androidKeywordMetadata, ({ countryCode, keyword: word }, context) => {
    const facts = context.market.facts("android", countryCode, word);
    return {
      ...common(facts, { keyword: word, countryCode, language: context.market.languageIn(countryCode) }),
      numberOfApps: facts.numberOfApps,
      playChance: facts.chance,
      ...(facts.brandApp === null ? {} : { brandApp: facts.brandApp }),
    };
  }),
  answerTo(keyword.iosOrganicKeywords, ({ trackId, countryCode, device, date }, context) => ({
    trackId: Number(trackId),
    countryCode,
    deviceType: device,
    date: context.instant(startOfDay(date)),
    rankings: organic(context, { store: "ios", trackId, country: countryCode, device, day: date }),
  })),
  answerTo(keyword.androidOrganicKeywords, ({ trackId, countryCode, date }, context) => ({
    trackId,
    countryCode,
    date: context.instant(startOfDay(date)),
    rankings: organic(context, { store: "android", trackId, country: countryCode, device: "ALL", day: date }),
  })),
]);
