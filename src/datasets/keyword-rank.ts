import {
  androidKeywordHistory,
  androidKeywordRanking,
  iosKeywordHistory,
  iosKeywordRanking,
  type KeywordRankEntry,
} from "../api/operations/keyword.ts";
import { operationById } from "../api/operations/all.ts";
import { rangeParams } from "../api/range.ts";
import type { Unfit } from "../api/read-answer.ts";
import { daysBetween } from "../core/day.ts";
import type { Slice } from "../core/slice.ts";
import { devicesOf, type Store } from "../core/store.ts";
import { foldKeyword } from "../core/text.ts";
import { daysOf, holds, windowLength } from "../core/window.ts";
import { appRef, defineTable, type RowOf } from "../warehouse/table.ts";
import { defineDataset, part } from "./define-dataset.ts";
import { appCountries } from "./followed.ts";
import { readInstant } from "./instants.ts";

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
  partitioned: true,
});

type RankRow = RowOf<typeof table>;

const ways = {
  ios: [iosKeywordRanking, iosKeywordHistory],
  android: [androidKeywordRanking, androidKeywordHistory],
} as const;

/** Ranks of followed apps for followed keywords: by day for many keywords at once, or by keyword for many days, whichever is cheaper. */
export const keywordRank = defineDataset({
  name: "keyword_rank",
  summary: "Rank of each followed app for each followed keyword, by country, device and day.",
  stage: "market",
  on: true,
  why: "3 credits bring up to 100 keywords of an app, country and day",
  timing: { kind: "series", settleDays: 1, lookbackDays: 0, historyDays: 30 },
  tables: [table],
  operations: [...ways.ios, ...ways.android],
  operationsFor: (scope) => ways[part(scope, "store") as Store],
  partitions: (portfolio) =>
    appCountries(portfolio)
      .filter(({ country }) => country.keywords.length > 0)
      .map(({ app, country }) => ({
        scope: { store: app.store, app: app.trackId, country: country.country },
        items: country.keywords,
      })),
  request: ({ operation, scope, items, window }) => {
    const who = { trackId: part(scope, "app"), countryCode: part(scope, "country") };
    const asked = operationById(operation);
    return asked.range === null
      ? { ...who, keywords: items, date: window.start }
      : { ...who, keyword: items?.[0], ...rangeParams(asked, window) };
  },
  normalise: (slice, pages, left) => {
    const found = new Map<string, RankRow>();
    const unfit: Unfit[] = [];
    const asked = Map.groupBy(slice.items ?? [], foldKeyword);
    const unsure = new Set(left.flatMap(({ item }) => keywordsOf(slice, item)));
    const entries = pages.flat() as readonly KeywordRankEntry[];
    const echoed = new Set(entries.map(({ keyword }) => keyword));
    for (const entry of entries) {
      // a keyword that is echoed letter by letter speaks for itself; another spelling of it only for those that are not
      const alike = asked.get(foldKeyword(entry.keyword)) ?? [];
      const keywords = alike.includes(entry.keyword)
        ? [entry.keyword]
        : alike.filter((keyword) => !echoed.has(keyword));
      const reason = strangeness(slice, keywords, entry);
      if (reason === null) for (const keyword of keywords) keepLatest(found, rowOf(slice, keyword, entry));
      else {
        unfit.push({ reason, item: entry });
        for (const keyword of keywords) unsure.add(keyword);
      }
    }
    if (entries.length === 0 && left.length === 0 && mayBeEarly(slice)) return { rows: {}, unfit };
    return { rows: { [table.name]: [...found.values(), ...unranked(slice, found, unsure)] }, unfit };
  },
});

/** So many keywords without a single rank are more likely a day that is not out than an app that is found nowhere. */
const tellingBatch = 5;

/** True when an answer without any rank may mean that the newest day is not out yet; the day after it means "not ranked". */
function mayBeEarly({ items, window, asOf }: Slice): boolean {
  return (items?.length ?? 0) >= tellingBatch && windowLength(window) === 1 && daysBetween(window.start, asOf) <= 1;
}

/** The asked keywords that an unfit item may have been about: all of them when it does not say. */
function keywordsOf(slice: Slice, item: unknown): readonly string[] {
  const name = typeof item === "object" && item !== null && "keyword" in item ? item.keyword : null;
  const items = slice.items ?? [];
  return typeof name === "string" ? items.filter((keyword) => foldKeyword(keyword) === foldKeyword(name)) : items;
}

/** Why an entry does not belong to the slice, null when it does. */
function strangeness({ scope, window }: Slice, keywords: readonly string[], entry: KeywordRankEntry): string | null {
  if (keywords.length === 0) return "a keyword that was not asked for";
  if (String(entry.trackId) !== part(scope, "app")) return "an app that was not asked for";
  if (entry.countryCode != null && entry.countryCode.toUpperCase() !== part(scope, "country"))
    return "a country that was not asked for";
  return holds(window, readInstant(entry.date).day) ? null : "a day outside the window that was asked for";
}

function rowOf(slice: Slice, keyword: string, entry: KeywordRankEntry): RankRow {
  const crawl = readInstant(entry.date);
  const device = "appKind" in entry ? entry.appKind : "ALL";
  return { ...cellOf(slice, keyword, device, crawl.day), rank: entry.rank ?? null, observed_at: crawl.at };
}

function cellOf({ scope }: Slice, keyword: string, device: string, day: string): Omit<RankRow, "rank" | "observed_at"> {
  return {
    app_key: appRef(part(scope, "store"), part(scope, "app")),
    date_day: day,
    country_key: part(scope, "country"),
    keyword_key: keyword,
    device_key: device,
  };
}

/** Of several crawls of one day the last one counts; of two at the same instant the better rank, so that their order does not matter. */
function keepLatest(found: Map<string, RankRow>, row: RankRow): void {
  const key = cellKey(row);
  const held = found.get(key);
  if (held === undefined || precedes(held, row)) found.set(key, row);
}

function precedes(held: RankRow, row: RankRow): boolean {
  const [a, b] = [held.observed_at ?? "", row.observed_at ?? ""];
  return a !== b ? a < b : (row.rank ?? Number.POSITIVE_INFINITY) < (held.rank ?? Number.POSITIVE_INFINITY);
}

function cellKey(row: Pick<RankRow, "date_day" | "device_key" | "keyword_key">): string {
  return `${row.date_day} ${row.device_key} ${row.keyword_key}`;
}

/** Asked for and not in the answer: a row without rank; not where something came for the keyword that did not fit, since then nobody knows. */
function unranked(slice: Slice, found: ReadonlyMap<string, RankRow>, unsure: ReadonlySet<string>): readonly RankRow[] {
  const keywords = (slice.items ?? []).filter((keyword) => !unsure.has(keyword));
  return keywords
    .flatMap((keyword) =>
      daysOf(slice.window).flatMap((day) =>
        devicesOf[part(slice.scope, "store") as Store].map((device) => cellOf(slice, keyword, device, day)),
      ),
    )
    .filter((cell) => !found.has(cellKey(cell)))
    .map((cell) => ({ ...cell, rank: null, observed_at: null }));
}
