import type { z } from "zod";
import type { iosOrganicImpressionShare } from "../../api/operations/keyword-apps.ts";
import type { InvalidItem } from "../../api/read-answer.ts";
import type { Slice } from "../../core/slice.ts";
import type { Params } from "../../api/address.ts";
import { extraOf } from "../../load/table.ts";
import { checkItems } from "./check-items.ts";
import { amountOf, isOther } from "./values.ts";
import { part } from "./define-dataset.ts";
import { readInstant } from "./instants.ts";

type Shares = z.output<typeof iosOrganicImpressionShare.answer>;

const known = ["keyword", "countryCode", "device", "date", "keywordShares", "shareParameterId", "share"];

/** The columns that the shares of a keyword have in common, for apps and for categories. */
export const shareColumns = {
  keyword_key: "keyword",
  date_day: "day",
  country_key: "country",
  store: "text",
  device_key: "device",
} as const;

/** One part of a keyword: who it belongs to, as the service names it, and the columns that all parts have. */
export type KeywordShare = { readonly owner: string; readonly columns: ReturnType<typeof columnsOf> };

/** The parameters of a call for the shares of a keyword: all in its path, the device only if the store has devices. */
export function shareParams({ scope }: Slice): Params {
  const who = { keyword: part(scope, "keyword"), countryCode: part(scope, "country") };
  return part(scope, "store") === "ios" ? { ...who, device: part(scope, "device") } : who;
}

/** The shares of a keyword, stamped with the request and the day of observation; answers about anything else are invalid. */
export function sharesOf(
  slice: Slice,
  pages: readonly unknown[],
): { readonly shares: readonly KeywordShare[]; readonly invalid: readonly InvalidItem[] } {
  const { fitting, invalid } = checkItems(
    pages as readonly Shares[],
    (answer) => (isOther(slice.scope, answer) ? "a keyword, country or device that was not requested" : null),
    ({ keyword, countryCode, device }) => ({ keyword, countryCode, device }),
  );
  const shares = fitting.flatMap((answer) =>
    answer.keywordShares.map((reported) => ({
      owner: String(reported.shareParameterId),
      columns: columnsOf(slice, answer, reported),
    })),
  );
  return { shares, invalid };
}

function columnsOf({ scope, window }: Slice, answer: Shares, reported: Shares["keywordShares"][number]) {
  const date = reported.date ?? answer.date;
  return {
    keyword_key: part(scope, "keyword"),
    date_day: window.start,
    country_key: part(scope, "country"),
    store: part(scope, "store"),
    device_key: part(scope, "device"),
    // an answer without a date is about the day of observation
    share_day: date == null ? window.start : readInstant(date).day,
    share: amountOf(reported.share),
    answer_day: answer.date == null ? null : readInstant(answer.date).day,
    extra: extraOf({ ...answer, ...reported }, known),
  };
}
