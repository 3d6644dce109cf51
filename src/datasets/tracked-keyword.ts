import { z } from "zod";
import { dailyKeywordRankings } from "../api/operations/dashboard.ts";
import { Instant } from "../api/values.ts";
import { day } from "../core/day.ts";
import { cleanText } from "../core/text.ts";
import { appRef, defineTable, jsonOf } from "../load/table.ts";
import { checkItems } from "./shared/check-items.ts";
import { idOf, isOther } from "./shared/values.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { readInstant } from "./shared/instants.ts";
import { appCountries } from "./shared/portfolio-partitions.ts";
import { rankingHistory } from "./shared/ranking-history.ts";
import { trackedCountry } from "./tracked-country.ts";

const table = defineTable({
  name: "core.tracked_keyword",
  columns: {
    app_key: "app",
    country_key: "country",
    keyword_key: "keyword",
    account: "text",
    search_volume: "number",
    chance: "number",
    app_count: "bigint",
    brand_track_id: "text",
    rank_change: "int",
    ranking_history: "json",
    created_at: "timestamp",
  },
  key: ["app_key", "country_key", "keyword_key", "account"],
  load: { kind: "history", scope: ["app_key", "country_key", "account"], versioned: [] },
  partitioned: false,
});

type Tracked = z.output<typeof dailyKeywordRankings.answer>[number];

/** The keywords that the account tracks. Expensive, so fetched again only when their number changes, and once a week. */
export const trackedKeyword = defineDataset({
  name: "tracked_keyword",
  summary: "The keywords that the account tracks for each app and country, with the history of when each was tracked.",
  stage: "portfolio",
  ofAccount: true,
  on: true,
  why: "50 credits per app and country, once a week and whenever the number of keywords has changed",
  timing: { kind: "snapshot", refreshDays: 7 },
  tables: [table],
  options: z.object({
    ranks: z
      .boolean()
      .default(true)
      .describe(
        "Also load the ranks of earlier days that come with the list (Android only) into keyword_rank, if they were not requested yet. The newest of these days is requested anyway and compared. Once the two differ, the account no longer uses ranks from the list and requests their days.",
      ),
  }),
  alsoAnswers: {
    dataset: "keyword_rank",
    option: "ranks",
    figures: ({ scope }, pages) => rankingHistory(scope, pages),
    figureOf: ({ date_day: on, keyword_key: keyword, rank }) => ({
      day: day(String(on)),
      item: String(keyword),
      figure: typeof rank === "number" ? rank : null,
    }),
  },
  operations: [dailyKeywordRankings],
  awaits: [trackedCountry.name],
  byApp: true,
  partitions: (portfolio) =>
    appCountries(portfolio)
      .filter(
        ({ country }) => country.keywordCount !== null && (country.keywordCount > 0 || country.keywords.length > 0),
      )
      .map(({ app, country }) => ({
        scope: { store: app.store, app: app.trackId, country: country.country },
        items: null,
        fingerprint: `keywords ${country.keywordCount}`,
        expected: (country.keywordCount ?? 0) > 0,
      })),
  request: ({ scope }) => ({
    trackId: part(scope, "app"),
    countryCode: part(scope, "country"),
    ...(part(scope, "store") === "ios" ? { device: "iphone" } : {}),
  }),
  normalise: ({ scope }, pages) => {
    const { fitting, invalid } = checkItems(pages.flat() as readonly Tracked[], ({ countryCode }) =>
      isOther(scope, { countryCode: countryCode || null }) ? "a country that was not requested" : null,
    );
    const entries = fitting.map((entry) => ({ ...entry, keyword: cleanText(entry.keyword) }));
    const rows = [...new Map(entries.map((entry) => [entry.keyword, entry])).values()].map((entry) => ({
      app_key: appRef(part(scope, "store"), part(scope, "app")),
      country_key: part(scope, "country"),
      keyword_key: entry.keyword,
      search_volume: entry.searchVolume ?? null,
      chance: entry.chance ?? null,
      app_count: entry.numberOfApps ?? null,
      brand_track_id: idOf(entry.brandApp),
      rank_change: Number.isSafeInteger(entry.change) ? Number(entry.change) : null,
      ranking_history: jsonOf(entry.rankingHistory),
      created_at: createdAt(entry),
    }));
    return { rows: { [table.name]: rows }, invalid };
  },
});

/** An invalid instant is no reason to lose the keyword. */
function createdAt(entry: Tracked): string | null {
  const instant = Instant.safeParse(entry.createdAt);
  return instant.success ? readInstant(instant.data).at : null;
}
