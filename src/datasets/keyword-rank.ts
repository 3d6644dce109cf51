import { dailyKeywordRankings } from "../api/operations/dashboard.ts";
import {
  androidKeywordHistory,
  androidKeywordRanking,
  iosKeywordHistory,
  iosKeywordRanking,
  type KeywordRankEntry,
} from "../api/operations/keyword.ts";
import { operationById } from "../api/operations/all.ts";
import { rangeParams } from "../api/range.ts";
import type { InvalidItem } from "../api/read-answer.ts";
import { daysBetween } from "../core/day.ts";
import { reportedFingerprint, type Slice } from "../core/slice.ts";
import { devicesOf, type Store } from "../core/store.ts";
import { foldKeyword } from "../core/text.ts";
import { holds, windowLength } from "../core/window.ts";
import { defineTable } from "../load/table.ts";
import { defineDataset, part, type Normalised } from "./shared/define-dataset.ts";
import { appCountries } from "./shared/portfolio-partitions.ts";
import { readInstant, type CrawlTime } from "./shared/instants.ts";
import { cellOf, createRankCells } from "./shared/rank-cells.ts";
import { keywordRankSummary } from "./shared/keyword-rank-summary.ts";
import { rankingHistory } from "./shared/ranking-history.ts";
import { wholeListRanks } from "./shared/whole-list-ranks.ts";

const table = defineTable({
  name: "core.fact_keyword_rank",
  columns: {
    app_key: "app",
    date_day: "day",
    country_key: "country",
    keyword_key: "keyword",
    device_key: "device",
    rank: "int",
    observed_at: "timestamp",
  },
  key: ["app_key", "date_day", "country_key", "keyword_key", "device_key"],
  load: { kind: "upsert" },
  sums: keywordRankSummary,
  partitioned: true,
});

const ways = {
  ios: [iosKeywordRanking, iosKeywordHistory, dailyKeywordRankings],
  android: [androidKeywordRanking, androidKeywordHistory, dailyKeywordRankings],
} as const;

/**
 * Ranks of the portfolio's apps for its keywords: by day for a hundred named keywords, by keyword for many days, or by day and device for
 * all that the account tracks, whichever is cheapest.
 */
export const keywordRank = defineDataset({
  name: "keyword_rank",
  summary: "Rank of each portfolio app for each of its keywords, by country, device and day.",
  family: "rank",
  stage: "market",
  on: true,
  why: "3 credits per app, country and day for up to 100 keywords",
  timing: { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 30 },
  // a keyword that is not ranked may be missing from an answer: days are requested again only after a long gap
  reportedBy: { column: "observed_at", quietDays: 13 },
  tables: [table],
  operations: [...new Set([...ways.ios, ...ways.android])],
  operationsFor: (scope) => ways[part(scope, "store") as Store],
  figures: ["rank"],
  answersRepeat: true,
  byApp: true,
  fromKeywords: true,
  partitions: (portfolio) =>
    appCountries(portfolio)
      .filter(({ country }) => country.keywords.length > 0)
      .map(({ app, country }) => ({
        scope: { store: app.store, app: app.trackId, country: country.country },
        items: country.keywords,
        tracked: country.tracked ?? [],
      })),
  wholeList: { operation: dailyKeywordRankings, calls: (scope) => devicesOf[part(scope, "store") as Store].length },
  request: ({ operation, scope, items, window }, call = 0) => {
    const who = { trackId: part(scope, "app"), countryCode: part(scope, "country") };
    const requested = operationById(operation);
    if (requested === dailyKeywordRankings) {
      const devices = devicesOf[part(scope, "store") as Store];
      return { ...who, date: window.start, ...(devices.length > 1 ? { device: devices[call]?.toLowerCase() } : {}) };
    }
    return requested.range === null
      ? { ...who, keywords: items, date: window.start }
      : { ...who, keyword: items?.[0], ...rangeParams(requested, window) };
  },
  normalise: (slice, pages, left) => {
    if (slice.fingerprint === reportedFingerprint("tracked_keyword")) return reportedRanks(slice, pages);
    return slice.operation === dailyKeywordRankings.id
      ? normalisedList(slice, pages, left)
      : normalisedRanks(slice, pages, left);
  },
});

/** Ranks of an answer that echoes keyword, device and crawl time. */
function normalisedRanks(slice: Slice, pages: readonly unknown[], left: readonly InvalidItem[]): Normalised {
  const invalid: InvalidItem[] = [];
  const uncertain = new Set(left.flatMap(({ item }) => keywordsOf(slice, item)));
  const entries = pages.flat() as readonly KeywordRankEntry[];
  let folded: ReadonlyMap<string, readonly string[]> | null = null;
  let echoed: ReadonlySet<string> | null = null;
  const unnamed = (keywords: readonly string[]): readonly string[] => {
    const named = (echoed ??= new Set(entries.map(({ keyword }) => keyword)));
    return keywords.filter((keyword) => !named.has(keyword));
  };
  const otherwise = (spelled: string): readonly string[] => {
    folded ??= Map.groupBy(new Set(slice.items), foldKeyword);
    return unnamed(folded.get(foldKeyword(spelled)) ?? []);
  };
  const areTwins = hasTwins(slice.items ?? []);
  const twinsOf = (keyword: string) => (areTwins ? otherwise(keyword) : []);
  const cells = createRankCells(slice);
  const mismatchOf = mismatches(slice);
  for (const entry of entries) {
    const crawl = readInstant(entry.date);
    const mismatch = mismatchOf(entry, crawl);
    if (mismatch === null && !areTwins && cells.keepLatest(entry.keyword, entry, crawl)) continue;
    // an entry answers for the keyword that it names exactly; in another spelling only for keywords that no entry names exactly
    const keywords = cells.areAbout(entry.keyword)
      ? [entry.keyword, ...twinsOf(entry.keyword)]
      : otherwise(entry.keyword);
    const reason = keywords.length === 0 ? "a keyword that was not requested" : mismatch;
    if (reason !== null) invalid.push({ reason, item: entry });
    if (keywords.length === 0) for (const keyword of unnamed(likeIt(slice, entry.keyword))) uncertain.add(keyword);
    for (const keyword of keywords)
      if (reason === null) cells.keepLatest(keyword, entry, crawl);
      else uncertain.add(keyword);
  }
  if (entries.length === 0 && left.length === 0 && mayBeEarly(slice)) return { rows: {}, invalid };
  return { rows: { [table.name]: cells.rows(uncertain) }, invalid };
}

/** Ranks from the account's whole list, one page per device. */
function normalisedList(slice: Slice, pages: readonly unknown[], left: readonly InvalidItem[]): Normalised {
  const { ranks, invalid, unanswered } = wholeListRanks(slice, pages, left);
  // only the keywords that it names: the others leave the slice, and a replay reads it without them
  const items = [...new Set(ranks.map(({ keyword }) => keyword))];
  if (ranks.every(({ rank }) => rank === null) && mayBeEarly({ ...slice, items }))
    return { rows: {}, invalid, unanswered };
  const rows = ranks.map(({ keyword, device, rank }) => ({
    ...cellOf(slice, keyword, device, slice.window.start),
    rank,
    observed_at: null,
  }));
  return { rows: { [table.name]: rows }, invalid, unanswered };
}

/** Ranks of an earlier day that came with the account's list. */
function reportedRanks(slice: Slice, pages: readonly unknown[]): Normalised {
  const day = slice.window.start;
  const [device = ""] = devicesOf[part(slice.scope, "store") as Store];
  const ranks = rankingHistory(slice.scope, pages).get(day);
  const rows = (slice.items ?? []).flatMap((keyword) => {
    const rank = ranks?.get(keyword);
    return rank === undefined ? [] : [{ ...cellOf(slice, keyword, device, day), rank, observed_at: null }];
  });
  return { rows: { [table.name]: rows }, invalid: [] };
}

/** If this many keywords have no rank, the day is probably not published yet: an app rarely ranks for none of them. */
const conclusiveBatch = 5;

/** True if an answer without any rank may mean that the newest day is not published yet; a day later it means "not ranked". */
function mayBeEarly({ items, window, asOf }: Slice): boolean {
  return (items?.length ?? 0) >= conclusiveBatch && windowLength(window) === 1 && daysBetween(window.start, asOf) <= 1;
}

const known = new WeakMap<readonly string[], boolean>();

/** True for a list with two spellings of one keyword, such as the account's and the configuration's: an answer may name it once. */
function hasTwins(items: readonly string[]): boolean {
  const answer = known.get(items) ?? new Set(items.map(foldKeyword)).size < new Set(items).size;
  // a list that may still change is not cached
  if (Object.isFrozen(items)) known.set(items, answer);
  return answer;
}

/** The requested keywords that an invalid item may be about: all of them if it names none. */
function keywordsOf(slice: Slice, item: unknown): readonly string[] {
  const name = typeof item === "object" && item !== null && "keyword" in item ? item.keyword : null;
  const items = slice.items ?? [];
  return typeof name === "string" ? items.filter((keyword) => foldKeyword(keyword) === foldKeyword(name)) : items;
}

/** The requested keywords that a name may stand for where a service writes spaces, signs and accents in its own way (`habit+tracker`, `caf%C3%A9`, `cafe`). */
function likeIt({ items }: Slice, name: string): readonly string[] {
  const like = lettersOf(name);
  return (items ?? []).filter((keyword) => lettersOf(keyword) === like);
}

function lettersOf(keyword: string): string {
  let text = keyword;
  try {
    text = decodeURIComponent(keyword);
  } catch {
    // a literal %
  }
  // decomposed, accents are marks; in upper case ß is SS and ı is I
  return text
    .normalize("NFKD")
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}

/** Makes a function that returns why an entry does not belong to the slice, or null if it does. */
function mismatches({ scope, window }: Slice) {
  const [app, country] = [part(scope, "app"), part(scope, "country")];
  return ({ trackId, countryCode }: KeywordRankEntry, { day }: CrawlTime): string | null => {
    if (trackId !== app && String(trackId) !== app) return "an app that was not requested";
    if (countryCode != null && countryCode !== country && countryCode.toUpperCase() !== country)
      return "a country that was not requested";
    return holds(window, day) ? null : "a day outside the requested window";
  };
}
