import type { z } from "zod";
import { paidKeywords as operation } from "../api/operations/search-ads-insight.ts";
import { rangeParams } from "../api/range.ts";
import { appRef, defineTable } from "../load/table.ts";
import { answerFields } from "./shared/answer-fields.ts";
import { fourteenDays } from "./shared/ad-scope.ts";
import { checkItems } from "./shared/check-items.ts";
import { periodKey } from "./shared/values.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { iosAppCountries } from "./shared/portfolio-partitions.ts";

const requested = ["app_key", "period_start", "period_end", "country_key"] as const;

type Answer = z.output<typeof operation.answer>;
type Share = NonNullable<Answer["shares"]>[number];

const fields = answerFields<Share>()({ app_share: ["appShare", "number"], slot_shares: ["slotShares", "json"] });

const table = defineTable({
  name: "core.fact_paid_keyword",
  columns: {
    app_key: "app",
    period_start: "day",
    period_end: "day",
    country_key: "country",
    keyword_key: "keyword",
    ...fields.columns,
    extra: "json",
  },
  key: [...requested, "keyword_key"],
  load: { kind: "replace", scope: requested },
  partitioned: true,
});

/** The keywords that the portfolio's iOS apps pay for, over periods of 14 days. */
export const paidKeyword = defineDataset({
  name: "paid_keyword",
  summary:
    "The keywords that each portfolio app on iOS pays for, with its share of their impressions, by country and period of 14 days.",
  family: "search_ads",
  stage: "market",
  on: false,
  why: "50 credits per app, country and 14 days",
  timing: fourteenDays,
  tables: [table],
  operations: [operation],
  byApp: true,
  partitions: iosAppCountries,
  request: ({ scope, window }) => ({
    trackId: part(scope, "app"),
    countryCode: part(scope, "country"),
    ...rangeParams(operation, window),
  }),
  normalise: (slice, pages) => {
    const { scope } = slice;
    const { fitting, invalid } = checkItems(pages as readonly Answer[], ({ trackId }) =>
      trackId == null || String(trackId) === part(scope, "app") ? null : "an app that was not requested",
    );
    const rows = fitting
      .flatMap(({ shares }) => shares ?? [])
      .map((one) => ({
        app_key: appRef(part(scope, "store"), part(scope, "app")),
        ...periodKey(slice),
        country_key: part(scope, "country"),
        keyword_key: one.keyword,
        ...fields.read(one),
        extra: fields.extra(one, ["keyword"]),
      }));
    return { rows: { [table.name]: rows }, invalid };
  },
});
