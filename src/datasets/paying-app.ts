import type { z } from "zod";
import { payingApps as operation } from "../api/operations/search-ads-insight.ts";
import { rangeParams } from "../api/range.ts";
import { daysBetween } from "../core/day.ts";
import { scopeKey, type Slice } from "../core/slice.ts";
import { foldKeyword } from "../core/text.ts";
import { lastDay } from "../core/window.ts";
import { appRef, defineTable } from "../load/table.ts";
import { answerFields } from "./shared/answer-fields.ts";
import { fourteenDays } from "./shared/ad-scope.ts";
import { checkItems } from "./shared/check-items.ts";
import { periodKey } from "./shared/values.ts";
import { defineDataset, part, type Partition } from "./shared/define-dataset.ts";
import { appCountries } from "./shared/portfolio-partitions.ts";
import { readInstant } from "./shared/instants.ts";

const requested = ["keyword_key", "period_start", "period_end", "country_key"] as const;

type Answer = z.output<typeof operation.answer>;
type Share = NonNullable<Answer["shares"]>[number];

const fields = answerFields<Share>()({
  share: ["share", "number"],
  slot_shares: ["slotShares", "json"],
  default_product_page_count: ["defaultProductPageCount", "number"],
  custom_product_page_count: ["customProductPageCount", "number"],
});

const table = defineTable({
  name: "core.fact_paying_app",
  columns: {
    keyword_key: "keyword",
    period_start: "day",
    period_end: "day",
    country_key: "country",
    app_key: "app",
    ...fields.columns,
    extra: "json",
  },
  key: [...requested, "app_key"],
  load: { kind: "replace", scope: requested },
  partitioned: true,
});

/** The iOS apps that pay for the portfolio's keywords, over periods of 14 days. */
export const payingApp = defineDataset({
  name: "paying_app",
  summary:
    "The iOS apps that pay for each portfolio keyword, with their shares of its impressions, by country and period of 14 days.",
  stage: "market",
  on: false,
  why: "50 credits per keyword, country and 14 days",
  timing: fourteenDays,
  tables: [table],
  operations: [operation],
  fromKeywords: true,
  partitions: (portfolio) => {
    const wanted = appCountries(portfolio)
      .filter(({ app }) => app.store === "ios")
      .flatMap(({ country: { country, keywords } }) =>
        keywords.map((keyword): Partition => ({ scope: { store: "ios", country, keyword }, items: null })),
      );
    return [...new Map(wanted.map((partition) => [scopeKey(partition.scope), partition])).values()];
  },
  request: ({ scope, window }) => ({
    countryCode: part(scope, "country"),
    keyword: part(scope, "keyword"),
    ...rangeParams(operation, window),
  }),
  normalise: (slice, pages) => {
    const { scope } = slice;
    const { fitting, invalid } = checkItems(pages as readonly Answer[], (answer) => mismatchOf(slice, answer));
    const rows = fitting
      .flatMap(({ shares }) => shares ?? [])
      .map((one) => ({
        keyword_key: part(scope, "keyword"),
        ...periodKey(slice),
        country_key: part(scope, "country"),
        app_key: appRef(part(scope, "store"), one.trackId),
        ...fields.read(one),
        extra: fields.extra(one, ["trackId"]),
      }));
    return { rows: { [table.name]: rows }, invalid };
  },
});

/** Why an answer does not match its request; null when it does. Its days may be off by one: the contract names no time zone. */
function mismatchOf({ scope, window }: Slice, { keyword, startDate, endDate }: Answer): string | null {
  if (keyword != null && foldKeyword(keyword) !== foldKeyword(part(scope, "keyword")))
    return "a keyword that was not requested";
  const isNear = (reported: number | string | null | undefined, day: Slice["window"]["start"]) =>
    reported == null || Math.abs(daysBetween(readInstant(reported).day, day)) <= 1;
  return isNear(startDate, window.start) && isNear(endDate, lastDay(window))
    ? null
    : "an aggregate over days that were not requested";
}
